import { type Channel, listsRest } from './channels/message.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import type { Delivery } from '../alerts/store/outboxDeliveries.ts'
import { expiryOf } from '../alerts/engineContext.ts'
import { messageIdOf } from '../alerts/fingerprint.ts'

/** One of a channel's two queues. It has at most one message under way; what else comes joins the next. */
export interface Lane {
  readonly channel: Channel
  readonly isCritical: boolean
  isSending: boolean
  hold: Hold
  /** Shared by both lanes of a channel; null where nothing limits it. */
  readonly bucket: { value: Bucket } | null
  readonly pause: Pause
  readonly twin: () => Lane
}

/** Until when the whole channel asked us to wait, and since when it has done so without taking anything; monotonic. */
interface Pause {
  until: number
  since: number
}

export function createLane(channel: Channel, now: number): { readonly critical: Lane; readonly other: Lane } {
  const pace = paces[channel.type]
  const bucket = pace === null ? null : { value: fullBucket(now, pace) }
  const shared = { channel, bucket, pause: { until: -Infinity, since: -Infinity } }
  const critical: Lane = { ...shared, isCritical: true, isSending: false, hold: noHold, twin: () => other }
  const other: Lane = { ...shared, isCritical: false, isSending: false, hold: noHold, twin: () => critical }
  return { critical, other }
}

export function laneIsQuiet(lane: Lane): boolean {
  return !lane.isSending
}

export interface LaneDeps {
  readonly store: AlertStore
  readonly clock: Clock
}

export type Next = { readonly delivery: Delivery } | { readonly waitMs: number }

const idleMs = 30_000
/** A retry that seems further away was written before the wall clock went back. */
const longestRetryMs = 16 * 60_000
const longestMailRetryMs = 75 * 60_000
/** Mail and webhook list every item: a message of more would be megabytes, and building it would hold up everything. */
const itemsListed = 1_250
const itemsCounted = 5_000
/** After this many failures of one message another may try: perhaps it is the message and not the channel. */
const stuckAttempts = 3
/** Where two fail already, so long after the second was made, and twice as long after each that stays a message of its own. */
const nextTryMs = 60_000
const longestTryMs = 3_600_000
/** What failed beside another joins it where they are about as old: neither has much less time than it had. */
const joinedMs = 3_600_000

/** The message that the lane is to send now, marked as being sent in the ledger; or how long to wait. */
export function nextDelivery(deps: LaneDeps, lane: Lane): Next {
  const now = deps.clock.now()
  const mono = deps.clock.monotonicMs()
  if (mono < lane.pause.until) return { waitMs: lane.pause.until - mono }
  const waiting = deps.store
    .listDeliveries({ channel: lane.channel.name, isCritical: lane.isCritical })
    .filter((delivery) => delivery.state === 'waiting')
  const longestMs = lane.channel.type === 'email' ? longestMailRetryMs : longestRetryMs
  const retry = waiting.find(({ nextAt }) => nextAt <= now || nextAt > now + longestMs)
  const other = retry ? findOther(deps, { lane, waiting }, now) : null
  // Each probe with another one: perhaps it is the message and not the channel.
  if (other !== null && other !== lane) return { waitMs: idleMs }
  if (retry)
    return takePlace(lane, mono, () => {
      const next = other === null ? null : claim(deps, lane, { retryIn: 0, failing: [] })
      return next !== null && 'delivery' in next ? next : resend(deps, retry)
    })
  const retryIn = Math.min(idleMs, ...waiting.map(({ nextAt }) => nextAt - now))
  const first = deps.store.findFirstItem({ channel: lane.channel.name, isCritical: lane.isCritical })
  if (first === null) return { waitMs: retryIn }
  if (first.notBefore > now) {
    if (first.createdAt <= now) return { waitMs: Math.min(retryIn, first.notBefore - now) }
    deps.store.transaction(() => deps.store.hastenFuture(now))
  }
  const failing = listFailing(deps, { lane, waiting }, now)
  const tryIn = untilNextTry(failing, now)
  if (tryIn > 0) return { waitMs: Math.min(retryIn, tryIn) }
  if (mono < lane.hold.until) return { waitMs: Math.min(retryIn, lane.hold.until - mono) }
  return takePlace(lane, mono, () => claim(deps, lane, { retryIn, failing }))
}

