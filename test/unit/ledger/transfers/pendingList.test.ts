import { expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { hash, toPending } from '../../../support/records.ts'

test('what was pending in a transaction that came to nothing is not taken for what has its key now', () => {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const list = () =>
    [...ledger.listPending({ direction: null, originAtOrBefore: Infinity })].map(({ zone }) => zone?.hash)
  const record = (row: Observation) => {
    ledger.recordAnswer([row], 1_000_000)
    return list()
  }
  const undone = () =>
    db.transaction(() => {
      expect(record(toPending({ zoneHash: hash('undone') }))).toEqual([hash('undone')])
      throw new Error('the commit came to nothing')
    })
  expect(undone).toThrow('came to nothing')
  expect(record(toPending({ zoneHash: hash('z') }))).toEqual([hash('z')])
  db.close()
})
