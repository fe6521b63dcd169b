import { setImmediate } from 'node:timers/promises'
import type { AlertEngine } from '../alerts/alertEngine.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import { runInTurns } from '../lib/steps.ts'
import { type Channel, type DeliveryResult, isTaken } from './channels/message.ts'
import type { Delivery } from '../alerts/store/outboxDeliveries.ts'
import { attemptSending } from './attemptSending.ts'
import { toTestMessage } from './channels/toTestMessage.ts'
import { type ComposeDeps, composeMessage } from './composeMessage.ts'
import { createLane, type Lane, laneIsQuiet, nextDelivery } from './lanes.ts'
import { longestThrottleMs, probeMs } from './planDelivery.ts'
import {
  awayMs,
  buryExpired,
  coverDeadChannel,
  type SettleDeps,
  noteAnswer,
  settleDelivery,
} from './settleDelivery.ts'

export interface DispatcherDeps extends Omit<ComposeDeps, 'store'>, Omit<SettleDeps, 'channels' | 'engine'> {
  readonly engine: Pick<AlertEngine, 'flush' | 'judgeChannels' | 'moveQueued'>
  readonly clock: Clock
  readonly channels: readonly Channel[]
  readonly counts?: ReturnType<typeof createNotificationCounts>
}

export interface Dispatcher {
  /** After each commit that may have queued something. */
  wake(): void
  /** What a channel made of a message that did not come from the outbox. */
  noteAnswer(channel: string, result: DeliveryResult, now: UnixMs): void
  /** Starts nothing new and waits for what is being sent, at most 20 s. May be called twice. */
  stop(): Promise<void>
  /** Messages being sent at this moment. */
  inFlight(): number
  /** How long ago the outbox was last read and written as it should be, ms. */
  idleMs(): number
}

const mostInFlight = 8
const stopMs = 20_000
const idleMs = 30_000
/** What is queued has hours: that needs no look through the queue at each commit. */
const lookMs = 10_000
const failedPauseMs = 2_000
/** What became late while nobody ran has so long from the start on. */
const lateMs = 600_000

interface State {
  readonly deps: DispatcherDeps
  readonly lanes: readonly Lane[]
  readonly running: Set<Promise<void>>
  readonly aborter: AbortController
  isStopping: boolean
  alarm: AbortController
  /** By the monotonic clock. */
  lookedAtMs: number
  /** The same: when to look next for what has expired. */
  lookAtMs: number
}

/**
 * Sends what is in the outbox. For each channel two lanes, critical and other, each with one message at a time: what is
 * queued meanwhile joins the next one. What is being sent is on disk before its first byte leaves.
 */
export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const state: State = {
    deps,
    lanes: createLanes(deps),
    running: new Set(),
    aborter: new AbortController(),
    isStopping: false,
    alarm: new AbortController(),
    lookedAtMs: deps.clock.monotonicMs(),
    lookAtMs: -Infinity,
  }
  recover(state)
  const loop = run(state)
  return {
    // With a reason: without one an error is made of each, with its stack.
    wake: () => state.alarm.abort('woken'),
    noteAnswer(channel, result, now) {
      deps.store.transaction(() => noteAnswer(deps, { channel, result, isToAll: true }, now))
      deps.counts?.count(channel, result.result)
      state.alarm.abort()
    },
    stop: () => stop(state, loop),
    inFlight: () => state.running.size,
    idleMs: () => deps.clock.monotonicMs() - state.lookedAtMs,
  }
}

function createLanes({ channels, clock }: DispatcherDeps): Lane[] {
  const pairs = channels.map((channel) => createLane(channel, clock.monotonicMs()))
  // Critical ones are asked first: they have the first claim on the places in flight.
  return [...pairs.map(({ critical }) => critical), ...pairs.map(({ other }) => other)]
}

/** What was being sent when the last process ended is sent again; what belongs to no channel any more goes elsewhere. */
function recover({ deps }: State): void {
  const now = deps.clock.now()
  const names = new Set(deps.channels.map(({ name }) => name))
  deps.store.transaction(() => {
    const count = deps.store.recoverDeliveries(now)
    if (count > 0)
      deps.log.warn({ count }, 'messages may have been sent before: sent again as their next attempt')
    for (const { id, channel } of deps.store.listAllDeliveries()) {
      if (names.has(channel)) continue
      deps.store.releaseItems(id, now)
      deps.store.deleteDelivery(id)
    }
    deps.engine.moveQueued(now)
    deps.store.extendExpiry(now + lateMs)
  })
}

