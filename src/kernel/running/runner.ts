import type { Clock, UnixMs } from '../../lib/clock.ts'
import { errorText, MonitorError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { type ClockJump, rebaseInstant } from '../../lib/rebaseInstant.ts'
import { intervalOf, nextDue } from './schedule.ts'

export interface Poller {
  readonly name: string
  /** Cron, with seconds; or a distance between runs, ms. */
  readonly schedule: string | number
  /** Slow is its normal state: its reads wait while others ask, or it waits for a mail server or a disk. */
  readonly isBackground?: boolean
  /** It asks no source: its pace says nothing of how often one has to answer. */
  readonly asksNobody?: boolean
  /** Throws when it could not do its work; the runner counts, reports and retries. */
  run(signal: AbortSignal): Promise<void>
}

export interface PollerHealth {
  readonly poller: string
  readonly intervalMs: number
  /** Slow is its normal state. */
  readonly isBackground?: boolean
  /** It asks no source. */
  readonly asksNobody?: boolean
  readonly startedAt: UnixMs
  readonly lastSuccessAt: UnixMs | null
  readonly lastError: string | null
  /** Runs that failed since the start. */
  readonly errors?: number
  /** When its newest runs ended in what no source and no disk explains, oldest first: at most `crashesKept`. */
  readonly crashes?: readonly UnixMs[]
  /** What the newest of them said; a run that succeeded later does not take it back. */
  readonly lastCrash?: string
  /** When the run under way began; null or left out between two runs. */
  readonly runningSince?: UnixMs | null
  /** Source and endpoint that kept its newest run from its work, as `explorer E6`; null or left out when none did. */
  readonly failedAt?: string | null
}

export interface PollerStatus extends PollerHealth {
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

/** So many say that it is no accident. */
export const crashesKept = 3

/** A failed poll is retried after at most this, whatever its schedule: recovery is quick. */
const maxBackoffMs = 10_000

interface Entry {
  readonly poller: Poller
  status: PollerStatus
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
    status: () => entries.map(({ status }) => status),
    rebaseClock(jump) {
      for (const entry of entries) entry.status = rebase(entry.status, jump)
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
  note(entry, { runs: entry.status.runs + 1, runningSince: begunAt })
  try {
    await poller.run(signal)
    const { failures } = entry.status
    if (failures > 0) deps.log.info({ poller: poller.name, failures }, 'poll recovered')
    note(entry, { lastSuccessAt: deps.clock.now(), ...withoutFailure })
  } catch (error) {
    if (signal.aborted) return
    const text = errorText(error)
    // One line for each new trouble, not for each repetition of it.
    if (entry.status.lastError !== text)
      deps.log.warn({ poller: poller.name, ...describe(error) }, `poll failed: ${text}`)
    note(entry, failureOf(entry.status, error, deps.clock.now()))
  }
  const lastTickAt = deps.clock.now()
  const { intervalMs, missedTicks } = entry.status
  const missed = Math.max(0, Math.floor((lastTickAt - begunAt) / intervalMs))
  note(entry, { lastTickAt, runningSince: null, missedTicks: missedTicks + missed })
}

function note(entry: Entry, news: Partial<PollerStatus>): void {
  entry.status = { ...entry.status, ...news }
}

/** Before its first run. */
export function newStatus(
  of: Pick<PollerStatus, 'poller' | 'intervalMs' | 'isBackground' | 'asksNobody' | 'startedAt'>,
): PollerStatus {
  return {
    ...of,
    lastSuccessAt: null,
    ...withoutFailure,
    lastTickAt: null,
    runs: 0,
    errors: 0,
    missedTicks: 0,
  }
}

/**
 * How many times as long what runs in the background may take while a run is under way and none failed since it last
 * succeeded: each of its questions waits while others ask, and each is bounded by the client, as a mail is by its channel.
 */
const patience = 6

/** How long a poller may be without a success, ms, where `limitMs` is that of one that does nothing. */
export function allowedMs(
  { isBackground = false, lastError, runningSince = null }: Omit<PollerHealth, 'poller'>,
  limitMs: number,
): number {
  return isBackground && runningSince !== null && lastError === null ? patience * limitMs : limitMs
}

/** What a run that did its work leaves of earlier failures. */
export const withoutFailure = { lastError: null, failedAt: null, failures: 0 } as const

/** What a run that failed adds to them. */
export function failureOf(status: PollerStatus, error: unknown, now: UnixMs): Partial<PollerStatus> {
  const { failures, errors, crashes = [] } = status
  return {
    lastError: errorText(error),
    failedAt: placeOf(error),
    failures: failures + 1,
    errors: errors + 1,
    ...(isCrash(error) && { crashes: [...crashes, now].slice(-crashesKept), lastCrash: errorText(error) }),
  }
}

/** What is said nowhere else: a silent source and a disk that refuses are reported as such. */
function isCrash(error: unknown): boolean {
  if (error instanceof MonitorError) return error.code === 'internal'
  return !(error instanceof Error && ('errcode' in error || 'syscall' in error))
}

function rebase(status: PollerStatus, jump: ClockJump): PollerStatus {
  const { startedAt, lastSuccessAt, lastTickAt, runningSince = null, crashes = [] } = status
  return {
    ...status,
    runningSince: runningSince === null ? null : rebaseInstant(runningSince, jump),
    crashes: crashes.map((at) => rebaseInstant(at, jump)),
    startedAt: rebaseInstant(startedAt, jump),
    lastSuccessAt: lastSuccessAt === null ? null : rebaseInstant(lastSuccessAt, jump),
    lastTickAt: lastTickAt === null ? null : rebaseInstant(lastTickAt, jump),
  }
}

/** Which endpoint of which source a run failed at. */
function placeOf(error: unknown): string | null {
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
  const { failures, intervalMs } = entry.status
  const backoffMs = Math.min(intervalMs * 2 ** Math.min(failures, 8), maxBackoffMs)
  const waitMs = failures === 0 ? due - now : Math.min(backoffMs, Math.max(due - now, backoffMs))
  entry.wake = new AbortController()
  if (entry.isTriggered || signal.aborted) return
  await clock.sleep(waitMs, entry.wake.signal)
}

function toEntry(poller: Poller, startedAt: UnixMs): Entry {
  const { name, schedule, isBackground = false, asksNobody = false } = poller
  const intervalMs = typeof schedule === 'number' ? schedule : intervalOf(schedule)
  return {
    poller,
    status: newStatus({ poller: name, intervalMs, isBackground, asksNobody, startedAt }),
    wake: new AbortController(),
    isTriggered: false,
  }
}
