import { kinds } from '../../../src/checks/index.ts'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { evaluateConditions, evaluateTransfer, matchFinding } from '../../../src/rules/evaluateRules.ts'
import { renderProblems } from '../../../src/lib/renderProblems.ts'
import { readRuleFolder } from '../../../src/rules/readRuleFolder.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import type { Facts } from '../../../src/checks/index.ts'
import { toEndpoint, toFacts, toHead, toSource } from './facts.ts'
import { eventContext, pendingSince, transferOf } from './transfers.ts'
import { hash, toPending, toRecord } from '../../support/records.ts'

const rules = await loadShipped()

async function loadShipped(): Promise<readonly LoadedRule[]> {
  const loaded = await readRuleFolder(fileURLToPath(new URL('../../../rules', import.meta.url)), kinds)
  if (!loaded.ok) throw new Error(renderProblems(loaded.problems))
  return loaded.rules
}

/** What the shipped rules say of the present: each rule with its severity and text. */
function say(facts: Facts, raised: readonly Finding[] = []): string[] {
  return evaluateConditions(rules, facts, raised).flatMap(({ rule, judgement, errors }) => {
    expect(errors).toEqual([])
    return judgement.findings.map((one) => `${rule.severity} ${rule.name}: ${rule.summarize(one, facts.now)}`)
  })
}

function tell(transfer: Transfer): string[] {
  const now = 2_000_000
  const { matches, errors } = evaluateTransfer(rules, transfer, eventContext({ now }))
  expect(errors).toEqual([])
  return matches.map(({ rule, finding }) => `${rule.severity} ${rule.name}: ${rule.summarize(finding, now)}`)
}

const minute = 60_000

