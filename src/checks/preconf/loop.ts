import { emptyView, addAnswer, type PreconfView } from './view.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { errorText, MonitorError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { PendingAnswer } from './reads.ts'
import { placeOf, type PollerStatus } from '../../kernel/runner.ts'

export interface PreconfLoopDeps {
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly intervalMs: number
  read(signal: AbortSignal): Promise<PendingAnswer>
  /** Takes each good answer, in the order in which they came. */
  onAnswer(answer: PendingAnswer): void
}

export interface PreconfLoop {
  start(): void
  status(): PollerStatus
  view(): PreconfView
  /**
   * Since when every request has been left without an answer though the connection stands (half-open); null when one
   * was answered, or refused, since.
   */
  unansweredSince(): UnixMs | null
  stop(): Promise<void>
}

/** A request that hangs holds up no tick: so many may be under way at a time. */
const maxInFlight = 10

/**
 * Asks at every tick of a fixed grid, whatever became of the questions before: a loop of its own, because a cron
 * schedule knows no fractions of a second and a poller never overlaps itself.
 */
export function createPreconfLoop(deps: PreconfLoopDeps): PreconfLoop {
  const { clock, intervalMs } = deps
  const ending = new AbortController()
  const underWay = new Map<Promise<void>, UnixMs>()
  let running: Promise<void> | null = null
  let view = emptyView(clock.now())
  let unansweredSince: UnixMs | null = null
  /** The place of the newest question that was answered: the wall clock may be set back between two. */
  let newest = 0
  let status: PollerStatus = {
    poller: 'preconf',
    intervalMs,
    startedAt: view.startedAt,
    lastSuccessAt: null,
    lastError: null,
    failedAt: null,
    lastTickAt: null,
    failures: 0,
    runs: 0,
    errors: 0,
    missedTicks: 0,
  }

  async function loop(): Promise<void> {
    let due = clock.monotonicMs()
    while (!ending.signal.aborted) {
      if (underWay.size < maxInFlight) launch()
      else status = { ...status, missedTicks: status.missedTicks + 1 }
      status = { ...status, lastTickAt: clock.now() }
      due += intervalMs
      const lateMs = clock.monotonicMs() - due
      if (lateMs > intervalMs) {
        const missed = Math.floor(lateMs / intervalMs)
        status = { ...status, missedTicks: status.missedTicks + missed }
        due += missed * intervalMs
      }
      await clock.sleep(Math.max(due - clock.monotonicMs(), 0), ending.signal)
    }
  }

  function launch(): void {
    const at = clock.now()
    const request = ask(at).finally(() => underWay.delete(request))
    underWay.set(request, at)
  }

  async function ask(askedAt: UnixMs): Promise<void> {
    status = { ...status, runs: status.runs + 1 }
    const place = status.runs
    try {
      const answer = await deps.read(ending.signal)
      if (ending.signal.aborted) return
      if (status.failures > 0) deps.log.info({ failures: status.failures }, 'preconfirmations answer again')
      status = { ...status, lastSuccessAt: clock.now(), lastError: null, failedAt: null, failures: 0 }
      unansweredSince = null
      if (place > newest) {
        newest = place
        view = addAnswer(view, answer, intervalMs)
      }
      deps.onAnswer(answer)
    } catch (error) {
      if (ending.signal.aborted) return
      fail(error, askedAt)
    }
  }

  function fail(error: unknown, askedAt: UnixMs): void {
    const text = errorText(error)
    // One line for each new trouble, not for each repetition of it.
    if (status.lastError !== text)
      deps.log.warn(error instanceof MonitorError ? { code: error.code } : { err: error }, `preconf: ${text}`)
    const { failures, errors } = status
    const failedAt = placeOf(error)
    status = { ...status, lastError: text, failedAt, failures: failures + 1, errors: errors + 1 }
    if (!isUnanswered(error)) unansweredSince = null
    else if (askedAt >= (view.readAt ?? 0)) unansweredSince ??= askedAt
  }

  return {
    start() {
      running ??= loop()
    },
    status: () => status,
    view: () => view,
    unansweredSince: () => unansweredSince,
    async stop() {
      ending.abort()
      await running
      await Promise.all(underWay.keys())
    },
  }
}

/** Nothing came within the time allowed; a refused connection or an error is an answer of a kind. */
function isUnanswered(error: unknown): boolean {
  return error instanceof MonitorError && error.details['timeoutMs'] !== undefined
}
