import { expect, test } from 'vitest'
import { listFlow } from '../../../src/ledger/flow.ts'
import { noteHistory, noteQueuedHistory } from '../../../src/ledger/historyMarks.ts'
import { createPackingByTime } from '../../../src/ledger/packByTime.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { nameNumber } from '../../../src/store/names.ts'

const stepMs = 300_000

/** Steps of a history as it is read, the newest first. */
function readBackwards(db: Database, from: number, count: number): void {
  const token = nameNumber(db, '0xaa')
  const insert = db.prepare('INSERT INTO flow_steps VALUES (?, ?, ?, ?, 1, ?)')
  for (let place = count - 1; place >= 0; place -= 1)
    for (const side of [0, 1])
      insert.run(
        from + place * stepMs,
        token,
        place % 2,
        side,
        place % 3 === 0 ? `${place}${'0'.repeat(20)}` : BigInt(place),
      )
}

const pagesOf = (db: Database, name: string) =>
  Number(db.prepare('SELECT count(*) AS n FROM dbstat WHERE name = ?').get(name)?.['n'])
const rowsOf = (db: Database) => db.prepare('SELECT *, typeof(sum) FROM flow_steps ORDER BY at, side').all()

test('once a history is read, what is ordered by time takes the pages that it needs, and says the same', () => {
  const db = openDatabase(':memory:')
  readBackwards(db, 1_000 * stepMs, 2_000)
  const [rows, steps, pages] = [rowsOf(db), listFlow(db, 0, 1e12), pagesOf(db, 'flow_steps')]
  noteHistory(db, [1, 2])
  const pack = createPackingByTime(db)
  expect(pack()).toBe(false)
  expect(pagesOf(db, 'flow_steps')).toBe(pages)
  noteQueuedHistory(db, 2)
  while (pack());
  expect(pagesOf(db, 'flow_steps')).toBeLessThan(pages * 0.65)
  expect([rowsOf(db), listFlow(db, 0, 1e12)]).toEqual([rows, steps])
  db.close()
})

test('what is in its order is left alone, also after a restart: what is older than it is not', () => {
  const db = openDatabase(':memory:')
  readBackwards(db, 1_000 * stepMs, 600)
  for (const pack = createPackingByTime(db); pack(); );
  const changed = () => Number(db.prepare('SELECT total_changes() AS n').get()?.['n'])
  const takes = () => {
    const before = changed()
    for (const pack = createPackingByTime(db); pack(); );
    return changed() - before
  }
  expect(takes()).toBeLessThan(10)
  readBackwards(db, 0, 100)
  expect(takes()).toBeGreaterThan(400)
  db.close()
})
