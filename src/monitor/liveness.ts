import type { UnixMs } from '../lib/clock.ts'
import type { EvaluateLoop } from './evaluateLoop.ts'
import type { PollerStatus } from '../kernel/runner.ts'
import type { Explorer } from '../clients/explorer/createExplorer.ts'
import type { Integrity } from '../store/integrity.ts'
import { judgeLiveness } from './judgeLiveness.ts'
import type { HealthVerdict } from './judgeLiveness.ts'

export interface LivenessSources {
  readonly explorer: Pick<Explorer, 'health'>
  readonly evaluate: Pick<EvaluateLoop, 'counts'>
  readonly startedAt: UnixMs
  pollers(): readonly PollerStatus[]
  readonly sending: { idleMs(): number }
  /** Whose file has to be looked through before it is relied on. */
  readonly state?: { readonly integrity: Pick<Integrity, 'pending'> }
  /** Left out where a restarted process could not send anything either. */
  readonly voice?: { isVoiceless(now: UnixMs): boolean }
}

const evaluationIntervalMs = 1_000

/** Whether the monitor does its work: what `/healthz` and the heartbeat say. */
export function readLiveness(sources: LivenessSources, now: UnixMs, eventLoopLagMs: number): HealthVerdict {
  const times = sources.explorer.health().endpoints.flatMap(({ lastGoodAt }) => lastGoodAt ?? [])
  return judgeLiveness({
    now,
    eventLoopLagMs: Number.isNaN(eventLoopLagMs) ? 0 : eventLoopLagMs,
    pollers: sources.pollers(),
    lastCommitAt: sources.evaluate.counts().lastAt,
    evaluationIntervalMs,
    lastGoodAts: [times.length === 0 ? null : Math.max(...times)],
    startedAt: sources.startedAt,
    outboxIdleMs: sources.sending.idleMs(),
    isVoiceless: sources.voice?.isVoiceless(now) ?? false,
  })
}

/** Ready is whoever has judged once, on a ledger that is known to be whole: what came before is in it, what is due is queued. */
export function readReadiness({
  evaluate,
  state,
}: Pick<LivenessSources, 'evaluate' | 'state'>): HealthVerdict {
  const unchecked = state?.integrity.pending() ?? null
  const reasons = [
    ...(evaluate.counts().lastAt === null ? ['rules have not been evaluated yet'] : []),
    ...(unchecked === null ? [] : [unchecked]),
  ]
  return { ok: reasons.length === 0, reasons }
}
