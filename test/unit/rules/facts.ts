import type { Transfer } from '../../../src/domain/transfer.ts'
import { destinationLeg } from '../../../src/domain/transfer.ts'
import type { EndpointHealth, Facts, Head, PreconfFacts, SourceHealth } from '../../../src/rules/types.ts'

/** Facts of a healthy, empty world at `now`; tests override what they are about. */
export function toFacts(
  now: number,
  overrides: Partial<Facts> & { transfers?: readonly Transfer[] } = {},
): Facts {
  const { transfers = [], ...rest } = overrides
  const pending = transfers.filter((transfer) => destinationLeg(transfer) === null)
  return {
    now,
    heads: [],
    sources: [],
    canonicalHead: null,
    preconf: null,
    pollers: [],
    drift: [],
    rulesRejected: null,
    empties: { source: 'explorer', since: now - 300_000, answers: 0, contradicted: 0 },
    listLag: null,
    listPending: ({ direction, originAtOrBefore }) =>
      pending.filter(
        (transfer) =>
          transfer.originAt <= originAtOrBefore && (direction === null || transfer.direction === direction),
      ),
    countPending: () => pending.length,
    ...rest,
  }
}

/** Preconfirmations read without a pause since 0, whose heights have stood since then. */
export function toPreconf(now: number, heights: { pending: number | null; latest: number }): PreconfFacts {
  const at = (height: number) => ({ height, advancedAt: 0, seenAt: now, below: null })
  return {
    intervalMs: 200,
    unansweredSince: null,
    view: {
      startedAt: 0,
      readAt: now,
      readSince: 0,
      pending: heights.pending === null ? null : at(heights.pending),
      nullSince: heights.pending === null ? 0 : null,
      latest: at(heights.latest),
    },
  }
}

export const toHead = (overrides: Partial<Head> = {}): Head => ({
  chain: 'zone',
  height: 5_000,
  blockTime: null,
  advancedAt: 0,
  readAt: 0,
  ...overrides,
})

export const toEndpoint = (overrides: Partial<EndpointHealth> = {}): EndpointHealth => ({
  endpoint: 'E3',
  firstAskedAt: 0,
  lastGoodAt: null,
  lastFailureAt: null,
  lastFailure: null,
  intervalMs: 5_000,
  ...overrides,
})

export const toSource = (
  endpoints: readonly EndpointHealth[],
  overrides: Partial<SourceHealth> = {},
): SourceHealth => ({
  source: 'explorer',
  host: 'explorer.example.com',
  startedAt: 0,
  endpoints,
  rejected: null,
  ...overrides,
})
