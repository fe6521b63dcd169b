import { describe, expect, test } from 'vitest'
import { worldFaults } from '../../../src/sandbox/createSandbox.ts'
import { mainHead, mainTransactions } from '../../../src/sandbox/chain/mainChain.ts'
import { recordOf } from '../../../src/sandbox/record.ts'
import { loadScenario } from '../../../src/sandbox/scenario.ts'
import { createWorld } from '../../../src/sandbox/world.ts'
import { advanceWorld } from '../../../src/sandbox/worldTime.ts'

const startAt = Date.UTC(2026, 10, 21)

async function play(name: string, ms: number) {
  const { seed, traffic, history, timeline } = await loadScenario(name)
  const world = createWorld({ seed, startAt, traffic, history, timeline: worldFaults(timeline) })
  advanceWorld(world, startAt + ms)
  return world
}

describe('an incident shows on the chains within its first two minutes', () => {
  test.each([
    'ronin-2022',
    'wormhole-2022',
    'nomad-2022',
    'harmony-2022',
    'bnb-2022',
    'qubit-2022',
    'poly-2021',
    'multichain-2023',
    'orbit-2023',
    'ronin-2024',
    'shibarium-2025',
    'hyperbridge-2026',
    'kelpdao-2026',
    'stuck-2023',
    'reprove-2024',
  ])('%s', async (name) => {
    const world = await play(name, 120_000)
    const traces = world.injected.length + world.extras.length + world.closures.length + world.challenges.size
    expect(traces).toBeGreaterThan(0)
    expect(mainTransactions(world, mainHead(world)).length).toBeGreaterThan(0)
  })
})

test('the default scenario fails one withdrawal and stalls another within 15 s, and nothing else', async () => {
  const world = await play('default', 90_000)
  const records = world.listed.values.map((number) => recordOf(world, number))
  const failed = records.filter((record) => record.status === '0x0').map((record) => record.value)
  const old = records.filter(
    (record) => Number(record.zoneBlockTime || record.mainBlockTime) < startAt + 40_000,
  )
  const waiting = old.filter((record) => record.status === '0x1' && !(record.mainTxHash && record.zoneTxHash))
  expect(failed).toEqual(['3.2504'])
  expect(waiting.map((record) => record.value)).toEqual(['18250.75'])
})

test('the storm holds 401 failures, one of them far larger than all others', async () => {
  const world = await play('storm', 60_000)
  const failed = world.listed.values
    .map((number) => recordOf(world, number))
    .filter((record) => record.status === '0x0')
  expect(failed).toHaveLength(401)
  expect(failed.some((record) => record.value === '9750000')).toBe(true)
})

test('the healthy scenario has no failure and nothing that waits over 30 s', async () => {
  const world = await play('healthy', 600_000)
  const records = world.listed.values.map((number) => recordOf(world, number))
  const waiting = records.filter((record) => !(record.mainTxHash && record.zoneTxHash))
  const ages = waiting.map(
    (record) => startAt + 600_000 - Number(record.zoneBlockTime || record.mainBlockTime),
  )
  expect(records.filter((record) => record.status !== '0x1')).toEqual([])
  expect(Math.max(0, ...ages)).toBeLessThan(30_000)
})
