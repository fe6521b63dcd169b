import { expect, test } from 'vitest'
import { recordRewind } from '../../../src/alerts/operations.ts'
import { listChanges } from '../../../src/store/auditLog.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ana, start } from './harness.ts'

test('the list is read again back to a time that is over alone', () => {
  const db = openDatabase(':memory:')
  expect(() => recordRewind(db, ana, start + 1, start)).toThrow('expected a time that is over, got 20')
  recordRewind(db, ana, start, start)
  expect(listChanges(db, { limit: 9, before: null }).map(({ what }) => what)).toEqual(['read again'])
})
