import { nth } from '../lib/nth.ts'
import type { UnixMs } from '../lib/clock.ts'
import { forgetHistory } from './chain/history.ts'
import { forgetBlock } from './chain/mainChain.ts'
import { peekEvent, planEvent, takeEvent, type WorldEvent } from './eventQueue.ts'
import { mainBlockTime, mainHeightAt, zoneBlockTime, zoneHeightAt } from './heights.ts'
import { addListed, isListed, removeListed } from './listIndex.ts'
import { insertSorted, removeSorted } from './sortedIndex.ts'
import { propose, takeStep } from './stages.ts'
import { directionAt, directionOf, draw, legTime, injectedKey, tokenOf } from './transfers.ts'
import type { Direction, TransferSpec } from './transferSpec.ts'
import { type LegSums, listLagMs, type World } from './world.ts'

/** Lets everything happen that happens up to `to`. Time never goes back here, even when the clock does. */
export function advanceWorld(world: World, to: UnixMs): void {
  if (world.now === Number.NEGATIVE_INFINITY) begin(world)
  for (;;) {
    const event = peekEvent(world.queue)
    const at = Math.min(event?.at ?? Number.POSITIVE_INFINITY, world.nextArrivalAt)
    if (at > to) break
    world.now = Math.max(world.now, at)
    if (event && event.at <= world.nextArrivalAt) {
      takeEvent(world.queue)
      happen(world, event)
    } else arrive(world)
  }
  world.now = Math.max(world.now, to)
}

/** Adds one transfer from outside the ordinary traffic, now unless it says otherwise; gives its number. */
export function injectTransfer(world: World, spec: TransferSpec): number {
  const key = injectedKey(world.injected.length)
  const originAt = spec.originAt ?? world.now
  const direction = spec.direction ?? directionOf(world, key)
  const destinationAt = spec.destinationAt ?? arrivalOf(world, key, direction, originAt)
  const number = addTransfer(world, key, originAt, destinationAt, { ...spec, direction })
  world.injected.push(number)
  if (spec.sameOriginAs !== undefined) share(world, nth(world.zoneOwner, spec.sameOriginAs), number)
  return number
}

/** Changes what is out of the ordinary about a transfer that exists already. */
export function amendTransfer(world: World, number: number, change: TransferSpec): void {
  forgetHistory(world)
  world.zoneBlockCache.clear()
  world.recordCache.clear()
  const wasListed = isListed(world, number)
  // Out of the lists of its old names, and into those of its new ones: its place among equals may change in neither.
  const place = world.listIndex.listedAs[number]
  if (wasListed) removeListed(world, number)
  world.specials.set(number, { ...world.specials.get(number), ...change })
  if (wasListed) addListed(world, number, place)
  if (change.unlistedAt !== undefined) planEvent(world.queue, change.unlistedAt, 'unlist', number)
  if (change.listedAt !== undefined && Number.isFinite(change.listedAt)) {
    planEvent(world.queue, change.listedAt, 'list', number)
  }
}

function begin(world: World): void {
  world.now = world.genesisAt
  world.timeline.forEach((fault, place) =>
    planEvent(world.queue, Math.max(fault.at, world.genesisAt), 'fault', place),
  )
  if (world.stages !== null) planEvent(world.queue, world.genesisAt, 'propose', 0)
  world.nextArrivalAt = nextArrival(world, world.genesisAt)
}

function happen(world: World, event: WorldEvent): void {
  switch (event.kind) {
    case 'mainLeg':
      return addMainLeg(world, event.subject)
    case 'zoneLeg':
      return addZoneLeg(world, event.subject)
    case 'list':
      return list(world, event.subject)
    case 'unlist':
      return unlist(world, event.subject)
    case 'fault':
      return world.timeline[event.subject]?.apply(world)
    case 'propose':
      return world.stages === null ? undefined : propose(world, world.stages)
    case 'step':
      return world.stages === null ? undefined : takeStep(world, world.stages, event)
    default:
      return event.kind satisfies never
  }
}

