import { expect, test } from 'vitest'
import { judgeListLag } from '../../../src/domain/listLag.ts'

const capMs = 90_000
const now = 10_000_000
const none = { listings: [], unlisted: [], newestListedAt: null, readAt: null }
const late = (lagMs: number, count: number, at = now - 1_000) =>
  Array.from({ length: count }, () => ({ at, lagMs }))

test.each([
  { title: 'five late records and none in time', listings: late(capMs + 1, 5), lagMs: capMs + 1 },
  { title: 'five at the bound', listings: late(capMs, 5), lagMs: null },
  { title: 'four late records', listings: late(capMs + 1, 4), lagMs: null },
  { title: 'one in time among them', listings: [...late(capMs + 1, 9), ...late(0, 1)], lagMs: null },
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