async function run(state: State): Promise<void> {
  while (!state.isStopping) {
    state.alarm = new AbortController()
    const waitMs = pump(state)
    // At most once a turn of the loop: a channel that answers at once would otherwise keep everything else from running.
    const nextTurn = setImmediate()
    await state.deps.clock.sleep(Math.max(waitMs, 1), state.alarm.signal)
    await nextTurn
  }
}

/** Starts what may start, and says after how long to look again. */
function pump(state: State): number {
  const { deps, lanes } = state
  let waitMs = idleMs
  let waiting: readonly Lane[] = []
  let hasFailed = false
  // What stops one, such as a row that cannot be read, does not stop the others.
  const attempt = (work: () => void) => {
    try {
      work()
    } catch (error) {
      // A full disk, most likely: nothing was sent, so nothing is lost by waiting.
      deps.log.error({ error: errorText(error) }, 'the outbox could not be read or written')
      hasFailed = true
    }
  }
  attempt(() => look(state))
  // Woken by each commit, and hardly any has something to tell.
  attempt(() => (waiting = deps.store.hasUnsent() ? lanes : []))
  for (const lane of waiting) {
    if (state.running.size >= mostInFlight) break
    attempt(() => (waitMs = Math.min(waitMs, tryLane(state, lane))))
  }
  if (hasFailed) return failedPauseMs
  // An outbox that cannot be read or written lets nothing leave.
  state.lookedAtMs = deps.clock.monotonicMs()
  return waitMs
}

/** What need not be looked for at each commit. */
function look(state: State): void {
  const { deps } = state
  const mono = deps.clock.monotonicMs()
  if (mono < state.lookAtMs) return
  state.lookAtMs = mono + lookMs
  expire(state)
  for (const lane of state.lanes) if (lane.isCritical) probeIdle(state, lane)
}

function expire({ deps }: State): void {
  const now = deps.clock.now()
  // A commit of nothing would put on the disk what waits for a larger one.
  if (deps.store.listExpiring(now).length === 0) return
  for (const { channel, count } of deps.store.transaction(() => buryExpired(deps, now))) {
    deps.log.error({ channel, count }, 'alerts could not be sent in time and were set aside')
  }
}

function tryLane(state: State, lane: Lane): number {
  const { deps } = state
  if (lane.isSending) return idleMs
  const row = deps.store.getChannel(lane.channel.name)
  const now = deps.clock.now()
  if (row.circuit === 'open') {
    if (coverDeadChannel(deps, lane.channel.name, now) > 0) state.alarm.abort()
    const probeIn = probeWait(row.probeAt, now)
    // One message probes; the other lane waits for its answer.
    if (probeIn > 0 || !laneIsQuiet(lane.twin())) return Math.max(Math.min(probeIn, idleMs), failedPauseMs)
  }
  const next = nextDelivery(deps, lane)
  if ('waitMs' in next) return next.waitMs
  follow(state, lane, send(state, lane, next.delivery))
  return idleMs
}

function follow(state: State, lane: Lane, sending: Promise<void>): void {
  const running = sending
    .catch((error: unknown) =>
      state.deps.log.error({ error: errorText(error) }, 'a delivery ended unexpectedly'),
    )
    .finally(() => {
      lane.isSending = false
      state.running.delete(running)
      state.alarm.abort()
    })
  state.running.add(running)
}

/** A channel that refuses us and for which nothing waits: only a message shows that it is repaired. */
function probeIdle(state: State, lane: Lane): void {
  const { deps } = state
  const { name } = lane.channel
  const { circuit, probeAt } = deps.store.getChannel(name)
  if (circuit === 'closed' || probeWait(probeAt, deps.clock.now()) > 0) return
  if (lane.isSending || !laneIsQuiet(lane.twin()) || deps.store.hasUnsentTo(name)) return
  follow(state, lane, sendProbe(state, lane))
}