function addZoneLeg(world: World, number: number): void {
  const height = zoneHeightAt(world, legTime(world, number, 'zone'))
  world.zoneBlockCache.delete(height)
  if (height < (world.zoneLegs.keys.at(-1) ?? 0)) forgetSums(world.supplySums)
  insertSorted(world.zoneLegs, height, number)
}

function addMainLeg(world: World, number: number): void {
  const height = mainHeightAt(world, legTime(world, number, 'main'))
  forgetBlock(world, height)
  if (height < (world.mainLegs.keys.at(-1) ?? 0)) forgetSums(world.escrowSums)
  insertSorted(world.mainLegs, height, number)
}

/** Sums over the legs so far stay right only while new ones come behind them. */
function forgetSums(sums: LegSums): void {
  sums.legs = 0
  sums.byToken.clear()
}

/** A record appears once the list has come as far as it; while the list stands still it waits. */
function list(world: World, number: number): void {
  const origin = directionAt(world, number) === 'MainToZone' ? 'main' : 'zone'
  const waiting = world.stalls.find(
    (stall) =>
      (stall.of === 'list' || stall.of === origin) && stall.from <= world.now && world.now < stall.until,
  )
  if (!waiting) {
    insertSorted(world.listed, nth(world.originAt, number), number)
    return addListed(world, number)
  }
  if (Number.isFinite(waiting.until)) planEvent(world.queue, waiting.until + 1, 'list', number)
}

function unlist(world: World, number: number): void {
  removeSorted(world.listed, nth(world.originAt, number), number)
  removeListed(world, number)
}

function arrive(world: World): void {
  const originAt = world.nextArrivalAt
  if (isLost(world, originAt)) {
    world.ordinary.push(-1)
    world.nextKey += 1
    world.nextArrivalAt = nextArrival(world, originAt)
    return
  }
  const first = addOrdinary(world, originAt)
  world.nextArrivalAt = nextArrival(world, originAt)
  const key = nth(world.keys, first)
  if (directionAt(world, first) !== 'ZoneToMain' || draw(world, key, 20) >= world.traffic.bundles) return
  const more = 1 + Math.floor(draw(world, key, 21) * 2)
  for (let count = 0; count < more; count += 1)
    share(world, first, addOrdinary(world, originAt, 'ZoneToMain'))
}

/** Whether the next transfer does not happen because of a lull. */
function isLost(world: World, at: UnixMs): boolean {
  const lull = world.lulls.find((each) => each.from <= at && at < each.until)
  return lull !== undefined && draw(world, world.nextKey, 25) >= lull.share
}

/** When a transfer arrives, given when it would: later while its route delivers nothing. */
function delivered(world: World, key: number, direction: Direction, at: UnixMs): UnixMs {
  const closure = world.closures.find(
    (each) =>
      each.from <= at &&
      at < each.until &&
      (each.direction ?? direction) === direction &&
      (each.token === undefined || each.token === tokenOf(world, key, {}).symbol),
  )
  return closure ? closure.until + latencyMs(world, key, direction) : at
}

function addOrdinary(world: World, originAt: UnixMs, direction?: 'ZoneToMain'): number {
  const key = world.nextKey++
  const way = direction ?? directionOf(world, key)
  const partner = way === 'ZoneToMain' ? payoutPartner(world, key, originAt) : null
  const destinationAt =
    partner === null
      ? delivered(world, key, way, arrivalOf(world, key, way, originAt))
      : nth(world.destinationAt, partner)
  const number = addTransfer(world, key, originAt, destinationAt, direction && { direction })
  world.ordinary.push(number)
  if (partner !== null) {
    world.mainOwner[number] = partner
    world.sharedMain.set(partner, [partner, number])
  }
  if (way === 'ZoneToMain') world.lastPayout = number
  return number
}

