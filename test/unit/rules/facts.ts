import type { Transfer } from '../../../src/domain/transfer.ts'
import { destinationLeg } from '../../../src/domain/transfer.ts'
import type { EndpointHealth, Facts, Head, SourceHealth } from '../../../src/rules/types.ts'

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
