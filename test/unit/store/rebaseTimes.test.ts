import { expect, test } from 'vitest'
import { readProgress, saveProgress } from '../../../src/checks/contracts/progressStore.ts'
import { readStream, saveStream } from '../../../src/kernel/reads/mainStreams.ts'
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

const day = 86_400_000

test('F67: a verified source and the recent past of a list are read again at once after a clock that was a day ahead', () => {
  const db = openDatabase(':memory:')
  const source = { implementation: '0xa1', compiler: 'v1', name: 'Bridge', code: '', abi: '' }
  const contract = `0x${'c0'.repeat(20)}`
  const other = `0x${'c1'.repeat(20)}`
  const progress = { ...readProgress(db, contract), verifyAt: day + 40_000 }
  saveProgress(db, contract, { ...progress, earlier: { source, until: day } })
  saveProgress(db, other, progress)
  saveStream(db, { id: 'flows:a', cursor: 9, known: null, deepAt: day })
  saveStream(db, { id: 'flows:b', cursor: 9, known: null, deepAt: 0 })
  rebaseTimes(db, -day)
  expect(readProgress(db, contract)).toEqual({ ...progress, verifyAt: 40_000, earlier: { source, until: 0 } })
  expect(readProgress(db, other)).toEqual({ ...progress, verifyAt: 40_000 })
  expect(['a', 'b'].map((name) => readStream(db, `flows:${name}`)?.deepAt)).toEqual([0, 0])
  db.close()
})
