import { emptyView, addAnswer, type PreconfView } from './view.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { errorText, MonitorError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { PendingAnswer } from './reads.ts'
import { failureOf, newStatus, type PollerStatus, withoutFailure } from '../../kernel/running/runner.ts'

/**
 * Asks at every tick of a fixed grid, whatever became of the questions before: a loop of its own, because a cron
 * schedule knows no fractions of a second and a poller never overlaps itself.
 */
export interface PreconfLoop extends LoopSources {
  readonly ending: AbortController
  /** Questions without an answer yet, with when they were asked. */
  readonly underWay: Map<Promise<void>, UnixMs>
  running: Promise<void> | null
  status: PollerStatus
  view: PreconfView
  /**
   * Since when every request has been left without an answer though the connection stands (half-open); null when one
   * was answered, or refused, since.
   */
  unansweredSince: UnixMs | null
  /** The place of the newest question that was answered: the wall clock may be set back between two. */
  newest: number
}

interface LoopSources {
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly intervalMs: number
  /** Asks once, and takes the answer. */
  readonly read: (signal: AbortSignal) => Promise<PendingAnswer>
}

/** A request that hangs holds up no tick: this many may be under way at a time. */
const maxInFlight = 10

export function createPreconfLoop(sources: LoopSources): PreconfLoop {
  const { clock, intervalMs } = sources
  const view = emptyView(clock.now())
  return {
    ...sources,
    ending: new AbortController(),
    underWay: new Map(),
    running: null,
    view,
    unansweredSince: null,
    newest: 0,
    status: newStatus({ poller: 'preconf', intervalMs, startedAt: view.startedAt }),
  }
}

export function startLoop(loop: PreconfLoop): void {
  loop.running ??= run(loop)
}

export async function stopLoop({ ending, running, underWay }: PreconfLoop): Promise<void> {
  ending.abort()
  await running
  await Promise.all(underWay.keys())
}

async function run(loop: PreconfLoop): Promise<void> {
  const { clock, intervalMs, underWay } = loop
  const { signal } = loop.ending
  let due = clock.monotonicMs()
  while (!signal.aborted) {
    if (underWay.size < maxInFlight) launch(loop)
    else miss(loop, 1)
    note(loop, { lastTickAt: clock.now() })
    due += intervalMs
    const lateMs = clock.monotonicMs() - due
    if (lateMs > intervalMs) {
      const missed = Math.floor(lateMs / intervalMs)
      miss(loop, missed)
      due += missed * intervalMs
    }
    await clock.sleep(Math.max(due - clock.monotonicMs(), 0), signal)
  }
}

function note(loop: PreconfLoop, news: Partial<PollerStatus>): void {
  loop.status = { ...loop.status, ...news }
}

function miss(loop: PreconfLoop, ticks: number): void {
  note(loop, { missedTicks: loop.status.missedTicks + ticks })
}

function launch(loop: PreconfLoop): void {
  const at = loop.clock.now()
  const request = ask(loop, at).finally(() => loop.underWay.delete(request))
  loop.underWay.set(request, at)
}

async function ask(loop: PreconfLoop, askedAt: UnixMs): Promise<void> {
  const { clock, log, intervalMs } = loop
  const { signal } = loop.ending
  const place = loop.status.runs + 1
  note(loop, { runs: place })
  try {
    const answer = await loop.read(signal)
    if (signal.aborted) return
    const { failures } = loop.status
    if (failures > 0) log.info({ failures }, 'preconfirmations answer again')
    note(loop, { lastSuccessAt: clock.now(), ...withoutFailure })
    loop.unansweredSince = null
    if (place > loop.newest) {
      loop.newest = place
      loop.view = addAnswer(loop.view, answer, intervalMs)
    }
  } catch (error) {
    if (!signal.aborted) fail(loop, error, askedAt)
  }
}

function fail(loop: PreconfLoop, error: unknown, askedAt: UnixMs): void {
  const { status } = loop
  const text = errorText(error)
  // One line for each new trouble, not for each repetition of it.
  if (status.lastError !== text)
    loop.log.warn(error instanceof MonitorError ? { code: error.code } : { err: error }, `preconf: ${text}`)
  note(loop, failureOf(status, error, loop.clock.now()))
  if (!isUnanswered(error)) loop.unansweredSince = null
  else if (askedAt >= (loop.view.readAt ?? 0)) loop.unansweredSince ??= askedAt
}

/** Nothing came within the time allowed; a refused connection or an error is an answer of a kind. */
function isUnanswered(error: unknown): boolean {
  return error instanceof MonitorError && error.details['timeoutMs'] !== undefined
}