describe('the shipped rules', () => {
  test('cover every kind of finding', () => {
    const covered = new Set(rules.map(({ kind }) => kind))
    expect(kinds.all.map(({ kind }) => kind).filter((kind) => !covered.has(kind))).toEqual([])
  })

  test('are silent in a healthy world', () => {
    const now = 100 * minute
    const facts = toFacts(now, {
      heads: [
        toHead({ advancedAt: now, readAt: now }),
        toHead({ chain: 'main', advancedAt: now, readAt: now }),
      ],
      sources: [toSource([toEndpoint({ lastGoodAt: now })])],
      pollers: [{ poller: 'heads', intervalMs: 10_000, startedAt: 0, lastSuccessAt: now, lastError: null }],
      transfers: [pendingSince(now - 9 * minute, now)],
    })
    expect(say(facts)).toEqual([])
  })

  const withdrawal =
    'critical withdrawal-stalled: Withdrawal of 1.5 USDC has not arrived on the main chain after 30m'
  const deposit = 'critical deposit-stalled: Deposit of 1.5 USDC has not arrived on the zone chain after 10m'
  test.each([
    { title: 'a withdrawal of 29 m 59.999 s', direction: 'ZoneToMain', now: 30 * minute - 1, said: [] },
    { title: 'a withdrawal of 30 m', direction: 'ZoneToMain', now: 30 * minute, said: [withdrawal] },
    { title: 'a deposit of 9 m 59.999 s', direction: 'MainToZone', now: 10 * minute - 1, said: [] },
    { title: 'a deposit of 10 m', direction: 'MainToZone', now: 10 * minute, said: [deposit] },
  ] as const)('of $title without arrival', ({ direction, now, said }) => {
    const base = pendingSince(0, now)
    const transfer: Transfer =
      direction === 'ZoneToMain' ? base : { ...base, direction, main: base.zone, zone: null }
    expect(say(toFacts(now, { transfers: [transfer] }))).toEqual(said)
  })

  const still = (chain: string, time: string) =>
    `critical ${chain}-chain-stalled: the ${chain} chain has stood at 5000 for ${time}; 0 transfers are in flight`
  test.each([
    { chain: 'zone', now: minute - 1, said: [] },
    { chain: 'zone', now: minute, said: [still('zone', '1m')] },
    { chain: 'main', now: 2 * minute - 1, said: [] },
    { chain: 'main', now: 2 * minute, said: [still('main', '2m')] },
  ] as const)('of a $chain head that stood still for $now ms', ({ chain, now, said }) => {
    expect(say(toFacts(now, { heads: [toHead({ chain, readAt: now })] }))).toEqual(said)
  })

  const unavailable =
    'critical source-unavailable: explorer has given no good answer for 15s; 0 transfers are not being judged'
  test.each([
    { now: 14_999, said: [] },
    { now: 15_000, said: [unavailable] },
  ])('of a source that gave no good answer for $now ms', ({ now, said }) => {
    const endpoint = toEndpoint({ lastGoodAt: 0, lastFailureAt: now, lastFailure: 'HTTP 502' })
    expect(say(toFacts(now, { sources: [toSource([endpoint])] }))).toEqual(said)
  })

  test('of refused credentials, once', () => {
    const endpoint = toEndpoint({ lastGoodAt: 0, lastFailureAt: 90_000 })
    const source = toSource([endpoint], { rejected: { at: 80_000, reason: '50113 invalid sign' } })
    expect(say(toFacts(90_000, { sources: [source] }))).toEqual([
      'critical source-rejected: explorer refuses the credentials: 50113 invalid sign; 0 transfers are not being judged',
    ])
  })

  test.each([
    { now: 600_000, said: ['warning source-drift: 3 records of E3 cannot be read: valueRaw: got a number'] },
    { now: 600_001, said: [] },
  ])('of unreadable records seen $now ms ago', ({ now, said }) => {
    const drift = [
      { endpoint: 'E3', count: 3, firstAt: 0, lastAt: 0, problem: 'valueRaw: got a number', isOfList: true },
    ]
    expect(say(toFacts(now, { drift }))).toEqual(said)
  })

  const overdue = (poller: string, age: string) =>
    `warning poll-overdue: the poller ${poller} has not completed a run for ${age}`
  test.each([
    { poller: 'heads', isBackground: false, now: 2 * minute - 1, said: [] },
    { poller: 'heads', isBackground: false, now: 2 * minute, said: [overdue('heads', '2m')] },
    { poller: 'sweep', isBackground: true, now: 10 * minute - 1, said: [] },
    { poller: 'sweep', isBackground: true, now: 10 * minute, said: [overdue('sweep', '10m')] },
  ])('of the poller $poller without a run for $now ms', ({ poller, isBackground, now, said }) => {
    const never = { intervalMs: 10_000, startedAt: 0, lastSuccessAt: null, lastError: null }
    expect(say(toFacts(now, { pollers: [{ poller, isBackground, ...never }] }))).toEqual(said)
  })

  test('of a poller whose source is away nothing beside the source', () => {
    const endpoint = toEndpoint({ lastGoodAt: 0, lastFailureAt: 10 * minute, lastFailure: 'HTTP 502' })
    const heads = {
      poller: 'heads',
      intervalMs: 10_000,
      startedAt: 0,
      lastSuccessAt: null,
      lastError: 'HTTP 502',
    }
    expect(say(toFacts(10 * minute, { pollers: [heads], sources: [toSource([endpoint])] }))).toEqual([
      'critical source-unavailable: explorer has given no good answer for 10m; 0 transfers are not being judged',
    ])
  })

  test.each([
    {
      endpoint: 'E17',
      said: 'E17 of explorer has given no good answer for 20s; not seen meanwhile: whether the code of the contracts changed',
    },
    {
      endpoint: 'E9',
      said: 'E9 of explorer has given no good answer for 20s; not seen meanwhile: whether payouts have an origin on the zone chain; 1 transfer is not being judged',
    },
    {
      endpoint: 'E3',
      said: 'the list of explorer (E3) has given no good answer for 20s; not seen meanwhile: new transfers; 1 transfer is not being judged',
    },
  ])('of one endpoint, with what it is good for: $endpoint', ({ endpoint, said }) => {
    const silent = toEndpoint({ endpoint, lastGoodAt: 0, lastFailureAt: 20_000, lastFailure: 'HTTP 502' })
    const sources = [toSource([silent, toEndpoint({ endpoint: 'E5', lastGoodAt: 19_000 })])]
    expect(say(toFacts(20_000, { sources, transfers: [pendingSince(20_000, 1)] }))).toEqual([
      `critical source-unavailable: ${said}`,
    ])
  })

  test('of a failed transfer, with its error message', () => {
    const note = {
      chain: 'zone',
      source: 'E9',
      hash: '0xzone',
      moves: null,
      at: 1,
      status: 'failed',
      errorMessage: 'no liquidity',
    } as const
    expect(tell(transferOf([toRecord({ status: 'failed' })], [note]))).toEqual([
      'critical transfer-failed: Withdrawal of 1.5 USDC failed: no liquidity',
    ])
  })

  test.each([
    {
      status: 'failed',
      expected:
        'warning transfer-failed-nothing-left: Withdrawal of 1.5 USDC failed, nothing left: no liquidity',
    },
    {
      status: 'success',
      expected: 'critical transfer-failed: Withdrawal of 1.5 USDC failed: no liquidity',
    },
  ] as const)('of a failed transfer whose origin shows $status', ({ status, expected }) => {
    const records = [toPending({ status: 'failed' }), toPending({ status: 'failed', source: 'E12' })]
    const note = { hash: hash('zone'), moves: null, chain: 'zone', source: 'E9', at: 1, status } as const
    expect(tell(transferOf(records, [{ ...note, errorMessage: 'no liquidity' }]))).toEqual([expected])
  })

  const before = toRecord({ requestedAt: 1_000_000 })
  const later = { source: 'E12', requestedAt: 1_200_000, updateTime: 1_190_000 } as const

  test('of a completed record rewritten to failed, once', () => {
    expect(tell(transferOf([before, toRecord({ ...later, status: 'failed' })]))).toEqual([
      'critical transfer-failed: Withdrawal of 1.5 USDC was completed and is now failed',
    ])
  })

  test('of a rewritten amount, once', () => {
    const changed = toRecord({ ...later, amountRaw: 9_000_000n, value: '9' })
    expect(tell(transferOf([before, changed]))).toEqual([
      'critical record-rewritten: Withdrawal of 9 USDC: its final record was changed: amountRaw',
    ])
  })

  test('of an exact amount beyond every number, to its last digit', () => {
    const amountRaw = 2n ** 255n + 1n
    const failed = transferOf([
      toRecord({ status: 'failed', token: '0xdd', tokenName: '<!channel>', amountRaw, value: null }),
    ])
    const amount = '57896044618658097711785492504343953926634992332820282019728.792003956564819969'
    const grouped =
      '57,896,044,618,658,097,711,785,492,504,343,953,926,634,992,332,820,282,019,728.792003956564819969'
    const raw =
      '57,896,044,618,658,097,711,785,492,504,343,953,926,634,992,332,820,282,019,728,792,003,956,564,819,969'
    expect(tell({ ...failed, amount })).toEqual([
      `critical transfer-failed: Withdrawal of ${grouped} [<!channel>] failed`,
    ])
    expect(tell({ ...failed, amount: null })).toEqual([
      `critical transfer-failed: Withdrawal of ${raw} base units of [<!channel>] failed`,
    ])
  })

  test('of nothing when a completed transfer is read again', () => {
    expect(tell(transferOf([before, toRecord(later)]))).toEqual([])
  })

  test.each([
    [
      'monitor.channel_dead',
      { channel: 'ops', recipient: '', reason: 'HTTP 404' },
      'the channel ops takes no messages: HTTP 404',
    ],
    [
      'monitor.channel_dead',
      { channel: 'ops', recipient: 'bob@example.com', reason: '550 no such user' },
      'mails of the channel ops do not reach bob@example.com: 550 no such user',
    ],
    [
      'monitor.message_dead',
      { channel: 'ops', count: 1, reason: 'HTTP 400' },
      '1 finding could not be told on the channel ops, and on no other: HTTP 400',
    ],
    ['monitor.rule_error', { rule: 'a', errors: 3, reason: 'boom' }, 'the rule a cannot be evaluated: boom'],
    [
      'monitor.rule_overflow',
      { rule: 'a', count: 1_200 },
      'the rule a has more findings than are reported one by one: 1200',
    ],
    [
      'monitor.state_not_persisted',
      { error: 'disk full' },
      'the state folder cannot be relied on: disk full',
    ],
    [
      'monitor.state_recovered',
      { file: 'cursors.json', reason: 'truncated' },
      'the state file cursors.json was broken and has been rebuilt: truncated',
    ],
    [
      'monitor.state_recovered',
      { file: 'ledger.sqlite', reason: '1 rows of it cannot be read' },
      'ledger.sqlite: 1 rows of it cannot be read',
    ],
  ] as const)('of %s, as it is raised', (kind, facts, text) => {
    const labels = 'channel' in facts ? { channel: facts.channel } : {}
    const finding: Finding = {
      kind,
      subject: 'x',
      title: 'x',
      transfer: null,
      facts,
      labels,
      evidence: [],
      since: 0,
    }
    expect(matchFinding(rules, finding, 1).matches.map(({ rule }) => rule.summarize(finding, 1))).toEqual([
      text,
    ])
  })

  test('of a refused edit of the rules', () => {
    const rulesRejected = { at: 0, problems: ["rules/a.yaml:3:5: unknown key 'x'"] }
    expect(say(toFacts(1, { rulesRejected }))).toEqual([
      "warning rules-rejected: the newest edit of the rules is not in force: rules/a.yaml:3:5: unknown key 'x'",
    ])
  })
})
