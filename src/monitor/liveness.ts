import type { UnixMs } from '../lib/clock.ts'
import type { EvaluateLoop } from './evaluateLoop.ts'
import type { PollerStatus } from '../kernel/runner.ts'
import type { Explorer } from '../clients/explorer/createExplorer.ts'
import { judgeLiveness } from './judgeLiveness.ts'
import type { HealthVerdict } from './judgeLiveness.ts'

export interface LivenessSources {
  readonly explorer: Pick<Explorer, 'health'>
  readonly evaluate: Pick<EvaluateLoop, 'counts'>
  readonly startedAt: UnixMs
  pollers(): readonly PollerStatus[]
  readonly sending: { idleMs(): number }
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

/** Ready is whoever has judged once: what came before is in the ledger, what is due is queued. */
export function readReadiness({ evaluate }: Pick<LivenessSources, 'evaluate'>): HealthVerdict {
  const ok = evaluate.counts().lastAt !== null
  return { ok, reasons: ok ? [] : ['rules have not been evaluated yet'] }
}
