import { expect, test } from 'vitest'
import { topics } from '../../../src/sandbox/chain/abi.ts'
import { worldFaults } from '../../../src/sandbox/createSandbox.ts'
import { parseScenario } from '../../../src/sandbox/scenario.ts'
import { createWorld, type World } from '../../../src/sandbox/world.ts'
import { advanceWorld } from '../../../src/sandbox/worldTime.ts'

const minute = 60_000
const startAt = Date.UTC(2026, 2, 1)

function open(timeline: string): World {
  const scenario = parseScenario(
    `name: x
traffic: { transfersPerMinute: 4 }
history: { for: 0s, transfers: 0 }
stages: { every: 2m, prove: { min: 5s, max: 40s }, dispute: 4m, claim: { min: 5s, max: 40s } }
timeline:${timeline}`,
    'x.yaml',
  )
  return createWorld({ ...scenario, startAt, timeline: worldFaults(scenario.timeline) })
}

/** When each event of a stage was written, in ms since the start. */
function eventsOf(world: World, topic: string): number[] {
  return world.extras.filter(({ logs }) => logs[0]?.topics[0] === topic).map(({ at }) => at - startAt)
}

function countPaid(world: World): number {
  return world.destinationAt.filter(
    (at, number) => at <= world.now && world.stages !== null && !world.stages.next.has(number),
  ).length
}

test('withdrawals are proposed on schedule, proven, and paid once their proof was not disputed', () => {
  const world = open(' []\n')
  advanceWorld(world, startAt + 20 * minute)
  const proposed = eventsOf(world, topics.rootProposed)
  expect(proposed).toEqual(Array.from({ length: 11 }, (_, place) => place * 2 * minute))
  expect(eventsOf(world, topics.withdrawalProven).length).toBeGreaterThan(5)
  expect(countPaid(world)).toBeGreaterThan(5)
})

test('it is the same world in whichever steps time moves', () => {
  const timeline = `
  - { at: 5m, fault: proposal.removed, back: 3m }
  - { at: 9m, for: 5m, fault: proposal.stopped }
`
  const [once, often] = [open(timeline), open(timeline)]
  advanceWorld(once, startAt + 20 * minute)
  for (let at = startAt; at <= startAt + 20 * minute; at += 7_000) advanceWorld(often, at)
  advanceWorld(often, startAt + 20 * minute)
  expect([often.destinationAt, often.extras]).toEqual([once.destinationAt, once.extras])
  expect(eventsOf(once, topics.rootRemoved)).toEqual([5 * minute])
  const stopped = eventsOf(once, topics.rootProposed).filter((at) => at > 9 * minute && at < 14 * minute)
  expect(stopped).toEqual([])
})

test('what was proven by a proposal that is removed is proven again by the next', () => {
  const world = open(`
  - { at: 1m, fault: transfer.normal, direction: ZoneToMain, token: USDC, amount: "7" }
  - { at: 3m, fault: proposal.removed, back: 2m }
`)
  advanceWorld(world, startAt + 20 * minute)
  const hashes = world.extras
    .filter(({ logs }) => logs[0]?.topics[0] === topics.withdrawalProven)
    .map(({ logs }) => logs[0]?.topics[1])
  const twice = hashes.filter((hash, place) => hashes.indexOf(hash) !== place)
  expect(twice.length).toBeGreaterThan(0)
})

test.each([
  ['prove', 0],
  ['claim', 1],
])('one of which nobody takes the step `%s` is never paid', (step, proofs) => {
  const world = open(`
  - { at: 1m, fault: withdrawal.forgotten, token: USDC, amount: "7", step: ${step} }
  - { at: 1s, fault: flow.quiet }
`)
  advanceWorld(world, startAt + 20 * minute)
  const number = world.injected[0] ?? -1
  expect(world.destinationAt[number]).toBe(Number.POSITIVE_INFINITY)
  expect(eventsOf(world, topics.withdrawalProven).filter((at) => at > 2 * minute)).toHaveLength(proofs)
})
