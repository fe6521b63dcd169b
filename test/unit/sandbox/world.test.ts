import { fc, timesOf } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { recordOf } from '../../../src/sandbox/record.ts'
import { parseScenario } from '../../../src/sandbox/scenario.ts'
import { worldFaults } from '../../../src/sandbox/createSandbox.ts'
import { createWorld, type World } from '../../../src/sandbox/world.ts'
import { advanceWorld } from '../../../src/sandbox/worldTime.ts'

const startAt = Date.UTC(2026, 10, 21)
const yaml = `
name: test
history: { for: 10m, transfers: 60 }
timeline:
  - { at: -2m, fault: transfer.stalled, for: 3m }
  - { at: 5s, fault: transfer.failed, count: 3, spacing: 1s }
  - { at: 10s, for: 20s, fault: head.stall, chain: zone }
  - { at: 30s, fault: record.rewritten }
`
const build = (seed: number): World => {
  const { traffic, history, timeline } = parseScenario(yaml, 'test.yaml')
  return createWorld({ seed, startAt, traffic, history, timeline: worldFaults(timeline) })
}
const shown = (world: World) => world.listed.values.map((number) => recordOf(world, number))

describe('a world', () => {
  test('is the same at an instant however time got there', () => {
    const whole = build(1)
    advanceWorld(whole, startAt + 60_000)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -600_000, max: 60_000 }), { maxLength: 8 }), (stops) => {
        const stepped = build(1)
        for (const stop of stops.sort((a, b) => a - b)) advanceWorld(stepped, startAt + stop)
        advanceWorld(stepped, startAt + 60_000)
        expect(shown(stepped)).toEqual(shown(whole))
      }),
      { numRuns: timesOf(20) },
    )
  })

  test('is another with another seed', () => {
    const [one, two] = [build(1), build(2)]
    for (const world of [one, two]) advanceWorld(world, startAt)
    expect(shown(one)[0]).not.toEqual(shown(two)[0])
  })

  test('does not go back when the clock does', () => {
    const world = build(1)
    advanceWorld(world, startAt + 20_000)
    const before = shown(world)
    advanceWorld(world, startAt)
    expect(shown(world)).toEqual(before)
  })

  test('shows no leg before its block is there', () => {
    const world = build(3)
    for (let at = -600_000; at <= 60_000; at += 1_500) {
      advanceWorld(world, startAt + at)
      const times = shown(world).flatMap((record) => [record.mainBlockTime, record.zoneBlockTime])
      expect(Math.max(0, ...times.map(Number))).toBeLessThanOrEqual(startAt + at)
    }
  })

  test('holds a history of the size asked for, deposits and withdrawals', () => {
    const world = build(4)
    advanceWorld(world, startAt)
    const types = shown(world).map((record) => record.txType)
    expect(types.length).toBeGreaterThan(35)
    expect(types.length).toBeLessThan(95)
    expect(new Set(types).size).toBe(2)
  })

  test('gives batches whose items add up to the record', () => {
    const { traffic, history } = parseScenario(
      '{ name: test, traffic: { depositShare: 0, batches: 1 }, history: { transfers: 400 } }',
      'x',
    )
    const world = createWorld({ seed: 5, startAt, traffic, history })
    advanceWorld(world, startAt)
    const batches = shown(world).filter((record) => record.crossType === 'BatchWithdraw')
    const sums = batches.map((record) => {
      const detail = JSON.parse(record.batchDetail) as { amount: string }[] | { amounts: string[] }
      const amounts = Array.isArray(detail) ? detail.map((item) => item.amount) : detail.amounts
      return amounts.reduce((sum, amount) => sum + BigInt(amount), 0n).toString()
    })
    expect(batches.length).toBeGreaterThan(3)
    expect(sums).toEqual(batches.map((record) => record.valueRaw))
  })
})
