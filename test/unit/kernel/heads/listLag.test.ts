import { expect, test } from 'vitest'
import { createSettle, judgeListLag, learnLateness } from '../../../../src/kernel/heads/listLag.ts'
import { openDatabase } from '../../../../src/store/database.ts'

const capMs = 90_000
const now = 10_000_000
const none = { listings: [], unlisted: [], newestListedAt: null, readAt: null }
/** The newest one listed at `at`, the others before it, all within `overMs`. */
const late = (lagMs: number, count: number, at = now - 1_000, overMs = 60_000) =>
  Array.from({ length: count }, (_, n) => ({
    at: at - overMs + (overMs * n) / Math.max(1, count - 1),
    lagMs,
    hasArrived: true,
  }))

test.each([
  { title: 'five late records and none in time', listings: late(capMs + 1, 5), lagMs: capMs + 1 },
  { title: 'five at the bound', listings: late(capMs, 5), lagMs: null },
  { title: 'four late records', listings: late(capMs + 1, 4), lagMs: null },
  {
    title: 'one in time after them',
    listings: [...late(capMs + 1, 9), ...late(capMs, 1, now, 0)],
    lagMs: null,
  },
  {
    title: 'one in time before them',
    listings: [...late(0, 1, now - 70_000, 0), ...late(capMs + 1, 5)],
    lagMs: capMs + 1,
  },
  {
    title: 'holes of the list that are filled at once',
    listings: late(capMs + 1, 50, now, 59_999),
    lagMs: null,
  },
  {
    title: 'late ones of more than five minutes ago',
    listings: late(capMs + 1, 9, now - 300_000),
    lagMs: null,
  },
])('records: $title', ({ listings, lagMs }) => {
  expect(judgeListLag({ ...none, listings }, capMs, now)?.lagMs ?? null).toBe(lagMs)
})

test.each([
  { title: 'two transfers on the chains after the newest record', unlisted: [2, 3], lagMs: 200_000 },
  { title: 'a single one', unlisted: [2], lagMs: null },
  { title: 'one of them older than the newest record', unlisted: [-1, 2], lagMs: null },
  { title: 'one of them not over yet', unlisted: [2, 200_000 - capMs], lagMs: null },
])('chains: $title', ({ unlisted, lagMs }) => {
  const newestListedAt = now - 200_000
  const known = { ...none, newestListedAt, readAt: now, unlisted: unlisted.map((ms) => newestListedAt + ms) }
  expect(judgeListLag(known, capMs, now)?.lagMs ?? null).toBe(lagMs)
})

test.each([
  { title: 'nothing came yet', listings: [], is: 300_000 },
  { title: 'four came late', listings: late(200_000, 4), is: 300_000 },
  {
    title: 'five came late that were on their way still',
    listings: late(200_000, 5).map((one) => ({ ...one, hasArrived: false })),
    is: 300_000,
  },
  { title: 'five came late at once', listings: late(200_000, 5, now, 0), is: 300_000 },
  { title: 'five came late over a minute', listings: late(200_000, 5), is: 260_000 },
  { title: 'five did hours ago', listings: late(200_000, 5, now - 10_000_000), is: 260_000 },
  {
    title: 'one of twenty was filled in long after',
    listings: [...late(200_000, 19), ...late(9e9, 1, now, 0)],
    is: 260_000,
  },
  { title: 'they came later than what is waited for', listings: late(3_000_000, 5), is: 900_000 },
  { title: 'one came in time', listings: [...late(200_000, 9), ...late(capMs, 1, now, 0)], is: null },
  {
    title: 'one came in time, and four late since',
    listings: [...late(0, 1), ...late(200_000, 4)],
    is: null,
  },
])('within what time all records come that come late: $title', ({ listings, is }) => {
  expect(learnLateness(listings, 300_000)).toBe(is)
})

/** How long records may take, after so many that took so long each, ms. */
function settleAfter(lags: readonly { readonly ms: number; readonly count: number }[]): number {
  const db = openDatabase(':memory:')
  const insert =
    db.prepare(`INSERT INTO transfers (loose, direction, state, token, source_address, target_address,
    origin_at, first_seen_at, changed_at, read_at, body) VALUES (0, 'MainToZone', 'completed', '', '', '', 0, ?1, 0, 0, '')`)
  for (const { ms, count } of lags) for (let n = 0; n < count; n += 1) insert.run(ms)
  const settle = createSettle(db, { now: () => now })()
  db.close()
  return settle
}

test.each([
  { title: 'too few of them', lags: [{ ms: 80_000, count: 999 }], expected: 60_000 },
  { title: 'prompt ones', lags: [{ ms: 1_000, count: 1_000 }], expected: 30_000 },
  {
    title: 'one of a thousand late',
    lags: [
      { ms: 40_000, count: 1_997 },
      { ms: 75_000, count: 2 },
    ],
    expected: 75_000,
  },
  {
    title: 'one of two thousand late',
    lags: [
      { ms: 40_000, count: 1_999 },
      { ms: 75_000, count: 1 },
    ],
    expected: 40_000,
  },
  { title: 'all of them very late', lags: [{ ms: 300_000, count: 1_000 }], expected: 90_000 },
])('semantics.md 9: how long records may take is learned, of $title', ({ lags, expected }) => {
  expect(settleAfter(lags)).toBe(expected)
})
