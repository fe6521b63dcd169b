import { expect, test } from 'vitest'
import { listArrived } from '../../../../src/ledger/transfers/arrived.ts'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { toRecord } from '../../../support/records.ts'

const hash = (side: string, index: number) => `0x${side}${index.toString(16).padStart(63, '0')}`

/** A deposit, later ten withdrawals, and last of all one that failed and one that is under way. */
function openWorld() {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const records = Array.from({ length: 13 }, (_, index) => {
    const isDeposit = index === 0
    const [failed, isOpen] = [index === 11, index === 12]
    const at = 1_000_000 + index * 10_000
    return toRecord({
      requestedAt: 9_000_000,
      id: hash('1', index),
      direction: isDeposit ? 'MainToZone' : 'ZoneToMain',
      crossType: isDeposit ? 'Deposit' : 'Withdraw',
      status: failed ? 'failed' : isOpen ? 'unknown' : 'success',
      mainHash: failed || isOpen ? null : hash('2', index),
      mainTime: failed || isOpen ? null : isDeposit ? at : at + 500,
      zoneHash: hash('3', index),
      zoneTime: isDeposit ? at + 500 : at,
    })
  })
  db.transaction(() => ledger.recordAnswer(records, 9_000_000))
  return { db, ledger }
}

test('what arrived is listed by when it arrived, the newest first, and nothing that did not', () => {
  const { ledger } = openWorld()
  const ids = (filter: Parameters<typeof ledger.listArrived>[0]) =>
    ledger.listArrived(filter).map(({ zone }) => Number.parseInt(zone?.hash.slice(-1) ?? '', 16))
  expect(ids({ limit: 3 })).toEqual([10, 9, 8])
  expect(ids({ direction: 'MainToZone', limit: 3 })).toEqual([0])
  expect(ids({ from: 1_020_500, until: 1_040_500, limit: 9 })).toEqual([4, 3, 2])
  expect(ids({ from: 1_020_501, until: 1_040_499, limit: 9 })).toEqual([3])
})

test('of a direction that has hardly any no more rows are looked at than of others', () => {
  const { db } = openWorld()
  expect(listArrived(db, { direction: 'MainToZone', limit: 1 }, 11)).toHaveLength(1)
  expect(listArrived(db, { direction: 'MainToZone', limit: 1 }, 10)).toEqual([])
})