/** The lane that has something else to try a channel with which refuses us, where a waiting message was what it refused last. */
function findOther(
  { store }: LaneDeps,
  { lane, waiting }: { readonly lane: Lane; readonly waiting: readonly Delivery[] },
  now: UnixMs,
): Lane | null {
  const { name } = lane.channel
  const { circuit, probeAt } = store.getChannel(name)
  // Where one failed since without being refused, that one is tried again.
  const wasLast = Math.max(...waiting.map(({ nextAt }) => nextAt)) === probeAt
  if (circuit === 'closed' || !wasLast) return null
  const hasItems = ({ isCritical }: Lane) => store.findProbeCase({ channel: name, isCritical }, now) !== null
  return [lane, lane.twin()].find(hasItems) ?? null
}

/** Messages that may fail because the channel does, oldest first: it has taken nothing since they were made. */
function listFailing(
  { store }: LaneDeps,
  { lane, waiting }: { readonly lane: Lane; readonly waiting: readonly Delivery[] },
  now: UnixMs,
): Delivery[] {
  const tookAt = store.readLastAck(lane.channel.name, now) ?? -Infinity
  return waiting
    .filter(({ recipients, createdAt }) => recipients === null && createdAt >= tookAt)
    .toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id)
}

/**
 * While the channel itself fails, what comes joins the next message instead of failing on its own. Whether it is the channel
 * shows only what has not failed yet: it is tried now and then, or two messages that are never taken would keep all others.
 */
function untilNextTry(failing: readonly Delivery[], now: UnixMs): number {
  if (failing.some(({ attempt }) => attempt < stuckAttempts)) return Infinity
  const last = failing.at(-1)
  if (last === undefined || failing.length < 2) return 0
  return last.createdAt + Math.min(nextTryMs * 2 ** (failing.length - 2), longestTryMs) - now
}

/** The last message that failed goes on within the one before it: an outage ends in few messages. */
function joinLast({ store }: Pick<LaneDeps, 'store'>, { channel }: Lane, failing: readonly Delivery[]): void {
  const [before, last] = failing.slice(-2)
  if (before === undefined || last === undefined || last.createdAt - before.createdAt > joinedMs) return
  const count = store.countItemsOf(before.id) + store.countItemsOf(last.id)
  const isOfOne = before.caseId !== null && before.caseId === last.caseId
  // What happened to a case is told within that case, and a pager's incident is one.
  const tellsChanges = [before, last].some(({ id }) => store.listCarriedChanges(id).length > 0)
  const mayJoin = isOfOne || (mostCases(channel) < Infinity && !tellsChanges)
  if (mayJoin && count <= limitOf(channel)) store.joinDelivery(last, before)
}

function limitOf(channel: Channel): number {
  return listsRest(channel) ? itemsListed : itemsCounted
}

function takePlace(lane: Lane, mono: number, begin: () => Next): Next {
  const taken = lane.bucket && takeToken(lane.bucket.value, lane.isCritical, mono)
  if (taken && 'waitMs' in taken) return taken
  const next = begin()
  if (taken && lane.bucket && 'delivery' in next) lane.bucket.value = taken.bucket
  return next
}

function resend({ store }: LaneDeps, retry: Delivery): Next {
  const delivery: Delivery = { ...retry, state: 'sending', attempt: retry.attempt + 1 }
  store.transaction(() => store.saveDelivery(delivery))
  return { delivery }
}

function claim(
  { store, clock }: LaneDeps,
  lane: Lane,
  { retryIn, failing }: { readonly retryIn: number; readonly failing: readonly Delivery[] },
): Next {
  const now = clock.now()
  const { channel, isCritical } = lane
  const limit = limitOf(channel)
  return store.transaction(() => {
    const expiresAt = expiryOf(isCritical ? 'critical' : 'warning', now)
    const only = chooseCase(store, lane, { now, isTry: failing.length >= 2 })
    const caseId = only?.caseId ?? null
    const id = store.insertDelivery({ channel: channel.name, isCritical, expiresAt, caseId }, now)
    const claim = { deliveryId: id, channel: channel.name, isCritical, limit, ...(only && { only }) }
    const count = store.claimItems(claim, now)
    const delivery = count > 0 ? store.getDelivery(id) : null
    if (!delivery) {
      // All that is due waits for a message about the same alerts.
      store.deleteDelivery(id)
      return { waitMs: retryIn }
    }
    for (const one of store.listSuperseded(id))
      store.finishSuperseded(one, { at: now, messageId: messageIdOf(one.deliveryId, store.generation) })
    joinLast({ store }, lane, failing)
    // A full message leaves a rest that is already late, and what joins a case waits for its own minute.
    if (count < limit && caseId === null)
      lane.hold = holdAfter(lane.hold, { count, isCritical }, clock.monotonicMs())
    return { delivery }
  })
}