function addTransfer(
  world: World,
  key: number,
  originAt: UnixMs,
  destinationAt: UnixMs,
  special: TransferSpec | undefined,
): number {
  const number = world.keys.length
  world.keys.push(key)
  world.originAt.push(originAt)
  world.destinationAt.push(destinationAt)
  world.mainOwner.push(number)
  world.zoneOwner.push(number)
  if (special) world.specials.set(number, special)
  planTransfer(world, number, special ?? {})
  return number
}

function planTransfer(world: World, number: number, special: TransferSpec): void {
  const { queue } = world
  const originAt = nth(world.originAt, number)
  const destinationAt = nth(world.destinationAt, number)
  const deposit = directionAt(world, number) === 'MainToZone'
  if (special.originAbsent === undefined) planEvent(queue, originAt, deposit ? 'mainLeg' : 'zoneLeg', number)
  if (Number.isFinite(destinationAt)) planEvent(queue, destinationAt, deposit ? 'zoneLeg' : 'mainLeg', number)
  if (world.stages !== null && !deposit && special.destinationAt === undefined)
    world.stages.waiting.push(number)
  const listedAt = special.listedAt ?? firstListedAt(world, number, deposit, special)
  if (Number.isFinite(listedAt)) planEvent(queue, Math.max(listedAt, world.now), 'list', number)
  if (special.unlistedAt !== undefined) planEvent(queue, special.unlistedAt, 'unlist', number)
}

function firstListedAt(world: World, number: number, deposit: boolean, special: TransferSpec): UnixMs {
  const hidden = world.traffic.inFlight === 'hidden' || special.originAbsent !== undefined
  const leg = nth(hidden ? world.destinationAt : world.originAt, number)
  const onMain = deposit !== hidden
  const height = onMain ? mainHeightAt(world, leg) : zoneHeightAt(world, leg)
  const blockAt = onMain ? mainBlockTime(world, height) : zoneBlockTime(world, height)
  return blockAt + listLagMs(world, nth(world.keys, number), 0)
}

/** Puts a withdrawal into the zone transaction of another. */
function share(world: World, owner: number, number: number): void {
  world.zoneOwner[number] = owner
  world.zoneBlockCache.clear()
  world.sharedZone.set(owner, [...(world.sharedZone.get(owner) ?? [owner]), number])
}

/** A relayer pays two withdrawals that wait at the same time in one main transaction: the earlier one, or null. */
function payoutPartner(world: World, key: number, originAt: UnixMs): number | null {
  const previous = world.lastPayout
  if (previous < 0 || draw(world, key, 22) >= world.traffic.sharedPayouts) return null
  const waits =
    Number.isFinite(world.destinationAt[previous]) && nth(world.destinationAt, previous) >= originAt + 2_000
  return waits && world.mainOwner[previous] === previous ? previous : null
}

/** When it arrives by itself; what passes stages does so once it is claimed. */
function arrivalOf(world: World, key: number, direction: Direction, originAt: UnixMs): UnixMs {
  return world.stages !== null && direction === 'ZoneToMain'
    ? Number.POSITIVE_INFINITY
    : originAt + latencyMs(world, key, direction)
}

function latencyMs(world: World, key: number, direction: Direction): number {
  const { min, max } =
    direction === 'MainToZone' ? world.traffic.depositLatency : world.traffic.withdrawalLatency
  // Squared: most are quick, a few take long, none longer than the maximum.
  return Math.round(min + (max - min) * draw(world, key, 23) ** 2)
}

function nextArrival(world: World, from: UnixMs): UnixMs {
  const u = -Math.log(1 - draw(world, world.nextKey, 24))
  const historyRate = world.history.for === 0 ? 0 : world.history.transfers / world.history.for
  const liveRate = world.traffic.transfersPerMinute / 60_000
  const inHistory = from + u / historyRate
  if (from < world.startAt && inHistory < world.startAt) return Math.ceil(inHistory)
  return Math.ceil(Math.max(from, world.startAt) + u / liveRate)
}
