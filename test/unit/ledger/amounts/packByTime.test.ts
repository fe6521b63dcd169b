import { expect, test } from 'vitest'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import { listRows } from '../../../support/listRows.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'
import { listFlow } from '../../../../src/ledger/amounts/flowSteps.ts'
import { noteHistory, noteQueuedHistory } from '../../../../src/ledger/lessons/historyMarks.ts'
import { createPackingByTime } from '../../../../src/ledger/amounts/packByTime.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { nameNumber } from '../../../../src/store/names.ts'

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

test('where more of a history comes meanwhile, all of it is gone through again', () => {
  const db = openDatabase(':memory:')
  readBackwards(db, 3_000 * stepMs, 500)
  const pack = createPackingByTime(db)
  expect(pack()).toBe(true)
  noteHistory(db, [1, 2])
  expect(pack()).toBe(false)
  readBackwards(db, 1_000 * stepMs, 2_000)
  noteQueuedHistory(db, 2)
  const pages = pagesOf(db, 'flow_steps')
  while (pack());
  expect(pagesOf(db, 'flow_steps')).toBeLessThan(pages * 0.7)
  db.close()
})

test('so do the indexes by time of transfers and of what is owed for them', () => {
  const db = openDatabase(':memory:')
  const start = 1_700_000_000_000
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  for (let place = 3_000; place > 0; place -= 100)
    ledger.recordAnswer(
      Array.from({ length: 100 }, (_, index) =>
        toRecord({
          id: `r${place - index}`,
          zoneHash: hash(`zone ${place - index}`),
          mainHash: hash(`main ${place - index}`),
          zoneTime: start + (place - index) * 1_000,
          mainTime: start + (place - index) * 1_000 + 500,
        }),
      ),
      start + 9_000_000,
    )
  ledger.recordAnswer(
    [toPending({ id: 'open', zoneHash: hash('open'), zoneTime: start + 700 })],
    start + 9_000_000,
  )
  const insert = db.prepare(
    'INSERT INTO escrow_legs SELECT key, 1, 0, 5, 0, 0, 1, 7, destination_at, origin_at, 1 FROM transfers ORDER BY origin_at DESC',
  )
  insert.run()
  const read = () => ({
    listed: ledger.listTransfers({ limit: 4_000 }),
    transfers: db.prepare('SELECT * FROM transfers ORDER BY key').all(),
    legs: db.prepare('SELECT *, typeof(amount) FROM escrow_legs ORDER BY key').all(),
  })
  const names = ['transfers_destination', 'escrow_legs_zone']
  const pages = () => names.map((name) => pagesOf(db, name))
  const [before, wide] = [read(), pages()]
  for (const pack = createPackingByTime(db); pack(); );
  expect(read()).toEqual(before)
  for (const [place, count] of pages().entries()) expect(count).toBeLessThan((wide[place] ?? 0) * 0.9)
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
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

test('to followers it is no change but that it was done', () => {
  const first = { epoch: 1, seq: 0, hash: new Uint8Array() }
  const open = (role: 'holder' | 'follower') => {
    const db = openDatabase(':memory:')
    db.prepare("UPDATE meta SET value = 'same' WHERE name = 'generation'").run()
    db.changes.become({ role, ...first })
    return db
  }
  const [holder, follower] = [open('holder'), open('follower')]
  const ledger = createLedger(holder, { tokens: [], openIntervalMs: 10_000 })
  holder.transaction(() => {
    readBackwards(holder, 1_000 * stepMs, 600)
    ledger.recordAnswer(
      [toRecord({ zoneTime: 10_000, mainTime: 12_000 }), toPending({ zoneHash: hash('other') })],
      9_000_000,
    )
  })
  const known = holder.changes.listPending(0, Infinity)
  for (const pack = createPackingByTime(holder); pack(); );
  const packed = holder.changes.listPending(known.length, Infinity)
  expect(Math.max(...packed.map(({ body }) => body.length))).toBeLessThan(200)
  follower.changes.apply([...known, ...packed])
  expect(listRows(follower)).toEqual(listRows(holder))
  for (const db of [holder, follower]) db.close()
})
