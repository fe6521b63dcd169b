import { expect, test } from 'vitest'
import type { Facts } from '../../../src/checks/index.ts'
import type { SupplyFact } from '../../../src/checks/escrow/holding.ts'
import { evaluateConditions } from '../../../src/rules/evaluateRules.ts'
import { toEndpoint, toFacts, toHolding, toOperator, toSource } from '../rules/facts.ts'
import { ruleOf } from '../rules/ruleFiles.ts'

const day = 86_400_000
const now = 10 * day
const empty = { count: 0, failed: 0, oldestAt: 0, newestAt: 0 }

const supply: SupplyFact = {
  token: '0xt1',
  zoneToken: '0xz1',
  symbol: 'USDC',
  judged: {
    supply: 110n,
    claims: 100n,
    backing: 100n,
    excess: 10n,
    over: 10n,
    decimals: 0,
    height: 5,
    blockTime: now,
    readAt: now,
  },
  excesses: 3,
  before: 0n,
  watchedSince: 0,
  why: '',
}
const failing = toSource([toEndpoint({ lastGoodAt: now - 60_000, lastFailureAt: now })])
const refused = toSource([], { rejected: { at: now, reason: 'HTTP 401' } })
const quiet = toOperator({
  last: { hash: '0x1', height: 1, at: 0 },
  readAt: now,
  busySince: day,
  isSilent: true,
})
const probe = {
  address: '0xp1',
  direction: 'MainToZone' as const,
  everyMs: 1,
  since: 0,
  last: null,
  open: empty,
}

/** What is found of one thing, and what is found once that thing is well. */
const watched: readonly (readonly [string, Partial<Facts>, Partial<Facts>])[] = [
  [
    'operator.low_balance',
    { operators: [toOperator({ minBalance: 5n, balance: 1n, balanceAt: now })] },
    { operators: [toOperator({ minBalance: 5n, balance: 9n, balanceAt: now })] },
  ],
  ['operator.quiet', { operators: [quiet], newestOriginAt: now }, { operators: [quiet], newestOriginAt: 0 }],
  [
    'limit.used',
    {
      limits: [
        { name: 'a day', contract: '0xc1', decimals: 0, read: { used: 9n, max: 10n, height: 1, at: now } },
      ],
    },
    {
      limits: [
        { name: 'a day', contract: '0xc1', decimals: 0, read: { used: 1n, max: 10n, height: 1, at: now } },
      ],
    },
  ],
  [
    'probe.missed',
    { probes: { shownUntil: now, list: [probe] } },
    { probes: { shownUntil: now, list: [{ ...probe, everyMs: now }] } },
  ],
  [
    'escrow.shortfall',
    { escrow: escrowOf({ owed: 100n, holdings: 90n }) },
    { escrow: escrowOf({ owed: 100n, holdings: 100n }) },
  ],
  [
    'supply.excess',
    { supplies: [supply] },
    { supplies: [{ ...supply, judged: supply.judged && { ...supply.judged, excess: 0n } }] },
  ],
  ['source.unavailable', { sources: [failing] }, { sources: [toSource([toEndpoint({ lastGoodAt: now })])] }],
  ['source.rejected', { sources: [refused] }, { sources: [toSource([])] }],
]

function escrowOf(judged: { readonly owed: bigint; readonly holdings: bigint }): Facts['escrow'] {
  const holding = toHolding({ judged: { ...judged, openOut: 0n, height: 5, at: now } })
  return { ...toFacts(now).escrow, holdings: [holding] }
}

test.each(watched)('%s: what the configuration names no more is not called well', (kind, found, well) => {
  const rule = ruleOf(`on: ${kind}`)
  const judge = (facts: Partial<Facts>) => evaluateConditions([rule], toFacts(now, facts))[0]?.judgement
  const [finding] = judge(found)?.findings ?? []
  if (!finding) throw new Error('it was not found')
  const listEnd = (facts: Partial<Facts>) => {
    const { findings, lossOf, unknown } = judge(facts) ?? {}
    return { found: findings?.length, isUnknown: unknown?.includes(finding.subject), loss: lossOf?.(finding) }
  }
  expect(listEnd(well)).toEqual({ found: 0, isUnknown: false, loss: null })
  expect(listEnd({})).toEqual({ found: 0, isUnknown: false, loss: 'it is not watched any more' })
})
