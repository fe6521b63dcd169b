import { expect, test } from 'vitest'
import { createCoverageNotes, listCoveredSources } from '../../../src/kernel/running/coverage.ts'
import { openDatabase } from '../../../src/store/database.ts'

test('pollers that read a source are noted; chores of the monitor itself, and what never succeeded, are not', () => {
  const db = openDatabase(':memory:')
  const names = ['transfers', 'upkeep', 'heartbeat', 'report', 'reportWeek', 'reportMonth', 'canary']
  const note = createCoverageNotes(db, () => [
    ...names.map((poller) => ({ poller, intervalMs: 5_000, lastSuccessAt: 1_000 })),
    { poller: 'newChore', intervalMs: 5_000, asksNobody: true, lastSuccessAt: 1_000 },
    { poller: 'heads', intervalMs: 5_000, lastSuccessAt: null },
  ])
  note()
  expect(listCoveredSources(db)).toEqual(['transfers'])
  db.close()
})
