import type { SupplyFact } from '../../src/checks/escrow/holding.ts'
import { kinds } from '../../src/checks/index.ts'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluateConditions } from '../../src/rules/evaluateRules.ts'
import { readRuleFolder } from '../../src/rules/readRuleFolder.ts'
import type { FlowTotalFact } from '../../src/checks/flow/facts.ts'
import { noStages } from '../../src/checks/stages/facts.ts'
import { summarizePast } from '../../src/checks/flow/past.ts'
import type { LoadedRule } from '../../src/rules/types.ts'
import type { Facts } from '../../src/checks/index.ts'
import {
  noFlow,
  toChallenge,
  toEndpoint,
  toFacts,
  toHead,
  toHolding,
  toOperator,
  toPreconf,
  toSource,
} from '../unit/rules/facts.ts'
import { pendingSince } from '../unit/rules/transfers.ts'

const unjudgedSupply: SupplyFact = {
  token: '0xt1',
  zoneToken: '0xz1',
  symbol: 'T',
  judged: null,
  excesses: 0,
  before: 0n,
  watchedSince: 0,
  why: '',
}

const loaded = await readRuleFolder(join(import.meta.dirname, '../../rules'), kinds)
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
const conditions = evaluateConditions(loaded.rules, toFacts(0), []).map(({ rule }) => rule)

const read = (rule: LoadedRule) => (rule.params ?? {}) as Readonly<Record<string, never>>
const drift = { endpoint: 'E3', count: 1, firstAt: 0, lastAt: 0, problem: 'unreadable', isOfList: true }
const lack = {
  endpoint: 'E3',
  key: 'status',
  use: 'judged',
  rows: 1,
  of: 1,
  isWhole: true,
  isStill: false,
  firstAt: 0,
  lastAt: 0,
  problem: 'no row has status',
} as const
const poller = { poller: 'heads', intervalMs: 1_000, startedAt: 0, lastSuccessAt: null, lastError: null }

const flowNow = 10 * 86_400_000
/** A day of hours that all were the same. */
const pastOf = (total: FlowTotalFact) =>
  summarizePast(
    Array.from({ length: 24 }, (_, at) => ({ at, isObserved: true, totals: [total] })),
    3_600_000,
  )

