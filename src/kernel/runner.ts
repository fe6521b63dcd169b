import type { Clock, UnixMs } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { type ClockJump, rebaseInstant } from '../lib/rebaseInstant.ts'
import { intervalOf, nextDue } from './schedule.ts'

export interface Poller {
  readonly name: string
  /** Cron, with seconds; or a distance between runs, ms. */
  readonly schedule: string | number
  /** Its reads wait while others ask: slow is its normal state on a busy bridge. */
  readonly isBackground?: boolean
  /** Throws when it could not do its work; the runner counts, reports and retries. */
  run(signal: AbortSignal): Promise<void>
}

export interface PollerStatus {
  readonly poller: string
  readonly intervalMs: number
  readonly isBackground?: boolean
  readonly startedAt: UnixMs
  readonly lastSuccessAt: UnixMs | null
  readonly lastError: string | null
  /** Source and endpoint that kept its newest run from its work, as `explorer E6`; null when none did. */
  readonly failedAt: string | null
  /** When its newest run ended, well or not. */
  readonly lastTickAt: UnixMs | null
  /** Errors in a row. */
  readonly failures: number
  readonly runs: number
  readonly errors: number
  /** Ticks that passed while a run was still under way. */
  readonly missedTicks: number
}

export interface Runner {
  start(): void
  /** Runs a poller now, or once more as soon as its present run ends. */
  trigger(name: string): void
  status(): PollerStatus[]
  /** The machine slept: how long ago something was stays as it is. */
  rebaseClock(jump: ClockJump): void
  /** Waits for runs under way; may be called twice. */
  stop(): Promise<void>
}

/** A failed poll is retried after at most this, whatever its schedule: recovery is quick. */
const maxBackoffMs = 10_000

interface Entry {
  readonly poller: Poller
  readonly intervalMs: number
  startedAt: UnixMs
  lastSuccessAt: UnixMs | null
  lastError: string | null
  failedAt: string | null
  lastTickAt: UnixMs | null
  failures: number
  runs: number
  errors: number
  missedTicks: number
  /** Aborting it ends the pause before the next run. */
  wake: AbortController
  isTriggered: boolean
}

/**
 * One loop for each poller: it never overlaps itself, and whatever one of them does, hang or throw, the others keep
 * their own time.
 */
export function createRunner(deps: { clock: Clock; log: Logger }, pollers: readonly Poller[]): Runner {
  const ending = new AbortController()
  const entries = pollers.map((poller) => toEntry(poller, deps.clock.now()))
  let loops: Promise<void>[] = []

  async function loop(entry: Entry): Promise<void> {
    while (!ending.signal.aborted) {
      await runOnce(deps, entry, ending.signal)
      if (ending.signal.aborted) return
      await pause(deps.clock, entry, ending.signal)
    }
  }

  return {
    start() {
      if (loops.length === 0) loops = entries.map(loop)
    },
    trigger(name) {
      const entry = entries.find(({ poller }) => poller.name === name)
      if (!entry) return
      entry.isTriggered = true
      entry.wake.abort()
    },
    status: () => entries.map(toStatus),
    rebaseClock(jump) {
      for (const entry of entries) {
        entry.startedAt = rebaseInstant(entry.startedAt, jump)
        if (entry.lastSuccessAt !== null) entry.lastSuccessAt = rebaseInstant(entry.lastSuccessAt, jump)
        if (entry.lastTickAt !== null) entry.lastTickAt = rebaseInstant(entry.lastTickAt, jump)
      }
    },
    async stop() {
      ending.abort()
      for (const entry of entries) entry.wake.abort()
      await Promise.all(loops)
    },
  }
}

async function runOnce(
  deps: { clock: Clock; log: Logger },
  entry: Entry,
  signal: AbortSignal,
): Promise<void> {
  const { poller } = entry
  const begunAt = deps.clock.now()
  entry.isTriggered = false
  entry.runs += 1
  try {
    await poller.run(signal)
    if (entry.failures > 0) deps.log.info({ poller: poller.name, failures: entry.failures }, 'poll recovered')
    entry.lastSuccessAt = deps.clock.now()
    entry.lastError = null
    entry.failedAt = null
    entry.failures = 0
  } catch (error) {
    if (signal.aborted) return
    const text = errorText(error)
    // One line for each new trouble, not for each repetition of it.
    if (entry.lastError !== text)
      deps.log.warn({ poller: poller.name, ...describe(error) }, `poll failed: ${text}`)
    entry.lastError = text
    entry.failedAt = placeOf(error)
    entry.failures += 1
    entry.errors += 1
  }
  entry.lastTickAt = deps.clock.now()
  entry.missedTicks += Math.max(0, Math.floor((entry.lastTickAt - begunAt) / entry.intervalMs))
}

/** Which endpoint of which source a run failed at. */
export function placeOf(error: unknown): string | null {
  if (!(error instanceof MonitorError)) return null
  const { source, endpoint } = error.details
  return source === undefined || endpoint === undefined ? null : `${source} ${endpoint}`
}

/** Where our own errors come from is in their message; of anything else the stack is what helps. */
function describe(error: unknown): object {
  return error instanceof MonitorError ? { code: error.code, ...error.details } : { err: error }
}

async function pause(clock: Clock, entry: Entry, signal: AbortSignal): Promise<void> {
  const now = clock.now()
  const { schedule } = entry.poller
  const due = typeof schedule === 'number' ? now + schedule : nextDue(schedule, now)
  const backoffMs = Math.min(entry.intervalMs * 2 ** Math.min(entry.failures, 8), maxBackoffMs)
  const waitMs = entry.failures === 0 ? due - now : Math.min(backoffMs, Math.max(due - now, backoffMs))
  entry.wake = new AbortController()
  if (entry.isTriggered || signal.aborted) return
  await clock.sleep(waitMs, entry.wake.signal)
}

function toEntry(poller: Poller, startedAt: UnixMs): Entry {
  return {
    poller,
    intervalMs: typeof poller.schedule === 'number' ? poller.schedule : intervalOf(poller.schedule),
    startedAt,
    lastSuccessAt: null,
    lastError: null,
    failedAt: null,
    lastTickAt: null,
    failures: 0,
    runs: 0,
    errors: 0,
    missedTicks: 0,
    wake: new AbortController(),
    isTriggered: false,
  }
}

function toStatus(entry: Entry): PollerStatus {
  const { intervalMs, startedAt, lastSuccessAt, lastError, failedAt } = entry
  const { lastTickAt, failures, runs, errors, missedTicks } = entry
  return {
    poller: entry.poller.name,
    intervalMs,
    isBackground: entry.poller.isBackground ?? false,
    startedAt,
    lastSuccessAt,
    lastError,
    failedAt,
    lastTickAt,
    failures,
    runs,
    errors,
    missedTicks,
  }
}

export interface PollerHealth {
  readonly poller: string
  readonly intervalMs: number
  /** Its reads wait while others ask. */
  readonly isBackground?: boolean
  readonly startedAt: UnixMs
  readonly lastSuccessAt: UnixMs | null
  readonly lastError: string | null
  /** Source and endpoint that kept its newest run from its work, as `explorer E6`; null or left out when none did. */
  readonly failedAt?: string | null
}
