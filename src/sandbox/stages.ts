import { nth } from '../lib/nth.ts'
import type { UnixMs } from '../lib/clock.ts'
import { selectors, topicOf, topics, word } from './chain/abi.ts'
import { addExtra } from './chain/mainChain.ts'
import { planEvent, type WorldEvent } from './eventQueue.ts'
import { zoneHeadAt, zoneHeightAt } from './heights.ts'
import type { Stages } from './stageState.ts'
import { draw, getTransfer } from './transfers.ts'
import type { World } from './world.ts'

/** Proposes what has left the zone by now, and plans the next proposal. */
export function propose(world: World, stages: Stages): void {
  planEvent(world.queue, world.now + stages.every, 'propose', 0)
  if (stages.stops.some(({ from, until }) => from <= world.now && world.now < until)) return
  const zoneHeight = zoneHeadAt(world, world.now)
  stages.proposals.push({ at: world.now, zoneHeight })
  say(world, world.contracts.poster, {
    methodId: selectors.proposeRoot,
    topics: [topics.rootProposed],
    data: `0x${word(zoneHeight)}`,
  })
  const covered = stages.waiting.filter((number) => leftAt(world, number) <= zoneHeight)
  stages.waiting = stages.waiting.filter((number) => leftAt(world, number) > zoneHeight)
  for (const number of covered) plan(world, stages, number, 'prove')
}

/** A step of a withdrawal that was planned, unless its proposal was removed meanwhile. */
export function takeStep(world: World, stages: Stages, { at, subject: number }: WorldEvent): void {
  const next = stages.next.get(number)
  if (next === undefined || next.at !== at) return
  if (next.step === 'claim') {
    stages.next.delete(number)
    world.destinationAt[number] = world.now
    world.recordCache.delete(number)
    planEvent(world.queue, world.now, 'mainLeg', number)
    // A list that shows only what is complete shows it from now on.
    if (world.traffic.inFlight === 'hidden') planEvent(world.queue, world.now + 2_000, 'list', number)
    return
  }
  const { targetAddress, zone } = getTransfer(world, number)
  say(world, targetAddress, {
    methodId: selectors.proveWithdrawal,
    topics: [topics.withdrawalProven, zone?.hash ?? topicOf(0)],
    data: '0x',
  })
  plan(world, stages, number, 'claim')
}

/** Takes back every proposal since a time: what rests on them waits for another one, and is proven again. */
export function removeProposals(world: World, stages: Stages, since: UnixMs): void {
  const [first] = stages.proposals.filter(({ at }) => at >= since)
  if (first === undefined) return
  stages.proposals = stages.proposals.filter(({ at }) => at < since)
  say(world, world.contracts.owner, {
    methodId: selectors.removeRoot,
    topics: [topics.rootRemoved],
    data: `0x${word(first.zoneHeight)}`,
  })
  const covered = stages.proposals.at(-1)?.zoneHeight ?? 0
  for (const number of stages.next.keys()) {
    if (leftAt(world, number) <= covered) continue
    stages.next.delete(number)
    stages.waiting.push(number)
  }
}

function plan(world: World, stages: Stages, number: number, step: 'prove' | 'claim'): void {
  if (world.specials.get(number)?.nobody === step) {
    stages.next.set(number, { step, at: null })
    return
  }
  const { min, max } = stages[step]
  const restMs = step === 'claim' ? stages.dispute : 0
  const took = min + (max - min) * draw(world, nth(world.keys, number), step === 'claim' ? 27 : 26)
  const at = world.now + restMs + Math.round(took)
  stages.next.set(number, { step, at })
  planEvent(world.queue, at, 'step', number)
}

/** The height of the zone block in which a withdrawal left. */
function leftAt(world: World, number: number): number {
  return zoneHeightAt(world, nth(world.originAt, number))
}

function say(
  world: World,
  from: string,
  of: { readonly methodId: string; readonly topics: readonly string[]; readonly data: string },
): void {
  const { bridge } = world.contracts
  const logs = [{ address: bridge, topics: of.topics, data: of.data }]
  addExtra(world, { at: world.now, from, to: bridge, methodId: of.methodId, logs, moves: [] })
}
