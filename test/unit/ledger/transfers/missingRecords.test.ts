import { expect, onTestFinished, test } from 'vitest'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import {
  createMissingRecords,
  neededReads,
  type ScanSpan,
} from '../../../../src/ledger/transfers/missingRecords.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { hash, toRecord } from '../../../support/records.ts'

test('of more records than are looked for at once none is passed over: the rest waits for room, which what was told takes none of', () => {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  for (let n = 0; n < 1_200; n += 1)
    ledger.recordAnswer(
      [toRecord({ id: `r${n}`, zoneHash: hash(`z${n}`), mainHash: hash(`m${n}`), zoneTime: 1_000 + n })],
      2_000_000,
    )
  const missing = createMissingRecords(db, (key) => ledger.seenAt(key))
  const seen = new Set<string>()
  let span: ScanSpan | null = { from: 0, until: 10_000_000, readBefore: 5_000_000 }
  const scan = () => {
    if (span !== null) span = missing.scan(span, 1)
    for (const { key } of missing.listDue(1, 5_000)) seen.add(key)
  }
  for (let n = 0; n < 3; n += 1) scan()
  expect([seen.size, span !== null]).toEqual([1_000, true])
  for (const one of missing.listDue(1, 5_000)) missing.save({ ...one, reads: neededReads }, 10)
  for (let n = 0; n < 3; n += 1) scan()
  expect([seen.size, span]).toEqual([1_200, null])
})