/** By kind: facts in which what the rule is about has lasted since 0. */
const lasting: Partial<Record<LoadedRule['kind'], (rule: LoadedRule, now: number) => Facts>> = {
  'transfer.stalled': (rule, now) => {
    const base = pendingSince(0, now)
    const isDeposit = read(rule)['direction'] === 'MainToZone'
    const deposit = { ...base, direction: 'MainToZone' as const, main: base.zone, zone: null }
    // 99 of 100 took up to four minutes.
    const latency = { of: () => ({ ms: 240_000, samples: 100 }), tokens: () => [] }
    return toFacts(now, { transfers: [isDeposit ? deposit : base], latency })
  },
  // The edges are counts, of transfers or of hundredths.
  'flow.surge': (rule, count) => {
    const total = { token: '0xt1', direction: 'ZoneToMain', side: 'arrived', count, sum: 1n } as const
    if (rule.name === 'flow-copies') {
      const copied = { ...total, amountRaw: 1n, before: 0, others: 0 }
      return toFacts(flowNow, { flow: { ...noFlow, copies: () => [copied] } })
    }
    if (rule.name === 'flow-share-of-escrow') {
      const totals = () => [{ ...total, count: 2, sum: BigInt(count) }]
      const holdings = [toHolding({ holdings: BigInt(100 - count) })]
      return toFacts(flowNow, {
        flow: { ...noFlow, totals },
        escrow: { moves: [], sums: [], unjudged: [], holdings, headroom: [] },
      })
    }
    const flow = {
      ...noFlow,
      observedSince: 0,
      totals: () => [total],
      past: () => pastOf({ ...total, count: 20 }),
    }
    return toFacts(flowNow, { flow })
  },
  'flow.failing': (_, failed) => {
    const total = { token: '0xt1', direction: 'ZoneToMain', side: 'arrived', count: 16, sum: 1n } as const
    const failures = () => [{ ...total, token: null, failed, recipients: 3, senders: 3, tokens: 1 }]
    return toFacts(flowNow, { flow: { ...noFlow, observedSince: 0, totals: () => [total], failures } })
  },
  'flow.quiet': (rule, count) => {
    const total = { token: '0xt1', direction: 'ZoneToMain', side: 'started', count, sum: 1n } as const
    if (rule.name === 'flow-dip') {
      const past = () => pastOf({ ...total, count: 80 })
      return toFacts(flowNow, { flow: { ...noFlow, observedSince: 0, totals: () => [total], past } })
    }
    return toFacts(flowNow, { flow: { ...noFlow, observedSince: 0, past: () => pastOf(total) } })
  },
  'flow.imbalance': (_, count) => {
    const total = { token: '0xt1', direction: 'ZoneToMain', side: 'arrived', count, sum: 11n } as const
    const other = { ...total, direction: 'MainToZone', sum: 1n } as const
    return toFacts(flowNow, { flow: { ...noFlow, observedSince: 0, totals: () => [total, other] } })
  },
  'escrow.shortfall': (_, now) =>
    toFacts(now, { escrow: { moves: [], sums: [], unjudged: [], holdings: [toHolding()], headroom: [] } }),
  'escrow.headroom': (rule, edge) => {
    const room = { token: '', symbol: 'ETH', decimals: 0, escrows: ['0xe1'], height: 1, at: 0 }
    // The edge of the one is what is free, of the other what is held.
    const isNow = rule.name === 'escrow-no-headroom'
    const onItsWay = isNow ? 10n : 0n
    const flow = () => ({ in: 0n, out: 70n, largest: 10n, count: 7 })
    const headroom = [{ ...room, held: BigInt(edge), onItsWay, flow }]
    return toFacts(0, { escrow: { moves: [], sums: [], unjudged: [], holdings: [], headroom } })
  },
  'supply.excess': (_, now) => {
    const supply = { height: 1, blockTime: 0, readAt: 0, decimals: 0, supply: 2n, claims: 1n, backing: 1n }
    const judged = { ...supply, excess: 1n, over: 1n }
    return toFacts(now, { supplies: [{ ...unjudgedSupply, judged, excesses: 3 }] })
  },
  'limit.used': (_, percent) => {
    const read = { used: BigInt(percent), max: 100n, height: 1, at: 0 }
    return toFacts(0, { limits: [{ name: 'today', contract: '0xc1', decimals: 0, read }] })
  },
  'supply.unknown': (_, now) => toFacts(now, { supplies: [unjudgedSupply] }),
  // The edge is a share in parts of a million.
  'escrow.drift': (_, share) => {
    const of = { token: '', symbol: 'ETH', escrows: [], amount: '1', since: 0, hashes: [], waitsFor: null }
    const sum = { ...of, count: 2, share: share / 1_000_000 }
    return toFacts(0, { escrow: { moves: [], sums: [sum], unjudged: [], holdings: [], headroom: [] } })
  },
  'operator.low_balance': (rule, now) => {
    const burn = [0, 1].map((at) => ({ at, spent: 1n, coveredMs: 43_200_000 }))
    if (rule.name === 'operator-gas-days')
      return toFacts(0, { operators: [toOperator({ balance: BigInt(2 * now), balanceAt: 0, burn })] })
    return toFacts(now, { operators: [toOperator({ minBalance: 2n, balance: 1n, balanceAt: 0 })] })
  },
  'operator.quiet': (_, now) =>
    toFacts(now, {
      newestOriginAt: 1,
      operators: [toOperator({ last: { hash: '0x1', height: 1, at: 0 }, readAt: now, isSilent: true })],
    }),
  'contract.silent': (_, now) =>
    toFacts(now, { noLogs: { contracts: ['0xb1'], since: 0, readAt: now, crossed: 20 } }),
  'probe.missed': (rule, now) => {
    const open = { count: 1, failed: 0, oldestAt: 0, newestAt: 0 }
    const probe = { address: '0xa1', direction: 'ZoneToMain', everyMs: 0, since: 0, last: null } as const
    const list = [{ ...probe, open: rule.name === 'probe-lost' ? open : null }]
    return toFacts(now, { probes: { shownUntil: now, list } })
  },
  'transfer.stage_overdue': (rule, now) => {
    // The claim ends a day and a bit later: told a day ahead, it is the bit that has passed.
    const isAhead = rule.name === 'withdrawal-expires'
    const standing = {
      stage: isAhead ? 'claimable' : 'left',
      since: 0,
      until: isAhead ? 86_400_000 + 1_000 : 0,
      isAgain: false,
    }
    return toFacts(now, {
      transfers: [pendingSince(0, now)],
      stages: { ...noStages, since: 0, shownUntil: now + 1, standingOf: () => standing },
    })
  },
  'proposal.overdue': (_, now) =>
    toFacts(now, { stages: { ...noStages, since: 0, shownUntil: now, everyMs: 0, newestProposalAt: 0 } }),
  'challenge.stuck': (_, now) =>
    toFacts(now, {
      challenges: {
        terminal: ['done'],
        listUnsettled: (before) => (before < 0 ? [] : [toChallenge({ since: 0, readAt: now })]),
      },
    }),
  'chain.stalled': (rule, now) =>
    read(rule)['behind'] === undefined
      ? toFacts(now, { heads: [toHead({ chain: read(rule)['chain'] ?? 'zone', readAt: now })] })
      : // The edge is a count: so many blocks behind.
        toFacts(0, {
          heads: [toHead({ chain: read(rule)['chain'] ?? 'main', height: 1_000 })],
          [rule.name === 'explorer-behind' ? 'canonicalHead' : 'zoneRpcHead']: {
            height: 1_000 + now,
            advancedAt: 0,
            seenAt: 0,
            below: null,
          },
        }),
  'preconf.stalled': (_, now) => toFacts(now, { preconf: toPreconf(now, { pending: 100, latest: 101 }) }),
  // The edge is a count: so many blocks behind.
  'preconf.gap': (_, gap) => toFacts(0, { preconf: toPreconf(0, { pending: 100, latest: 100 + gap }) }),
  'source.unavailable': (_, now) =>
    toFacts(now, { sources: [toSource([toEndpoint({ lastGoodAt: 0, lastFailureAt: now })])] }),
  'source.drift': (rule, now) =>
    toFacts(now, rule.name === 'source-key-missing' ? { lacks: [lack] } : { drift: [drift] }),
  // The edge is a count: so many of a hundred answers were contradicted.
  'source.suspicious': (_, contradicted) =>
    toFacts(0, { empties: { source: 'explorer', since: 0, answers: 100, contradicted } }),
  'monitor.poll_overdue': (_, now) => toFacts(now, { pollers: [poller] }),
}
const lastingSince0 = (rule: LoadedRule, now: number) => lasting[rule.kind]?.(rule, now)

