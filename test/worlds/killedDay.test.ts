import { expect, test } from 'vitest'
import { mixUnit } from '../../src/sandbox/random.ts'
import { liveDay } from '../integration/alerts/dayOfKills.ts'

const steps = 80
const randomOf = (seed: number) => {
  let drawn = 0
  return () => mixUnit(seed, drawn++)
}

test('F4: kill -9 at random times over a scripted day: the same transitions as without, few repeats, each marked', async () => {
  const random = randomOf(20_261_121)
  const whole = await liveDay({ steps, kills: 0, random })
  const torn = await liveDay({ steps, kills: 8, random })
  expect(whole.transitions.size).toBeGreaterThan(90)
  expect([...torn.transitions].sort()).toEqual([...whole.transitions].sort())
  expect(torn.kills).toBeGreaterThan(3)
  // Two lanes of one channel: at most two messages are being sent when a process dies.
  expect(torn.repeated).toBeLessThanOrEqual(torn.kills * 2)
  const seen = new Set<string>()
  const unmarked = torn.messages.filter(({ id, attempt }) => {
    const isAgain = seen.has(id)
    seen.add(id)
    return isAgain && attempt === 1
  })
  expect(unmarked).toEqual([])
}, 120_000)

test('F2: killed between commit and delivery: everything is told after the restart, and nothing twice', async () => {
  const whole = await liveDay({ steps: 5, kills: 0, random: Math.random })
  const torn = await liveDay({ steps: 5, kills: 3, random: Math.random, dieAt: 'after-commit' })
  expect(torn.kills).toBe(3)
  expect([...torn.transitions].sort()).toEqual([...whole.transitions].sort())
  expect(torn.repeated).toBe(0)
}, 60_000)

test('F3: killed before the commit: the same range is read again, and told once', async () => {
  const whole = await liveDay({ steps: 3, kills: 0, random: Math.random })
  const torn = await liveDay({ steps: 3, kills: 1, random: Math.random, dieAt: 'before-commit' })
  expect([...torn.transitions].sort()).toEqual([...whole.transitions].sort())
  expect(torn.repeated).toBe(0)
}, 60_000)
