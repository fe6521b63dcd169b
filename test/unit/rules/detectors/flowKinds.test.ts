import { describe, expect, test } from 'vitest'
import { flowImbalance } from '../../../../src/checks/flow/imbalance.ts'
import { flowQuiet } from '../../../../src/checks/flow/quiet.ts'
import { flowSurge } from '../../../../src/checks/flow/surge.ts'
import { flowFailing } from '../../../../src/checks/flow/failing.ts'
import type { FailureCount } from '../../../../src/ledger/transfers/countFailures.ts'
import type { FlowFacts, FlowTotalFact } from '../../../../src/checks/flow/facts.ts'
import { type PastWindow, summarizePast } from '../../../../src/checks/flow/past.ts'
import type { Facts } from '../../../../src/checks/index.ts'
import { noFlow, toFacts, toHolding } from '../facts.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const now = 10 * dayMs

const withdrawals = (count: number, overrides: Partial<FlowTotalFact> = {}): FlowTotalFact => ({
  token: '0xaa',
  direction: 'ZoneToMain',
  side: 'arrived',
  count,
  sum: BigInt(count),
  ...overrides,
})
/** Hours of the past, the newest first, each with these totals. */
const hours = (count: number, totals: readonly FlowTotalFact[], isObserved = true): PastWindow[] =>
  Array.from({ length: count }, (_, index) => ({ at: now - (index + 1) * hourMs, isObserved, totals }))
const past = (windows: readonly PastWindow[]) => () => summarizePast(windows, hourMs)
const flowOf = (flow: Partial<FlowFacts>): FlowFacts => ({ ...noFlow, observedSince: 0, ...flow })

function judgeSurge(flow: Partial<FlowFacts>, params: object, facts: Partial<Facts> = {}) {
  const all = toFacts(now, { ...facts, flow: flowOf(flow) })
  return flowSurge.judge(all, flowSurge.params.parse({ window: '1h', ...params }))
}
const surges = (...asked: Parameters<typeof judgeSurge>) =>
  judgeSurge(...asked).findings.map(({ facts }) => facts['bound'])