const fires = (rule: LoadedRule, facts: Facts) =>
  evaluateConditions([rule], facts, []).some(({ judgement }) => judgement.findings.length > 0)

/** What is written in `rules/`; a new rule with a threshold needs its line here. */
const edges = [
  { name: 'withdrawal-stalled', on: 1_800_000, off: 1_799_999 },
  { name: 'deposit-stalled', on: 600_000, off: 599_999 },
  { name: 'transfer-slow', on: 720_000, off: 719_999 },
  { name: 'flow-copies', on: 5, off: 4 },
  { name: 'flow-share-of-escrow', on: 30, off: 29 },
  { name: 'flow-surge', on: 81, off: 80 },
  { name: 'flow-quiet', on: 20, off: 19 },
  { name: 'flow-dip', on: 19, off: 20 },
  { name: 'flow-failing', on: 4, off: 3 },
  { name: 'flow-imbalance', on: 200, off: 199 },
  { name: 'escrow-outflow', on: 10_001, off: 10_000 },
  // What was read longer ago says nothing.
  { name: 'escrow-shortfall', on: 900_000, off: 900_001 },
  { name: 'limit-nearly-used', on: 80, off: 79 },
  { name: 'limit-used', on: 95, off: 94 },
  { name: 'supply-excess', on: 900_000, off: 900_001 },
  { name: 'supply-unknown', on: 900_001, off: 900_000 },
  { name: 'escrow-headroom', on: 30, off: 31 },
  { name: 'escrow-no-headroom', on: 9, off: 10 },
  // As far as so many days of burn.
  { name: 'operator-gas-days', on: 2, off: 3 },
  { name: 'operator-low-balance', on: 900_000, off: 900_001 },
  { name: 'operator-quiet', on: 86_400_000, off: 86_399_999 },
  { name: 'contract-silent', on: 86_400_000, off: 86_399_999 },
  { name: 'probe-lost', on: 1_800_001, off: 1_800_000 },
  { name: 'probe-not-sent', on: 1_800_001, off: 1_800_000 },
  { name: 'withdrawal-not-proposed', on: 1_800_000, off: 1_799_999 },
  { name: 'withdrawal-expires', on: 1_000, off: 999 },
  { name: 'proposal-overdue', on: 1_800_001, off: 1_800_000 },
  { name: 'challenge-stuck', on: 864_000_000, off: 863_999_999 },
  { name: 'main-chain-stalled', on: 120_000, off: 119_999 },
  { name: 'zone-chain-stalled', on: 60_000, off: 59_999 },
  { name: 'explorer-behind', on: 60, off: 59 },
  { name: 'explorer-behind-zone', on: 600, off: 599 },
  { name: 'preconf-stalled', on: 10_000, off: 9_999 },
  { name: 'preconf-gap', on: 5, off: 4 },
  { name: 'source-unavailable', on: 15_000, off: 14_999 },
  { name: 'source-drift', on: 600_000, off: 600_001 },
  { name: 'source-key-missing', on: 600_000, off: 600_001 },
  { name: 'source-suspicious', on: 20, off: 19 },
  { name: 'poll-overdue', on: 120_000, off: 119_999 },
]

test('invariant 12: every shipped rule with a threshold has its edge in the table', () => {
  const withThreshold = conditions.filter(
    (rule) => lastingSince0(rule, 0) || Object.keys(read(rule)).length > 0,
  )
  expect(withThreshold.map(({ name }) => name).sort()).toEqual(edges.map(({ name }) => name).sort())
})

test.each(edges)(
  'invariant 12: $name just fires at $on ms and just does not at $off ms',
  ({ name, on, off }) => {
    const rule = conditions.find((one) => one.name === name)
    if (!rule) throw new Error(`no rule ${name}`)
    const judged = [on, off].map((now) => fires(rule, lastingSince0(rule, now) ?? toFacts(now)))
    expect(judged).toEqual([true, false])
  },
)
