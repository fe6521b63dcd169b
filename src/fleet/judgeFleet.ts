import { formatDuration } from '../lib/duration.ts'
import type { VerdictLevel } from '../web/statusFacts.ts'
import type { FleetBridge } from './readFleet.ts'

/** A row that is older says nothing of the present: its holder writes it every five seconds. */
const oldMs = 30_000

export interface Judged {
  readonly level: VerdictLevel
  /** What is wrong with the watching itself; null while somebody watches. */
  readonly problem: string | null
}

const levels: readonly VerdictLevel[] = ['fine', 'attention', 'critical', 'unknown']

/** The verdict of a bridge as it is now: what nobody watches is critical, whatever was said of it last. */
export function judgeBridge({ verdict, holder, isHeld, ageMs }: FleetBridge): Judged {
  if (!isHeld)
    return {
      level: 'critical',
      problem:
        holder === null
          ? 'nobody watches it, and nobody ever did'
          : `nobody watches it: ${holder} was the last`,
    }
  if (verdict === null || ageMs === null)
    return { level: 'unknown', problem: `${holder ?? 'its holder'} has not said anything of it yet` }
  if (ageMs > oldMs)
    return {
      level: 'critical',
      problem: `${holder ?? 'its holder'} has said nothing of it for ${formatDuration(Math.round(ageMs / 1_000) * 1_000)}`,
    }
  return { level: levels.find((level) => level === verdict) ?? 'unknown', problem: null }
}

const ranks: Readonly<Record<VerdictLevel, number>> = { critical: 3, unknown: 2, attention: 1, fine: 0 }

/** All bridges in one word, the worst of them first in the reasons. */
export function judgeFleet(bridges: readonly FleetBridge[]): {
  readonly level: VerdictLevel
  readonly reasons: readonly string[]
} {
  if (bridges.length === 0) return { level: 'unknown', reasons: ['No bridge has ever been watched'] }
  const judged = bridges
    .map((one) => ({ one, ...judgeBridge(one) }))
    .toSorted((a, b) => ranks[b.level] - ranks[a.level])
  const reasons = judged.flatMap(({ one, level, problem }) =>
    level === 'fine' ? [] : [`${one.bridge}: ${problem ?? one.reasons[0] ?? level}`],
  )
  return { level: judged[0]?.level ?? 'unknown', reasons }
}

/** The worst first, then by name: what needs a look is not sought. */
export function rankBridges<T extends FleetBridge>(bridges: readonly T[]): T[] {
  return bridges.toSorted((a, b) => ranks[judgeBridge(b).level] - ranks[judgeBridge(a).level])
}
