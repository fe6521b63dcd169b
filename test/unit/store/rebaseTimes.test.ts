import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/store/database.ts'
import { rebaseTimes } from '../../../src/store/rebaseTimes.ts'

test('F67: every queue of the ledger is moved with the clock, so that nothing waits for an hour that was taken back', () => {
  const db = openDatabase(':memory:')
  const queued = db
    .prepare(
      `SELECT t.name AS name, c.name AS moment FROM sqlite_master t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND (c.name IN ('due_at', 'check_at', 'retry_at', 'next_at', 'ready_at'))`,
    )
    .all()
    .map((row) => ({ table: String(row['name']), column: String(row['moment']) }))
  expect(queued.length).toBeGreaterThan(10)
  const statements: string[] = []
  const watched = { prepare: (sql: string) => (statements.push(sql), db.prepare(sql)) } as typeof db
  rebaseTimes(watched, -3_600_000)
  const unmoved = queued.filter(
    ({ table, column }) =>
      !statements.some(
        (sql) => sql.startsWith(`UPDATE ${table} `) && sql.includes(`${column} = ${column} +`),
      ),
  )
  expect(unmoved).toEqual([])
  db.close()
})
