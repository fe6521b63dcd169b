import type { UnixMs } from '../../lib/clock.ts'
import { type ClockJump, rebaseInstant } from '../../lib/rebaseInstant.ts'

/** How one endpoint has been answering; null means never. */
interface EndpointRecord {
  readonly endpoint: string
  readonly firstAskedAt: UnixMs
  readonly lastGoodAt: UnixMs | null
  readonly lastFailureAt: UnixMs | null
  readonly lastFailure: string | null
  /** Its first failure since its last good answer; null while the newest answer is good. */
  readonly failingSince: UnixMs | null
  /** Its first good answer since its last failure; null while the newest answer is none. */
  readonly goodSince: UnixMs | null
}

export interface ExplorerHealth {
  readonly source: string
  readonly host: string
  readonly startedAt: UnixMs
  readonly endpoints: readonly EndpointRecord[]
  /** Credentials refused by the newest answer: what it said. */
  readonly rejected: { readonly at: UnixMs; readonly reason: string } | null
  /** By how much the service's clock was ahead of ours lately, to about a second; null when unknown. */
  readonly clockAheadMs: number | null
}

export interface HealthRecorder {
  asked(endpoint: string, at: UnixMs): void
  /** A decoded answer that nothing known contradicts. */
  good(endpoint: string, at: UnixMs): void
  failed(endpoint: string, at: UnixMs, reason: string, isRejected: boolean): void
  /** Any answer came, with its Date header, received at `at`. */
  answered(date: string | null, at: UnixMs): void
  /** The wall clock was set: how long ago something was stays as it is. */
  rebaseClock(jump: ClockJump): void
  read(): ExplorerHealth
}

/** A few Date headers may be wrong, or come from a cache. */
const keptDates = 5

export function createHealth(options: {
  readonly source: string
  readonly host: string
  readonly startedAt: UnixMs
}): HealthRecorder {
  const endpoints = new Map<string, EndpointRecord>()
  let { startedAt } = options
  let rejected: ExplorerHealth['rejected'] = null
  let ahead: readonly number[] = []

  function update(endpoint: string, at: UnixMs, change: Partial<EndpointRecord>): void {
    const before = endpoints.get(endpoint) ?? {
      endpoint,
      firstAskedAt: at,
      lastGoodAt: null,
      lastFailureAt: null,
      lastFailure: null,
      failingSince: null,
      goodSince: null,
    }
    endpoints.set(endpoint, { ...before, ...change })
  }

  function restart({ endpoint, failingSince }: EndpointRecord, at: UnixMs): void {
    if (failingSince !== null) update(endpoint, at, { failingSince: at })
  }

  return {
    asked: (endpoint, at) => update(endpoint, at, {}),
    good(endpoint, at) {
      // The credentials are accepted again: what was refused has its time anew.
      if (rejected !== null) for (const one of endpoints.values()) restart(one, at)
      rejected = null
      const goodSince = endpoints.get(endpoint)?.goodSince ?? at
      update(endpoint, at, { lastGoodAt: at, failingSince: null, goodSince })
    },
    failed(endpoint, at, reason, isRejected) {
      // A timeout in between does not say that the credentials are accepted again.
      if (isRejected) rejected = { at, reason }
      const failingSince = endpoints.get(endpoint)?.failingSince ?? at
      update(endpoint, at, { lastFailureAt: at, lastFailure: reason, failingSince, goodSince: null })
    },
    answered(date, at) {
      const theirs = Date.parse(date ?? '')
      // The header tells whole seconds, so half a second is its likeliest remainder.
      if (!Number.isNaN(theirs)) ahead = [...ahead, theirs + 500 - at].slice(-keptDates)
    },
    rebaseClock(jump) {
      const move = (at: UnixMs | null) => (at === null ? null : rebaseInstant(at, jump))
      startedAt = rebaseInstant(startedAt, jump)
      if (rejected !== null) rejected = { ...rejected, at: rebaseInstant(rejected.at, jump) }
      for (const one of endpoints.values()) {
        endpoints.set(one.endpoint, {
          ...one,
          firstAskedAt: rebaseInstant(one.firstAskedAt, jump),
          lastGoodAt: move(one.lastGoodAt),
          lastFailureAt: move(one.lastFailureAt),
          failingSince: move(one.failingSince),
          goodSince: move(one.goodSince),
        })
      }
    },
    read: () => ({
      ...options,
      startedAt,
      endpoints: [...endpoints.values()],
      rejected,
      clockAheadMs: median(ahead),
    }),
  }
}

function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}
