import type { UnixMs } from '../../lib/clock.ts'
import { type ClockJump, rebaseInstant } from '../../lib/rebaseInstant.ts'
import type { EndpointId } from './endpoint.ts'

/** Answers of one endpoint of which rows, or all, belong to another question. */
interface Mismatches {
  readonly endpoint: EndpointId
  readonly count: number
  readonly firstAt: UnixMs
  readonly lastAt: UnixMs
  /** What was asked for and what came, of the newest. */
  readonly problem: string
}

export interface MismatchLog {
  note(endpoint: EndpointId, at: UnixMs, problem: string): void
  /** Per endpoint, those whose newest is not older than `since`. */
  list(since: UnixMs): readonly Mismatches[]
  /** The machine slept: how long ago something was stays as it is. */
  rebaseClock(jump: ClockJump): void
}

/** After how long without one the next one begins anew. */
const pauseMs = 3_600_000

/** Remembers answers to other questions: most of them leave no record that could show them. */
export function createMismatchLog(): MismatchLog {
  const byEndpoint = new Map<EndpointId, Mismatches>()
  return {
    note(endpoint, at, problem) {
      const before = byEndpoint.get(endpoint)
      const isNew = before === undefined || at - before.lastAt > pauseMs
      const { count, firstAt } = isNew ? { count: 0, firstAt: at } : before
      byEndpoint.set(endpoint, { endpoint, count: count + 1, firstAt, lastAt: at, problem })
    },
    list: (since) => [...byEndpoint.values()].filter(({ lastAt }) => lastAt >= since),
    rebaseClock(jump) {
      for (const [endpoint, one] of byEndpoint) {
        const { firstAt, lastAt } = one
        byEndpoint.set(endpoint, {
          ...one,
          firstAt: rebaseInstant(firstAt, jump),
          lastAt: rebaseInstant(lastAt, jump),
        })
      }
    },
  }
}
