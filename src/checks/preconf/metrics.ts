import type { UnixMs } from '../../lib/clock.ts'
import { listPreconfHours } from './store.ts'
import type { Database } from '../../store/database.ts'
import type { PreconfPart } from './facts.ts'

const dayMs = 86_400_000

/** Preconfirmations in numbers, for metrics; null when none are watched. */
export function readPreconfMetrics(
  db: Database,
  { preconf, preconfLoad: load }: PreconfPart,
  now: UnixMs,
): PreconfMetrics | null {
  if (preconf === null) return null
  const { pending, latest } = preconf.view
  const hours = listPreconfHours(db, now - dayMs, now)
  const sum = (name: 'hits' | 'unseen' | 'leadCount' | 'leadSumMs') =>
    hours.reduce((total, hour) => total + hour[name], 0)
  const seen = sum('hits') + sum('unseen')
  const present = hours.at(-1)
  const isPresent = present !== undefined && now - present.hour < 3_600_000
  const outcomes = ['kept', 'moved', 'flipped', 'dropped', 'unknown'] as const
  return {
    pendingAgeMs: pending && now - pending.advancedAt,
    latestAgeMs: latest && now - latest.advancedAt,
    gap: pending && latest && Math.max(0, latest.height - pending.height),
    held: load?.held ?? 0,
    missedTicks: load?.missedTicks ?? 0,
    outcomes: Object.fromEntries(outcomes.map((name) => [name, isPresent ? present[name] : 0])),
    hitRate: seen === 0 ? null : sum('hits') / seen,
    meanLeadMs: sum('leadCount') === 0 ? null : sum('leadSumMs') / sum('leadCount'),
  }
}

/** What is known of preconfirmations; ages in ms, null when not known. */
export interface PreconfMetrics {
  readonly pendingAgeMs: number | null
  readonly latestAgeMs: number | null
  readonly gap: number | null
  readonly held: number
  readonly missedTicks: number
  /** Since the present hour began, by what became of them. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Of closely watched blocks in the last 24 hours; null without a single one. */
  readonly hitRate: number | null
  readonly meanLeadMs: number | null
}
