import type { Clock } from '../../lib/clock.ts'

/**
 * From what must never wait to what may wait longest. The tail is one request a tick and brings what nobody knows
 * yet, so that it goes before the many that read open transfers again.
 */
const priorities = ['urgent', 'tail', 'open', 'heads', 'evidence', 'sweep', 'bulk'] as const
export type Priority = (typeof priorities)[number]

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
export function createPace(clock: Pick<Clock, 'monotonicMs' | 'sleep'>, options: PaceOptions): Pace {
  const rate = createRate(options.maxRequestsPerSecond, clock.monotonicMs())
  const queues = new Map<Priority, Set<Waiter>>(priorities.map((priority) => [priority, new Set()]))
  let inFlight = 0
  let requests = 0
  let waitedMs = 0
  let throttleSigns = 0
  let nextAt = clock.monotonicMs()
  let turnsSinceAged = 0
  let isSleeping = false

  function pump(): void {
    while (inFlight < options.concurrency) {
      const now = clock.monotonicMs()
      const aged = turnsSinceAged >= turnsBetweenAged ? agedWaiter(queues, now) : null
      const next = aged ?? firstWaiter(queues)
      if (!next) return
      if (now < nextAt) return wakeIn(nextAt - now)
      turnsSinceAged = aged ? 0 : turnsSinceAged + 1
      nextAt = now + 1_000 / rate.at(now)
      waitedMs += now - next.waiter.since
      requests += 1
      inFlight += 1
      next.queue.delete(next.waiter)
      next.waiter.start()
    }
  }

  function wakeIn(ms: number): void {
    if (isSleeping) return
    isSleeping = true
    void clock.sleep(ms).then(() => {
      isSleeping = false
      pump()
    })
  }

  function sign(sentAt: number, pauseMs: number): void {
    const now = clock.monotonicMs()
    throttleSigns += 1
    rate.halve(now, sentAt)
    nextAt = Math.max(nextAt, now + Math.max(pauseMs, 1_000 / rate.at(now)))
  }

  function lease(): Lease {
    const sentAt = clock.monotonicMs()
    let isHeld = true
    return {
      release() {
        if (!isHeld) return
        isHeld = false
        inFlight -= 1
        pump()
      },
      throttled: (pauseMs = 0) => sign(sentAt, pauseMs),
    }
  }

  return {
    acquire(priority, signal) {
      return new Promise<Lease>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error)
        const queue = queues.get(priority) as Set<Waiter>
        const giveUp = () => {
          queue.delete(waiter)
          reject(signal?.reason as Error)
        }
        const waiter: Waiter = {
          since: clock.monotonicMs(),
          start: () => {
            signal?.removeEventListener('abort', giveUp)
            resolve(lease())
          },
        }
        signal?.addEventListener('abort', giveUp, { once: true })
        queue.add(waiter)
        pump()
      })
    },
    metrics: () => ({
      inFlight,
      queued: [...queues.values()].reduce((sum, queue) => sum + queue.size, 0),
      requests,
      waitedMs,
      throttleSigns,
      requestsPerSecond: rate.at(clock.monotonicMs()),
    }),
  }
}

interface Turn {
  readonly queue: Set<Waiter>
  readonly waiter: Waiter
}

function firstWaiter(queues: ReadonlyMap<Priority, Set<Waiter>>): Turn | null {
  for (const queue of queues.values()) {
    for (const waiter of queue) return { queue, waiter }
  }
  return null
}

/** Who has waited longest, and too long: at the slowest rate the tail and open transfers alone take every turn. */
function agedWaiter(queues: ReadonlyMap<Priority, Set<Waiter>>, now: number): Turn | null {
  let oldest: Turn | null = null
  for (const queue of queues.values()) {
    for (const waiter of queue) {
      if (now - waiter.since >= agedMs && waiter.since < (oldest?.waiter.since ?? Infinity))
        oldest = { queue, waiter }
      break
    }
  }
  return oldest
}

function createRate(cap: number, startedAt: number) {
  const floor = Math.min(1, cap)
  let current = Math.min(4, cap)
  let growth = 2
  let grownAt = startedAt
  let halvedAt = -Infinity

  function at(now: number): number {
    const seconds = Math.floor((now - grownAt) / 1_000)
    if (seconds <= 0) return current
    grownAt += seconds * 1_000
    current = Math.min(cap, current * growth ** seconds)
    return current
  }

  return {
    at,
    /** Requests sent before the last halving tell nothing about the rate since. */
    halve(now: number, sentAt: number): void {
      if (sentAt < halvedAt) return
      current = Math.max(floor, at(now) / 2)
      growth = 1.1
      grownAt = now
      halvedAt = now
    },
  }
}
