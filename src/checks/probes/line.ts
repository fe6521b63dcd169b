import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import type { ProbeFact } from './facts.ts'
import { listLatencies } from './store.ts'

/** What page, metrics and API show of one prober in one direction. */
export interface ProbeLine extends Pick<ProbeFact, 'address' | 'direction' | 'everyMs' | 'since' | 'open'> {
  readonly last: (NonNullable<ProbeFact['last']> & { readonly latencyMs: number }) | null
  /** How long those took that left in the past day and came through; null for none. */
  readonly day: {
    readonly count: number
    readonly p50: number
    readonly p95: number
    readonly most: number
  } | null
}

const dayMs = 86_400_000

export function readProbeLine(db: Database, probe: ProbeFact, now: UnixMs): ProbeLine {
  const { address, direction, everyMs, since, open, last } = probe
  const took = listLatencies(db, probe, now - dayMs)
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0
  return {
    address,
    direction,
    everyMs,
    since,
    open,
    last: last && { ...last, latencyMs: last.arrivedAt - last.leftAt },
    day: took.length === 0 ? null : { count: took.length, p50: at(0.5), p95: at(0.95), most: at(1) },
  }
}
