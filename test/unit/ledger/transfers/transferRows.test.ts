import { expect, onTestFinished, test } from 'vitest'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import { selectNamed } from '../../../../src/ledger/transfers/named.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { hash, toRecord } from '../../../support/records.ts'

/** Counts the rows that statements give. */
function counting(db: Database) {
  const counted = { rows: 0 }
  const prepare: Database['prepare'] = (sql) => {
    const statement = db.prepare(sql)
    const all: typeof statement.all = (...values) => {
      const rows = statement.all(...values)
      counted.rows += rows.length
      return rows
    }
    return { ...statement, all }
  }
  return { counted, db: { ...db, prepare } }
}

test('of 300 transfers of one transaction, each with an id, the row of one is read to find it', () => {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const rows = Array.from({ length: 300 }, (_, n) => toRecord({ id: `r${n}`, zoneHash: hash(`z${n}`) }))
  ledger.recordAnswer(rows, 1_000_000)
  ledger.recordAnswer([toRecord({ zoneHash: hash('nameless') })], 1_000_000)
  const { counted, db: counts } = counting(db)
  const found = selectNamed(counts, { ids: ['r7'], hashes: [], looseHashes: [hash('main'), hash('z7')] })
  expect(found.map(({ group }) => group.members[0]?.id)).toEqual(['r7', null])
  expect(counted.rows).toBeLessThan(10)
})
