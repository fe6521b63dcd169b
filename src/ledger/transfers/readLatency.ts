import type { Direction } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import {
  type LatencyClass,
  latencyStepMs,
  listAllLatency,
  listLatency,
  oldestLatency,
  percentileOf,
} from '../lessons/latency.ts'

/** Percentiles of thirty days do not move faster. */
const rereadMs = 60_000

const keptMs = 30 * 86_400_000

/** What transfers usually take: read at most once a minute, each percentile made when first asked for. */
export function createLatency(db: Database): (now: UnixMs) => LatencyFacts {
  let known: { readonly at: UnixMs; readonly facts: LatencyFacts } | null = null
  return (now) => {
    if (known === null || now < known.at || now >= known.at + rereadMs) {
      known = { at: now, facts: toLatencyFacts(listAllLatency(db)) }
    }
    return known.facts
  }
}

/** What they usually took at a time of the past, by the six hours before it; before all that is kept, what they take now. */
export function createPastLatency(db: Database): (at: UnixMs) => LatencyFacts {
  const oldest = oldestLatency(db) ?? Infinity
  const made = new Map<UnixMs, LatencyFacts>()
  return (at) => {
    const step = Math.max(Math.floor(at / latencyStepMs) * latencyStepMs, oldest)
    const known = made.get(step)
    if (known !== undefined) return known
    const facts = toLatencyFacts(step > oldest ? listLatency(db, step - keptMs, step) : listAllLatency(db))
    made.set(step, facts)
    return facts
  }
}

function toLatencyFacts(all: readonly LatencyClass[]): LatencyFacts {
  const made = new Map<string, LatencyFact | null>()
  const byDirection = Map.groupBy(all, ({ direction }) => direction)
  const byToken = Map.groupBy(all, ({ token, direction }) => `${direction}|${token}`)
  return {
    of(token, direction, share) {
      const name = `${direction}|${token ?? ''}|${token === null}|${share}`
      const kept = made.get(name)
      if (kept !== undefined) return kept
      const own = token === null ? byDirection.get(direction) : byToken.get(`${direction}|${token}`)
      const fact = toFact(own ?? [], share)
      made.set(name, fact)
      return fact
    },
    tokens: (direction: Direction) => [
      ...new Set((byDirection.get(direction) ?? []).map(({ token }) => token)),
    ],
  }
}

function toFact(classes: readonly LatencyClass[], share: number): LatencyFact | null {
  const ms = percentileOf(classes, share)
  return ms === null ? null : { ms, samples: classes.reduce((sum, { count }) => sum + count, 0) }
}

interface LatencyFact {
  readonly ms: number
  readonly samples: number
}

/** How long transfers took, by their arrivals of about 30 days. */
export interface LatencyFacts {
  /** Percentile; `token` null is the whole direction. Null without any sample. `share` from 0 to 1. */
  of(token: string | null, direction: Direction, share: number): LatencyFact | null
  /** Tokens with a sample. */
  tokens(direction: Direction): readonly string[]
}
