import { expect, test } from 'vitest'
import { judgeListLag } from '../../../src/kernel/listLag.ts'

const capMs = 90_000
const now = 10_000_000
const none = { listings: [], unlisted: [], newestListedAt: null, readAt: null }
/** The newest one listed at `at`, the others before it, all within `overMs`. */
const late = (lagMs: number, count: number, at = now - 1_000, overMs = 60_000) =>
  Array.from({ length: count }, (_, n) => ({
    at: at - overMs + (overMs * n) / Math.max(1, count - 1),
    lagMs,
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
