import { formatDuration } from '../lib/duration.ts'
import type { UnixMs } from '../lib/clock.ts'
import { allowedMs, type PollerHealth } from '../kernel/running/runner.ts'

interface WorkFacts {
  readonly now: UnixMs
  readonly startedAt: UnixMs
  /** When rules were last evaluated and committed; null before the first time. */
  readonly lastCommitAt: UnixMs | null
  readonly evaluationIntervalMs: number
  /** How long ago the outbox was last looked into for something to send, ms. */
  readonly outboxIdleMs: number
}

export interface LivenessFacts extends WorkFacts {
  readonly eventLoopLagMs: number
  /** `lastTickAt`: when its newest run ended, well or not; null before the first. */
  readonly pollers: readonly (PollerHealth & { readonly lastTickAt: UnixMs | null })[]
  /** Request time of the newest good answer of each source; null means never. */
  readonly lastGoodAts: readonly (UnixMs | null)[]
  /** No channel takes messages: whatever is found, nothing is sent. */
  readonly isVoiceless: boolean
}

const maxLagMs = 5_000
const lateFactor = 3
const lateFloorMs = 10_000

/** The outbox is looked into at least every 30 s. */
const outboxLateMs = 45_000

/**
 * Whether the process does its work. Red when nothing at all could be checked, because a monitor that runs blind must
 * not look healthy to the one who watches it.
 */
export function judgeLiveness(facts: LivenessFacts): HealthVerdict {
  const { now, startedAt } = facts
  const reasons = [
    ...listLag(facts.eventLoopLagMs),
    ...facts.pollers.flatMap((poller) => {
      const mostMs = allowedMs(poller, mostLateMs(poller.intervalMs))
      const since = poller.lastTickAt ?? startedAt
      return silentFor(`poller ${poller.poller} has not ticked`, { since, mostMs }, now)
    }),
    ...judgeWork(facts).reasons,
    ...blind(facts),
    ...(facts.isVoiceless ? ['no channel takes messages: nothing can be sent'] : []),
    ...(facts.pollers.length === 0 ? ['no poller is running'] : []),
  ]
  return { ok: reasons.length === 0, reasons }
}

/**
 * Whether what needs nobody else goes on: the conditions of the watchdog. No source or channel answers a new process any
 * sooner, and one that is killed again and again while they do not is given up by its service manager.
 */
export function judgeWork(facts: WorkFacts): HealthVerdict {
  const { now, startedAt, lastCommitAt, evaluationIntervalMs, outboxIdleMs } = facts
  const reasons = [
    ...late('rules have not been evaluated', lastCommitAt ?? startedAt, evaluationIntervalMs, now),
    ...(outboxIdleMs > outboxLateMs
      ? [`messages have not been sent for ${formatDuration(outboxIdleMs)}`]
      : []),
  ]
  return { ok: reasons.length === 0, reasons }
}

/** A follower asks no source and judges nothing: it is alive as long as it gets its turns. */
export function judgeFollower({ eventLoopLagMs }: Pick<LivenessFacts, 'eventLoopLagMs'>): HealthVerdict {
  const reasons = listLag(eventLoopLagMs)
  return { ok: reasons.length === 0, reasons }
}

function listLag(eventLoopLagMs: number): readonly string[] {
  return eventLoopLagMs >= maxLagMs ? [`the event loop lags ${formatDuration(eventLoopLagMs)}`] : []
}

/** Pollers that tick and only ever fail check nothing: a source that fell silent counts like one never read. */
function blind({ lastGoodAts, pollers, now }: LivenessFacts): readonly string[] {
  const newest = lastGoodAts.filter((at) => at !== null)
  if (newest.length === 0) return ['no source has been read yet']
  const asking = pollers.filter(({ asksNobody }) => asksNobody !== true)
  const shortestMs = Math.min(...asking.map(({ intervalMs }) => intervalMs))
  return asking.length === 0 ? [] : late('no source has answered', Math.max(...newest), shortestMs, now)
}

function late(what: string, since: UnixMs, intervalMs: number, now: UnixMs): readonly string[] {
  return silentFor(what, { since, mostMs: mostLateMs(intervalMs) }, now)
}

function mostLateMs(intervalMs: number): number {
  return Math.max(lateFactor * intervalMs, lateFloorMs)
}

export function silentFor(
  what: string,
  { since, mostMs }: { readonly since: UnixMs; readonly mostMs: number },
  now: UnixMs,
): readonly string[] {
  const silentMs = now - since
  return silentMs > mostMs ? [`${what} for ${formatDuration(silentMs)}`] : []
}

export interface HealthVerdict {
  readonly ok: boolean
  readonly reasons: readonly string[]
}