async function sendProbe(state: State, lane: Lane): Promise<void> {
  const { deps } = state
  const { name } = lane.channel
  const sentBy = 'spanwatch, because this channel refused messages'
  const message = toTestMessage({ channel: name, now: deps.clock.now(), pageUrl: deps.pageUrl, sentBy })
  lane.isSending = true
  const answer = await attemptSending(deps.clock, state.aborter.signal, (signal) =>
    lane.channel.deliver(message, { signal, degraded: false, recipients: null }),
  )
  if (state.aborter.signal.aborted) return
  deps.counts?.count(name, answer.result)
  const isRepaired = answer.result === 'ack' || answer.result === 'partial'
  const result: DeliveryResult = isRepaired ? answer : { result: 'dead', reason: answer.reason }
  deps.store.transaction(() => noteAnswer(deps, { channel: name, result, isToAll: true }, deps.clock.now()))
}

/** A probe that seems further away than any is was set before the wall clock went back. */
function probeWait(probeAt: UnixMs | null, now: UnixMs): number {
  const waitMs = (probeAt ?? now) - now
  return waitMs > probeMs ? 0 : waitMs
}

async function send(state: State, lane: Lane, delivery: Delivery): Promise<void> {
  const { deps } = state
  lane.isSending = true
  const result = await deliver(state, lane, delivery)
  deps.counts?.count(lane.channel.name, result.result)
  const heldMs = noteWait(state, lane, result)
  await settle(state, { delivery, channel: lane.channel, result, heldMs })
}

/** Makes a channel wait that asks to. @returns for how long it has had us wait so far, taking nothing */
function noteWait({ deps }: State, { pause }: Lane, result: DeliveryResult): number {
  if (isTaken(result)) pause.since = -Infinity
  if (result.result !== 'throttled') return 0
  const mono = deps.clock.monotonicMs()
  // Nothing was sent for a while: what it asked before is past.
  if (pause.since === -Infinity || mono - pause.until > awayMs) pause.since = mono
  pause.until = mono + Math.min(result.retryAfterMs, longestThrottleMs) + deps.random() * 250
  return mono - pause.since
}

async function deliver(state: State, lane: Lane, delivery: Delivery): Promise<DeliveryResult> {
  const { deps } = state
  return attemptSending(deps.clock, state.aborter.signal, async (signal) => {
    const message = await runInTurns(
      composeMessage(deps, { delivery, channel: lane.channel }, deps.clock.now()),
    )
    const known =
      delivery.caseId === null ? null : deps.store.getCaseChannel(delivery.caseId, delivery.channel)
    const options = {
      signal,
      degraded: delivery.isDegraded,
      recipients: delivery.recipients,
      thread: known?.thread ?? null,
    }
    return lane.channel.deliver(message, options)
  })
}

/** Saving an answer is retried until it succeeds: without it the message would be sent twice. */
async function settle(state: State, settled: Parameters<typeof settleDelivery>[1]): Promise<void> {
  const { deps } = state
  for (;;) {
    try {
      settleDelivery(deps, settled, deps.clock.now())
      return
    } catch (error) {
      deps.log.error({ error: errorText(error) }, 'an acknowledgement could not be written')
      if (state.isStopping) return
      await deps.clock.sleep(failedPauseMs, state.aborter.signal)
    }
  }
}

async function stop(state: State, loop: Promise<void>): Promise<void> {
  if (!state.isStopping) {
    state.isStopping = true
    state.alarm.abort()
    const settled = new AbortController()
    const all = Promise.all(state.running).finally(() => settled.abort())
    await Promise.race([all, state.deps.clock.sleep(stopMs, settled.signal)])
    state.aborter.abort()
  }
  await Promise.all(state.running)
  await loop
}

/** How each channel's deliveries ended, for metrics. */
export function createNotificationCounts() {
  const counts = new Map<string, { channel: string; result: string; count: number }>()
  return {
    count(channel: string, result: string) {
      const key = `${channel}|${result}`
      const entry = counts.get(key) ?? { channel, result, count: 0 }
      counts.set(key, { ...entry, count: entry.count + 1 })
    },
    list: () => [...counts.values()],
  }
}