/**
 * So many cases get a message each; more than these at once are one message about all of them. A pager's incident is a
 * case, however many there are.
 */
function mostCases({ type, followsCases }: Pick<Channel, 'type' | 'followsCases'>): number {
  if (!followsCases) return 3
  return type === 'pagerduty' || type === 'alertmanager' ? Infinity : 20
}

/** The case that the next message is about, the one with the most money first; null for all that is found. */
function chooseCase(
  store: Pick<AlertStore, 'findProbeCase' | 'getChannel' | 'listDueCases'>,
  { channel, isCritical }: Lane,
  { now, isTry }: { readonly now: UnixMs; readonly isTry: boolean },
): { readonly caseId: number | null } | null {
  // Each probe with another one: perhaps it is the message and not the channel.
  if (store.getChannel(channel.name).circuit === 'open')
    return store.findProbeCase({ channel: channel.name, isCritical }, now)
  const due = store.listDueCases({ channel: channel.name, isCritical }, now)
  const [first] = due
  const found = due.filter((one) => one.found > 0)
  // What is refused among others would keep them all.
  if (first === undefined || (!isTry && found.length > mostCases(channel))) return null
  return { caseId: first.caseId }
}

/** How many messages may leave at once, and how fast that is filled again. */
interface Pace {
  readonly burst: number
  readonly perSecond: number
}

/** What each service takes, or less; null where nothing limits it. */
const paces: Readonly<Record<Channel['type'], Pace | null>> = {
  /** A message a second and short bursts, for each webhook. */
  slack: { burst: 3, perSecond: 1 },
  /** The same for an app in each channel. */
  'slack-app': { burst: 3, perSecond: 1 },
  /** 120 calls in any minute, for each integration key; a message may be three of them. */
  pagerduty: { burst: 10, perSecond: 0.5 },
  /** A connector's 60 in half a minute, and no more than a workflow's plan bears. */
  teams: { burst: 3, perSecond: 0.5 },
  /** 30 a minute for each webhook, and five in any two seconds. */
  discord: { burst: 4, perSecond: 0.4 },
  /** 20 a minute to one group. */
  telegram: { burst: 3, perSecond: 0.25 },
  alertmanager: null,
  email: null,
  webhook: null,
  console: null,
}

/** All times are monotonic. */
interface Bucket extends Pace {
  readonly tokens: number
  readonly at: number
}

export function fullBucket(at: number, pace: Pace): Bucket {
  return { ...pace, tokens: pace.burst, at }
}

/**
 * Takes one token. The last one is for critical messages, so that a storm never makes them wait for a refill.
 * @returns the bucket afterwards, or how long to wait
 */
export function takeToken(
  bucket: Bucket,
  isCritical: boolean,
  now: number,
): { readonly bucket: Bucket } | { readonly waitMs: number } {
  const { burst, perSecond } = bucket
  const tokens = Math.min(burst, bucket.tokens + (Math.max(now - bucket.at, 0) / 1_000) * perSecond)
  const needed = isCritical ? 1 : 2
  // Sums of fractions of seconds fall short of whole tokens by rounding.
  if (tokens >= needed - 1e-6) return { bucket: { ...bucket, tokens: tokens - 1, at: now } }
  return { waitMs: Math.ceil(((needed - tokens) / perSecond) * 1_000) }
}

/** How long a lane sends nothing after a digest. */
interface Hold {
  readonly until: number
  readonly stepMs: number
  readonly digestAt: number
}

/** So many items in one message are a storm. */
const stormDepth = 20
const firstHoldMs = 2_000
const longestHoldMs = 60_000
/** A storm of critical alerts is sent in more messages: another one in its middle must not wait. */
const longestCriticalHoldMs = 4_000
const calmMs = 120_000

export const noHold: Hold = { until: -Infinity, stepMs: 0, digestAt: -Infinity }

/**
 * After a message of `count` items. While a storm lasts, digests follow each other at 2, 4, 8 … 60 seconds: its end is
 * sent soon when it was short, and a long one is not a flood.
 */
export function holdAfter(
  hold: Hold,
  of: { readonly count: number; readonly isCritical: boolean },
  now: number,
): Hold {
  if (of.count < stormDepth) return hold
  const longest = of.isCritical ? longestCriticalHoldMs : longestHoldMs
  const stepMs =
    now - hold.digestAt > calmMs ? firstHoldMs : Math.min(Math.max(hold.stepMs * 2, firstHoldMs), longest)
  return { until: now + stepMs, stepMs, digestAt: now }
}
