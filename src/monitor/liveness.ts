import type { UnixMs } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'
import type { ReplicaStatus } from '../kernel/kernel.ts'
import type { EvaluateLoop } from './evaluateLoop.ts'
import type { PollerStatus } from '../kernel/running/runner.ts'
import type { Explorer } from '../clients/explorer/createExplorer.ts'
import type { Integrity } from '../store/integrity.ts'
import { judgeFollower, judgeLiveness, judgeWork, silentFor } from './judgeLiveness.ts'
import type { HealthVerdict } from './judgeLiveness.ts'

export interface LivenessSources {
  readonly explorer: Pick<Explorer, 'health'>
  readonly evaluate: Pick<EvaluateLoop, 'counts'>
  readonly startedAt: UnixMs
  pollers(): readonly PollerStatus[]
  readonly sending: { idleMs(): number }
  /** Whose file has to be looked through before it is relied on. */
  readonly state?: { readonly integrity: Pick<Integrity, 'pending'> }
  /** Null or left out where this process is alone. */
  readonly replica?: (() => ReplicaStatus) | null
  readonly voice: { isVoiceless(now: UnixMs): boolean }
}

const evaluationIntervalMs = 1_000

/** Whether the monitor does its work: what `/healthz` and the heartbeat say. */
export function readLiveness(sources: LivenessSources, now: UnixMs, eventLoopLagMs: number): HealthVerdict {
  if (sources.replica?.().role === 'follower') return judgeFollower({ eventLoopLagMs })
  const times = sources.explorer.health().endpoints.flatMap(({ lastGoodAt }) => lastGoodAt ?? [])
  return judgeLiveness({
    ...readFacts(sources, now),
    eventLoopLagMs,
    pollers: sources.pollers(),
    lastGoodAts: [times.length === 0 ? null : Math.max(...times)],
    isVoiceless: sources.voice.isVoiceless(now),
  })
}

/** Whether nothing is wrong that a restart may mend: what the watchdog hears. */
export function readWork(sources: WorkSources, now: UnixMs): HealthVerdict {
  return judgeWork(readFacts(sources, now))
}

type WorkSources = Pick<LivenessSources, 'evaluate' | 'startedAt' | 'sending'>

function readFacts({ evaluate, startedAt, sending }: WorkSources, now: UnixMs) {
  return {
    now,
    startedAt,
    lastCommitAt: evaluate.counts().lastAt,
    evaluationIntervalMs,
    outboxIdleMs: sending.idleMs(),
  }
}

/** A follower that has had all that was committed within this time could take over, and shows the present. */
export const inStepMs = 10_000

/** What judged nothing for so long does not come back by itself: it is restarted. */
const stuckMs = 60_000

/**
 * Ready is whoever judges, on a ledger that is known to be whole: what came before is in it, what is due is queued;
 * and a follower that is in step.
 */
export function readReadiness(
  { evaluate, state, replica }: Pick<LivenessSources, 'evaluate' | 'state' | 'replica'>,
  now: UnixMs,
): HealthVerdict {
  const unchecked = state?.integrity.pending() ?? null
  const status = replica?.() ?? null
  const behind = status?.role === 'follower' ? listBehind(status, now) : null
  const { lastAt } = evaluate.counts()
  const reasons = [
    ...(behind ??
      (lastAt === null
        ? ['rules have not been evaluated yet']
        : silentFor('rules have not been evaluated', { since: lastAt, mostMs: stuckMs }, now))),
    ...(unchecked === null ? [] : [unchecked]),
  ]
  return { ok: reasons.length === 0, reasons }
}

/** Why a follower could not take over now. */
export function listBehind({ inStepAt }: Pick<ReplicaStatus, 'inStepAt'>, now: UnixMs): readonly string[] {
  if (inStepAt === null) return ['what was committed elsewhere has not been taken over yet']
  return now - inStepAt < inStepMs
    ? []
    : [`what was committed elsewhere has not been taken over for ${formatDuration(now - inStepAt)}`]
}