describe('flow.surge', () => {
  test.each([
    [100, []],
    [101, ['100 transfers']],
  ])('of at most 100 transfers, %i are told as %j', (count, said) => {
    expect(surges({ totals: () => [withdrawals(count)] }, { maxCount: 100 })).toEqual(said)
  })

  const token = () => ({ symbol: 'USDC', decimals: 6 })
  test.each([
    ['the bound to the last unit', { USDC: '250000.5' }, 250_000_500_000n, []],
    ['one base unit more', { USDC: '250000.5' }, 250_000_500_001n, ['250,000.5 USDC']],
    ['more, by address', { '0xAA': '250000.5' }, 250_000_500_001n, ['250,000.5 USDC']],
    ['more, of a token without a bound', { WETH: '1' }, 250_000_500_001n, []],
  ])('of value: %s', (_, maxAmount, sum, said) => {
    expect(surges({ token, totals: () => [withdrawals(2, { sum })] }, { maxAmount })).toEqual(said)
  })

  test.each([
    ['by a spelling', 'native currency', { [`0x${'00'.repeat(20)}`]: '1' }],
    ['by its symbol', 'COIN', { COIN: '1' }],
  ])('of value of the native currency, %s', (_, name, maxAmount) => {
    const symbol = name === 'COIN' ? name : null
    const totals = () => [withdrawals(2, { token: '', sum: 10n ** 18n + 1n })]
    const flow = { token: () => ({ symbol, decimals: 18 }), totals }
    expect(surges(flow, { maxAmount })).toEqual([`1 ${name}`])
    expect(judgeSurge(flow, { maxCount: 1 }).findings).toMatchObject([
      { title: `${name}, ZoneToMain`, labels: { symbol: name }, facts: { amount: '1.000000000000000001' } },
    ])
  })

  test('a bound of value says nothing of a token whose decimals are unknown', () => {
    expect(surges({ totals: () => [withdrawals(2)] }, { maxAmount: { '0xaa': '0' } })).toEqual([])
  })

  test.each(['1e3', '-1', 'lots'])('an amount written as %s is refused', (text) => {
    expect(flowSurge.params.safeParse({ maxAmount: { USDC: text } }).success).toBe(false)
  })

  const day = hours(24, [withdrawals(20)])
  test.each([
    ['a day observed, four times the most', 80, day, 0, []],
    ['a day observed, more than that', 81, day, 0, ['4 times the 20 of its past']],
    ['a moment less than a day since the start', 81, day, now - dayMs + 1, []],
    ['much of the day not observed', 81, [...hours(19, [withdrawals(20)]), ...hours(5, [], false)], 0, []],
    ['a new token', 81, [...hours(23, [withdrawals(20)]), ...hours(24, []).slice(23)], 0, []],
  ])('against its past with %s', (_, count, windows, observedSince, said) => {
    const flow = { observedSince, totals: () => [withdrawals(count)], past: past(windows) }
    expect(surges(flow, { timesPast: 4 })).toEqual(said)
  })

  test.each([
    [80n, []],
    [81n, ['4 times the value of its past']],
  ])('against the value of its past %i are told as %j', (sum, said) => {
    const flow = { totals: () => [withdrawals(20, { sum })], past: past(day) }
    expect(surges(flow, { timesPastAmount: 4 })).toEqual(said)
  })

  test.each([
    [19, []],
    [20, ['4 times the 1 of its past']],
  ])('%i transfers where 20 are the least that count', (count, said) => {
    const flow = { totals: () => [withdrawals(count)], past: past(hours(24, [withdrawals(1)])) }
    expect(surges(flow, { timesPast: 4 })).toEqual(said)
  })

  const copies =
    (count: number, before = 0, others = 0) =>
    () => [{ token: '0xaa', direction: 'ZoneToMain' as const, amountRaw: 10n, count, before, others }]
  const arrived = (sum: bigint) => () => [withdrawals(50, { sum })]
  test.each([
    ['five copies', { copies: copies(5) }, 1],
    ['four copies', { copies: copies(4) }, 0],
    ['five of an amount seen twice before', { copies: copies(5, 2) }, 0],
    ['six of an amount seen twice before', { copies: copies(6, 2) }, 1],
    ['half of the value, before a day', { copies: copies(5), totals: arrived(100n), observedSince: now }, 1],
    ['less of the value, before a day', { copies: copies(5), totals: arrived(101n), observedSince: now }, 0],
    ['two other repeated amounts, before a day', { copies: copies(5, 0, 2), observedSince: now }, 0],
    ['two other repeated amounts, later', { copies: copies(5, 0, 2), past: past(day) }, 1],
  ])('of one amount: %s', (_, flow, found) => {
    expect(surges(flow, { copies: 5 })).toHaveLength(found)
  })

  test.each([
    ['29 of the 100 that were there', 2, 71n, 29n, []],
    ['30 of them', 2, 70n, 30n, ['30 % of what the escrow held']],
    ['30 of them in one transfer', 1, 70n, 30n, []],
    ['of what is not known', 2, null, 30n, []],
  ])('against the escrow: %s', (_, count, holdings, sum, said) => {
    const escrow = {
      moves: [],
      sums: [],
      unjudged: [],
      holdings: [toHolding({ token: '0xaa', holdings })],
      headroom: [],
    }
    const flow = { totals: () => [withdrawals(count, { sum })] }
    expect(surges(flow, { share: 0.3 }, { escrow })).toEqual(said)
  })

  test.each([
    [17, []],
    [18, ['90 % to recipients never paid before']],
  ])('of 20 arrivals, %i first-time recipients are told as %j', (first, said) => {
    const firstTimers = () => [{ token: '0xaa', direction: 'ZoneToMain' as const, count: 20, first }]
    const flow = { totals: () => [withdrawals(20)], past: past(day), firstTimers }
    expect(surges(flow, { firstTimeShare: 0.9 })).toEqual(said)
  })

  test('several passed bounds of one token and direction are one finding', () => {
    const flow = { totals: () => [withdrawals(500)], copies: copies(9), past: past(day) }
    const { findings } = judgeSurge(flow, { copies: 5, maxCount: 10, timesPast: 2 })
    expect(findings.map(({ subject }) => subject)).toEqual(['0xaa|ZoneToMain'])
  })

  test('the other direction is left out where one is named', () => {
    expect(surges({ totals: () => [withdrawals(9)] }, { maxCount: 1, direction: 'MainToZone' })).toEqual([])
  })

  test.each([
    ['is not read', { coverage: () => 0.4 }, 'all'],
    ['is read', { coverage: () => 1 }, []],
    ['is still being summed up', { isBehind: () => true }, 'all'],
  ])('while the list %s, what was told stays or ends', (_, flow, unknown) => {
    expect(judgeSurge(flow, { maxCount: 1 })).toEqual({ findings: [], unknown })
  })
})

function judgeQuiet(flow: Partial<FlowFacts>, params: object = {}, facts: Partial<Facts> = {}) {
  const all = toFacts(now, { ...facts, flow: flowOf(flow) })
  const { findings, unknown } = flowQuiet.judge(all, flowQuiet.params.parse(params))
  return { found: findings.map(({ subject }) => subject), unknown }
}
const started = (count: number, overrides: Partial<FlowTotalFact> = {}) =>
  withdrawals(count, { side: 'started', ...overrides })
const silent = { found: [], unknown: [] }

const later = (windows: readonly PastWindow[], by: number) =>
  windows.map((window) => ({ ...window, at: window.at - by * hourMs }))

