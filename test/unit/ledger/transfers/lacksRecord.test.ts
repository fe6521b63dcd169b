import { expect, test } from 'vitest'
import { lacksRecord } from '../../../../src/ledger/transfers/lacksRecord.ts'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { toRecord } from '../../../support/records.ts'

test('of a transaction with 600 transfers each is found, and one more is not', () => {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const of = (n: number) => toRecord({ source: 'E12', zoneEventIndex: `${n}`, targetAddress: `0xb${n}` })
  const records = Array.from({ length: 600 }, (_, n) => of(n))
  ledger.recordAnswer(records, 1_000_000)
  const looked = [...records.slice(0, 3), ...records.slice(-3), of(600)]
  expect(looked.map((record) => lacksRecord(db, record))).toEqual([...looked.slice(1).map(() => false), true])
  db.close()
})
