import { expect, test } from 'vitest'
import { createEventRetries } from '../../../src/kernel/eventRetries.ts'
import type { ReadingResult } from '../../../src/kernel/reads/reads.ts'
import { createRule } from '../alerts/harness.ts'

function setUp() {
  const noted: string[] = []
  const judged: (readonly string[])[] = []
  const live = { fails: true, rollbacks: 0 }
  const retries = createEventRetries({
    db: { rollbacks: () => live.rollbacks },
    live: { rules: [createRule({ name: 'failed' })] },
    engine: {
      keepCondition: (rule, reason) => void noted.push(`${rule.name}: ${reason}`),
      applyCondition: (rule) => void noted.push(`${rule.name}: well`),
    },
  })
  const commit = ({ judge = [] }: ReadingResult) => {
    judged.push(judge)
    for (const key of judge) if (live.fails) retries.failed('failed', key, 'a bug')
    return { news: 0, hasUrgent: false }
  }
  return { noted, judged, live, retries, tick: (now: number) => retries.tick(commit, now) }
}

test('F12: a transfer that a rule failed on is judged again until the rule does not fail', () => {
  const { noted, judged, live, retries, tick } = setUp()
  retries.failed('failed', 't1', 'a bug')
  tick(0)
  tick(9_999)
  expect(judged).toEqual([['t1']])
  tick(10_000)
  expect(noted).toEqual(['failed: a bug', 'failed: a bug'])
  live.fails = false
  tick(20_000)
  tick(30_000)
  expect(judged).toHaveLength(3)
  expect(noted.at(-1)).toBe('failed: well')
})

test('many are judged again in portions, each once a round', () => {
  const { judged, live, retries, tick } = setUp()
  live.fails = false
  for (let index = 0; index < 450; index += 1) retries.failed('failed', `t${index}`, 'a bug')
  for (const now of [0, 10_000, 20_000, 30_000]) tick(now)
  expect(judged.map((keys) => keys.length)).toEqual([200, 200, 50])
  expect(new Set(judged.flat()).size).toBe(450)
})

test('however many they are, each is judged again', () => {
  const { judged, live, retries, tick } = setUp()
  live.fails = false
  for (let index = 0; index < 10_001; index += 1) retries.failed('failed', `t${index}`, 'a bug')
  for (let round = 0; round <= 51; round += 1) tick(round * 10_000)
  expect(judged.flat()).toContain('t10000')
})

test('what was judged again in a transaction that came to nothing is judged once more', () => {
  const { judged, live, retries, tick } = setUp()
  live.fails = false
  retries.failed('failed', 't1', 'a bug')
  tick(0)
  live.rollbacks += 1
  for (const now of [10_000, 20_000]) tick(now)
  expect(judged).toEqual([['t1'], ['t1']])
})

test('nothing failed, nothing is asked', () => {
  const { judged, noted, tick } = setUp()
  tick(0)
  expect([judged, noted]).toEqual([[], []])
})