describe('flow.quiet', () => {
  const busy = hours(24, [started(20)])
  const told = { found: ['|ZoneToMain'], unknown: [] }

  test.each([
    ['a silent hour after 24 of 20 each', busy, told],
    ['after 24 of 19 each', hours(24, [started(19)]), silent],
    ['where one had four', [...busy.slice(1), ...hours(1, [started(4)])], silent],
    ['where one had five', [...hours(24, [started(21)]), ...hours(1, [started(5)])], told],
    [
      'where one between them had none',
      [...busy.slice(1), ...later(hours(1, []), 30), ...later(busy, 30)],
      silent,
    ],
    ['where the silence has lasted for three', [...hours(3, []), ...later(busy, 3)], told],
    ['where one that was not observed had none', [...busy, ...hours(9, [], false)], told],
    ['where hardly any was observed', [...busy.slice(6), ...hours(6, [], false)], silent],
  ])('%s', (_, windows, expected) => {
    expect(judgeQuiet({ past: past(windows) })).toEqual(expected)
  })

  const dips = (count: number, windows: readonly PastWindow[]) =>
    judgeQuiet({ past: past(windows), totals: () => [started(count)] }, { below: 0.25 })
  test.each([
    ['four of an average of 20 are a dip', 4, busy, told],
    ['five are none', 5, busy, silent],
    [
      'what nights have is none',
      5,
      [...hours(18, [started(30)]), ...later(hours(6, [started(5)]), 18)],
      silent,
    ],
    [
      'one that has lasted for an hour goes on',
      4,
      [...hours(1, [started(4)]), ...later(hours(24, [started(21)]), 1)],
      told,
    ],
    ['of an average of 19 it is none', 1, hours(24, [started(19)]), silent],
  ])('below a quarter: %s', (_, count, windows, expected) => {
    expect(dips(count, windows)).toEqual(expected)
  })

  test('of the native currency is told by itself, whatever else goes on', () => {
    const both = hours(24, [started(20, { token: '' }), started(20)])
    const flow = { past: past(both), totals: () => [started(20)] }
    expect(judgeQuiet(flow, { by: 'token' })).toEqual(told)
    expect(judgeQuiet(flow)).toEqual(silent)
  })

  test('without a share less than usual is no silence', () => {
    expect(judgeQuiet({ past: past(busy), totals: () => [started(1)] })).toEqual(silent)
  })

  test('is silent until a day was observed (semantics 30)', () => {
    expect(judgeQuiet({ past: past(busy), observedSince: now - dayMs + 1 })).toEqual(silent)
    expect(judgeQuiet({ past: past(busy), observedSince: now - dayMs })).toEqual(told)
  })

  test('looks so much further back as the list need not show yet', () => {
    const asked: number[] = []
    judgeQuiet({ past: past(busy), totals: (windowMs) => (asked.push(windowMs), []), settleMs: 61_000 })
    expect(asked).toEqual([hourMs + 70_000])
  })

  test('began when the last one was counted', () => {
    const facts = toFacts(now, { flow: flowOf({ past: past(busy), newestAt: () => now - 2 * hourMs }) })
    const [finding] = flowQuiet.judge(facts, flowQuiet.params.parse({})).findings
    expect(finding).toMatchObject({ since: now - 2 * hourMs + 10_000, facts: { expected: 20 } })
  })

  test.each([
    ['was not read all the time', { coverage: () => 0.98 }, {}],
    ['is still being summed up', { isBehind: () => true }, {}],
    ['lags behind', {}, { listLag: { at: now, lagMs: 100_000, says: 'late' } }],
    ['has a past that is still being read', { past: () => null }, {}],
  ])('a list that %s leaves it unknown', (_, flow, facts) => {
    expect(judgeQuiet({ past: past(busy), ...flow }, {}, facts)).toEqual({ found: [], unknown: 'all' })
  })

  test('one token that fell silent is told where tokens are looked at by themselves', () => {
    const both = hours(24, [started(20), started(20, { token: '0xbb' })])
    const flow = { past: past(both), totals: () => [started(1)] }
    expect(judgeQuiet(flow)).toEqual(silent)
    expect(judgeQuiet(flow, { by: 'token' })).toEqual({ found: ['0xbb|ZoneToMain'], unknown: [] })
  })
})

