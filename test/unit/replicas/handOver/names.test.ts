import { afterEach, expect, test } from 'vitest'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import { findKey, nameBreak } from '../../../../src/replicas/handOver/names.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { hash, toRecord } from '../../../support/records.ts'

const opened: Database[] = []
afterEach(() => {
  for (const db of opened.splice(0)) db.close()
})

/** Withdrawals by id, main and zone hash. */
function open(...records: readonly (readonly [string | null, string, string])[]): Database {
  const db = openDatabase(':memory:')
  opened.push(db)
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  for (const [id, main, zone] of records)
    db.transaction(() =>
      ledger.recordAnswer([toRecord({ id, mainHash: hash(main), zoneHash: hash(zone) })], 2_000_000),
    )
  return db
}

test('a transfer is found by whatever it goes by on both nodes', () => {
  const db = open(['1', 'batch', 'one'], ['2', 'batch', 'two'])
  const [one, two] = [
    { id: '1', main: null, zone: null },
    { id: null, main: hash('batch'), zone: hash('two') },
  ]
  expect([findKey(db, one), findKey(db, two)]).toEqual(['t1', 't2'])
  expect(
    findKey(db, { id: null, main: null, zone: hash('ONE').toUpperCase().replace('0X', '0x') }),
  ).toBeNull()
})

test('one of several that share what is known of it is none of them', () => {
  const db = open(['1', 'batch', 'one'], ['2', 'batch', 'two'])
  expect(findKey(db, { id: null, main: hash('batch'), zone: null })).toBeNull()
  expect(findKey(db, { id: null, main: null, zone: null })).toBeNull()
})

test('what agrees in one name and differs in another is another transfer', () => {
  const db = open(['1', 'main', 'one'])
  expect(findKey(db, { id: '1', main: hash('main'), zone: hash('other') })).toBeNull()
})

test('a movement goes by the same name everywhere', () => {
  const db = open()
  expect(nameBreak(db, { movement: 'escrow:token:hash' })).toBe('escrow:token:hash')
})
