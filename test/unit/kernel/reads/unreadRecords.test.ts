import { expect, test } from 'vitest'
import { outsideFilter } from '../../../../src/clients/explorer/fits.ts'
import { recordQuarantine } from '../../../../src/kernel/reads/quarantine.ts'
import { mayBeUnreadRecord, readUnreadRecords } from '../../../../src/kernel/reads/unreadRecords.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { hash } from '../../../support/records.ts'

const at = 1_000_000
const deposit = { main: { hash: hash('deposit') }, zone: null, originAt: at } as const

/** Whether a deposit may be a row that came with these words. */
function mayBe(raw: string, of: { endpoint?: string; problem?: string; cameAt?: number } = {}): boolean {
  const { endpoint = 'E3', problem = 'txType: none of MainToZone, ZoneToMain', cameAt = at } = of
  const db = openDatabase(':memory:')
  recordQuarantine(db, [{ endpoint, problem, raw }], cameAt)
  const known = readUnreadRecords(db)
  db.close()
  return mayBeUnreadRecord(known, { ...deposit, main: { ...leg, ...deposit.main } })
}
const leg = { chain: 'main', height: 1, time: at } as const
const own = `{"mainTxHash":"${hash('deposit').toUpperCase().replace('0X', '0x')}"}`

test('a row that names a transfer may be its record, whenever it came', () => {
  expect(mayBe(own)).toBe(true)
  expect(mayBe(own, { cameAt: at - 1 })).toBe(true)
})

test('a row that names another is none of it', () => {
  expect(mayBe(`{"mainTxHash":"${hash('other')}"}`)).toBe(false)
})

test('a row that names none may be the record of what left before it came, and of nothing later', () => {
  expect(mayBe('{"mainTxHash":"0xhz"}')).toBe(true)
  expect(mayBe('{"mainTxHash":"0xhz"}', { cameAt: at - 1 })).toBe(false)
})

test('rows of other endpoints, and those that a filter should have left out, are no records of it', () => {
  expect(mayBe(own, { endpoint: 'E19' })).toBe(false)
  expect(mayBe(own, { problem: `${outsideFilter}zoneTxHash` })).toBe(false)
})
