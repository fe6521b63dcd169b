import type { Clock } from '../../lib/clock.ts'

export type Priority = keyof Queues

export interface PaceOptions {
  readonly maxRequestsPerSecond: number
  readonly concurrency: number
}

/** A right to send one request, given back when its answer came. */
export interface Lease {
  release(): void
  /** The answer was a sign of throttling; `pauseMs` is how long the service asked to be left alone. */
  throttled(pauseMs?: number): void
}

export interface PaceMetrics {
  readonly inFlight: number
  readonly queued: number
  readonly requests: number
  /** All time that requests have waited for their turn. */
  readonly waitedMs: number
  readonly throttleSigns: number
  readonly requestsPerSecond: number
}

export interface Pace {
  /** Waits for its turn. Rejects with the signal's reason when that aborts first. */
  acquire(priority: Priority, signal?: AbortSignal): Promise<Lease>
  metrics(): PaceMetrics
}

/** Who has waited so long goes before others, whatever the priority, once in so many turns. */
const agedMs = 10_000
const turnsBetweenAged = 3

interface Waiter {
  readonly since: number
  start(): void
}

/**
 * One budget of requests for all pollers. The rate starts at min(4, cap) a second, doubles each second without a sign
 * of throttling, halves on a sign and from then on adds 10 % a second; it never falls below 1. No rate limit of the
 * service is published.
 */
export function createPace(clock: PaceState['clock'], options: PaceOptions): Pace {
  const now = clock.monotonicMs()
  const state: PaceState = {
    clock,
    concurrency: options.concurrency,
    rate: createRate(options.maxRequestsPerSecond, now),
    queues: createQueues(),
    inFlight: 0,
    requests: 0,
    waitedMs: 0,
    throttleSigns: 0,
    nextAt: now,
    turnsSinceAged: 0,
    isSleeping: false,
  }
  return {
    acquire: (priority, signal) => acquire(state, priority, signal),
    metrics: () => ({
      inFlight: state.inFlight,
      queued: Object.values(state.queues).reduce((sum, queue) => sum + queue.size, 0),
      requests: state.requests,
      waitedMs: state.waitedMs,
      throttleSigns: state.throttleSigns,
      requestsPerSecond: rateAt(state.rate, clock.monotonicMs()),
    }),
  }
}

/** The budget as it stands: who waits, how fast it may go, and what was spent. */
interface PaceState {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  readonly concurrency: number
  readonly rate: Rate
  readonly queues: Queues
  inFlight: number
  requests: number
  waitedMs: number
  throttleSigns: number
  nextAt: number
  turnsSinceAged: number
  isSleeping: boolean
}

type Queues = ReturnType<typeof createQueues>

/**
 * From what must never wait to what may wait longest. The tail is one request a tick and brings what nobody knows
 * yet, so that it goes before the many that read open transfers again.
 */
function createQueues() {
  const queue = () => new Set<Waiter>()
  return {
    urgent: queue(),
    tail: queue(),
    open: queue(),
    heads: queue(),
    evidence: queue(),
    sweep: queue(),
    bulk: queue(),
  }
}

function acquire(state: PaceState, priority: Priority, signal?: AbortSignal): Promise<Lease> {
  const { promise, resolve, reject } = Promise.withResolvers<Lease>()
  const queue = state.queues[priority]
  const giveUp = () => {
    queue.delete(waiter)
    reject(signal?.reason)
  }
  const waiter: Waiter = {
    since: state.clock.monotonicMs(),
    start: () => {
      signal?.removeEventListener('abort', giveUp)
      resolve(lease(state))
    },
  }
  if (signal?.aborted) {
    giveUp()
    return promise
  }
  signal?.addEventListener('abort', giveUp, { once: true })
  queue.add(waiter)
  pump(state)
  return promise
}

/** Starts whoever may go now. */
function pump(state: PaceState): void {
  while (state.inFlight < state.concurrency) {
    const now = state.clock.monotonicMs()
    const aged = state.turnsSinceAged >= turnsBetweenAged ? agedWaiter(state.queues, now) : null
    const next = aged ?? firstWaiter(state.queues)
    if (!next) return
    if (now < state.nextAt) return wakeIn(state, state.nextAt - now)
    state.turnsSinceAged = aged ? 0 : state.turnsSinceAged + 1
    state.nextAt = now + 1_000 / rateAt(state.rate, now)
    state.waitedMs += now - next.waiter.since
    state.requests += 1
    state.inFlight += 1
    next.queue.delete(next.waiter)
    next.waiter.start()
  }
}

function wakeIn(state: PaceState, ms: number): void {
  if (state.isSleeping) return
  state.isSleeping = true
  void state.clock.sleep(ms).then(() => {
    state.isSleeping = false
    pump(state)
  })
}

function lease(state: PaceState): Lease {
  const sentAt = state.clock.monotonicMs()
  let isHeld = true
  return {
    release() {
      if (!isHeld) return
      isHeld = false
      state.inFlight -= 1
      pump(state)
    },
    throttled(pauseMs = 0) {
      const now = state.clock.monotonicMs()
      state.throttleSigns += 1
      halve(state.rate, now, sentAt)
      state.nextAt = Math.max(state.nextAt, now + Math.max(pauseMs, 1_000 / rateAt(state.rate, now)))
    },
  }
}

interface Turn {
  readonly queue: Set<Waiter>
  readonly waiter: Waiter
}

function firstWaiter(queues: Queues): Turn | null {
  for (const queue of Object.values(queues)) {
    for (const waiter of queue) return { queue, waiter }
  }
  return null
}

/** Who has waited longest, and too long: at the slowest rate the tail and open transfers alone take every turn. */
function agedWaiter(queues: Queues, now: number): Turn | null {
  let oldest: Turn | null = null
  for (const queue of Object.values(queues)) {
    for (const waiter of queue) {
      if (now - waiter.since >= agedMs && waiter.since < (oldest?.waiter.since ?? Infinity))
        oldest = { queue, waiter }
      break
    }
  }
  return oldest
}

/** Requests a second, and how they grow. */
interface Rate {
  readonly cap: number
  readonly floor: number
  current: number
  growth: number
  grownAt: number
  halvedAt: number
}

function createRate(cap: number, startedAt: number): Rate {
  const floor = Math.min(1, cap)
  return { cap, floor, current: Math.min(4, cap), growth: 2, grownAt: startedAt, halvedAt: -Infinity }
}

function rateAt(rate: Rate, now: number): number {
  const seconds = Math.floor((now - rate.grownAt) / 1_000)
  if (seconds <= 0) return rate.current
  rate.grownAt += seconds * 1_000
  rate.current = Math.min(rate.cap, rate.current * rate.growth ** seconds)
  return rate.current
}

/** Requests sent before the last halving say nothing about the rate since. */
function halve(rate: Rate, now: number, sentAt: number): void {
  if (sentAt < rate.halvedAt) return
  rate.current = Math.max(rate.floor, rateAt(rate, now) / 2)
  rate.growth = 1.1
  rate.grownAt = now
  rate.halvedAt = now
}