describe('flow.imbalance', () => {
  const judge = (flow: Partial<FlowFacts>) => {
    const { findings, unknown } = flowImbalance.judge(
      toFacts(now, { flow: flowOf(flow) }),
      flowImbalance.params.parse({}),
    )
    return { found: findings.map(({ subject }) => subject), unknown }
  }
  const deposits = withdrawals(1, { direction: 'MainToZone', sum: 10n })
  const told = { found: ['0xaa|ZoneToMain'], unknown: [] }

  test.each([
    ['ten times the other direction', [withdrawals(200, { sum: 100n }), deposits], silent],
    ['more than that', [withdrawals(200, { sum: 101n }), deposits], told],
    ['more than that in 199 transfers', [withdrawals(199, { sum: 101n }), deposits], silent],
    ['a token that never goes the other way', [withdrawals(200, { sum: 101n })], silent],
  ])('%s', (_, totals, expected) => {
    expect(judge({ totals: () => totals })).toEqual(expected)
  })

  test('a token whose other direction fell silent', () => {
    const totals = () => [withdrawals(200)]
    expect(judge({ totals, past: past(hours(24, [deposits])) })).toEqual(told)
  })

  test.each([
    ['read since a day', { observedSince: now - dayMs }, told],
    ['read for less', { observedSince: now - dayMs + 1 }, silent],
    ['with a long gap', { coverage: () => 0.89 }, { found: [], unknown: 'all' }],
    ['with a short gap', { coverage: () => 0.9 }, told],
  ])('of a list %s', (_, flow, expected) => {
    expect(judge({ totals: () => [withdrawals(200, { sum: 101n }), deposits], ...flow })).toEqual(expected)
  })
})

describe('flow.failing', () => {
  const failures = (failed: number, of: Partial<FailureCount> = {}): FailureCount => ({
    token: null,
    direction: 'ZoneToMain',
    failed,
    recipients: 3,
    senders: 2,
    tokens: 1,
    ...of,
  })
  function judge(flow: Partial<FlowFacts>, params: object = {}) {
    const facts = toFacts(now, { flow: flowOf({ totals: () => [withdrawals(8)], ...flow }) })
    const { findings, unknown } = flowFailing.judge(facts, flowFailing.params.parse(params))
    return { found: findings.map(({ subject }) => subject), unknown }
  }

  test.each([
    ['two of ten', [failures(2)], {}, ['|ZoneToMain']],
    ['of a share of a quarter', [failures(2)], { share: 0.25 }, []],
    ['fewer that ended than count', [failures(1)], { share: 0 }, []],
    ['of two recipients', [failures(2, { recipients: 2 })], {}, []],
    ['of two senders, by sender', [failures(2)], { distinct: 'sender', minDistinct: 2 }, ['|ZoneToMain']],
    ['of two senders, by sender where three count', [failures(2)], { distinct: 'sender' }, []],
    ['of another direction', [failures(2)], { direction: 'MainToZone' }, []],
    ['by distinct recipients alone', [failures(2)], { share: 0, minCount: 1 }, ['|ZoneToMain']],
  ])('%s', (_, list, params, found) => {
    expect(judge({ failures: () => list }, params)).toEqual({ found, unknown: [] })
  })

  test('just begun, what was seen so far is judged: nothing is unknown for a window long', () => {
    const observedSince = now - 600_000
    const flow = { observedSince, coverage: (since: number) => (since < observedSince ? 0.2 : 1) }
    expect(judge({ ...flow, failures: () => [failures(2)] })).toEqual({ found: ['|ZoneToMain'], unknown: [] })
    expect(judge({ ...flow, failures: () => [] })).toEqual({ found: [], unknown: [] })
  })

  test('a token is looked at by itself, by address or by symbol', () => {
    const list = [failures(9), failures(2, { token: '0xaa' }), failures(7, { token: '0xbb', recipients: 1 })]
    const token = (address: string) => ({ symbol: address === '0xaa' ? 'USDC' : null, decimals: 6 })
    const flow = { failures: () => list, token }
    expect(judge(flow, { by: 'token' }).found).toEqual(['0xaa|ZoneToMain'])
    expect(judge(flow, { token: 'USDC' }).found).toEqual(['0xaa|ZoneToMain'])
    expect(judge(flow, { token: '0xBB' }).found).toEqual([])
  })

  test.each([[{ by: 'token' }], [{ token: 'COIN' }], [{ token: `0x${'ee'.repeat(20)}` }]])(
    'the native currency is a token, and not all of them: %j',
    (params) => {
      const flow = {
        failures: () => [failures(9), failures(2, { token: '' })],
        totals: () => [withdrawals(8, { token: '' })],
        token: () => ({ symbol: 'COIN', decimals: 18 }),
      }
      expect(judge(flow, params).found).toEqual(['|ZoneToMain'])
      expect(judge({ ...flow, failures: () => [failures(9)] }, params).found).toEqual([])
    },
  )

  test.each([
    ['was not read through the window', { coverage: () => 0.89 }],
    ['is still being summed up', { isBehind: () => true }],
    ['has failures that are still being counted', { failures: () => null }],
  ])('a list that %s leaves it unknown', (_, flow) => {
    expect(judge({ failures: () => [failures(2)], ...flow })).toEqual({ found: [], unknown: 'all' })
  })
})
