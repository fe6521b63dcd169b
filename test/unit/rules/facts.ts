import type { Challenge } from '../../../src/checks/challenges/challenge.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { summarizePast } from '../../../src/checks/flow/past.ts'
import type { Facts } from '../../../src/checks/index.ts'
import { noStages } from '../../../src/checks/stages/facts.ts'
import type { OperatorFact } from '../../../src/checks/operators/facts.ts'
import type { EscrowHolding } from '../../../src/checks/escrow/holding.ts'
import type { PreconfFacts } from '../../../src/checks/preconf/facts.ts'
import type { EndpointHealth } from '../../../src/clients/sourceHealth.ts'
import type { SourceHealth } from '../../../src/clients/sourceHealth.ts'
import { trackHead } from '../../../src/kernel/heads/trackHead.ts'
import type { Head } from '../../../src/kernel/heads/heads.ts'

/** Facts of a healthy, empty world at `now`; tests override what they are about. */
export function toFacts(
  now: number,
  overrides: Partial<Facts> & { transfers?: readonly Transfer[] } = {},
): Facts {
  const { transfers = [], ...rest } = overrides
  const pending = transfers.filter(({ state }) => state === 'pending')
  return {
    now,
    flow: noFlow,
    latency: { of: () => null, tokens: () => [] },
    heads: [],
    sources: [],
    canonicalHead: null,
    zoneRpcHead: null,
    preconf: null,
    pollers: [],
    drift: [],
    lacks: [],
    unreadKeys: [],
    rulesRejected: null,
    empties: { source: 'explorer', since: now - 300_000, answers: 0, contradicted: 0 },
    listLag: null,
    incomplete: [],
    differences: { differences: [], possible: [], contradictions: [] },
    listPending: ({ direction, originAtOrBefore }) =>
      pending.filter(
        (transfer) =>
          transfer.originAt <= originAtOrBefore && (direction === null || transfer.direction === direction),
      ),
    countPending: () => pending.length,
    escrow: { moves: [], sums: [], unjudged: [], holdings: [], headroom: [] },
    supplies: [],
    limits: [],
    operators: [],
    newestOriginAt: null,
    noLogs: null,
    probes: { shownUntil: null, list: [] },
    stages: noStages,
    challenges: { terminal: [], listUnsettled: () => [] },
    ...rest,
  }
}

/** Preconfirmations read without a pause since 0, whose heights have stood since then. */
export function toPreconf(now: number, heights: { pending: number | null; latest: number }): PreconfFacts {
  const at = (height: number) => ({
    ...trackHead(null, { height, blockTime: null, at: 0 }),
    seenAt: now,
    readAt: now,
  })
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

/** What answers now always did, unless the test says since when. */
export function toEndpoint(overrides: Partial<EndpointHealth> = {}): EndpointHealth {
  const { lastGoodAt = null, lastFailureAt = null } = overrides
  const isFailing = lastFailureAt !== null && lastFailureAt > (lastGoodAt ?? -1)
  return {
    endpoint: 'E3',
    firstAskedAt: 0,
    lastGoodAt: null,
    lastFailureAt: null,
    lastFailure: null,
    // The first question after the newest good answer failed, and many since that others answered.
    failingSince: isFailing ? (lastGoodAt ?? 0) : null,
    ownFailures: isFailing ? 9 : 0,
    isThrottling: false,
    backAt: null,
    intervalMs: 5_000,
    ...overrides,
  }
}

export const toSource = (
  endpoints: readonly EndpointHealth[],
  overrides: Partial<SourceHealth> = {},
): SourceHealth => ({
  source: 'explorer',
  host: 'explorer.example.com',
  startedAt: 0,
  endpoints,
  backAt: null,
  rejected: null,
  ...overrides,
})

export const toChallenge = (overrides: Partial<Challenge> = {}): Challenge => ({
  hash: '0xc1',
  contract: '0xb1',
  height: 100,
  status: 'proving',
  l1: '',
  since: 0,
  readAt: 0,
  changes: 0,
  past: [],
  candidate: null,
  ...overrides,
})

/** Nothing is known of it. */
export const toOperator = (overrides: Partial<OperatorFact> = {}): OperatorFact => ({
  address: '0xop',
  minBalance: null,
  balance: null,
  balanceAt: null,
  burn: [],
  last: null,
  readAt: null,
  busySince: null,
  isSilent: false,
  ...overrides,
})

/** 90 held of 100 that are owed, judged at 0. */
export const toHolding = (overrides: Partial<EscrowHolding> = {}): EscrowHolding => ({
  token: '0xt1',
  symbol: 'USDC',
  escrows: ['0xe1'],
  decimals: 0,
  holdings: 90n,
  holdingsAt: 0,
  accounts: null,
  isHeld: true,
  ground: 'configured',
  baseline: 100n,
  startedAt: 0,
  judged: { owed: 100n, holdings: 90n, openOut: 0n, height: 5, at: 0 },
  ...overrides,
})

export const noFlow: Facts['flow'] = {
  observedSince: null,
  settleMs: 60_000,
  coverage: () => 1,
  isBehind: () => false,
  totals: () => [],
  past: (windowMs) => summarizePast([], windowMs),
  copies: () => [],
  firstTimers: () => [],
  failures: () => [],
  newestAt: () => null,
  token: () => ({ symbol: null, decimals: null }),
  since: () => 0,
}
