import { describe, expect, test } from 'vitest'
import { monitorPollOverdue } from '../../../../src/checks/monitor/pollOverdue.ts'
import { monitorRulesRejected } from '../../../../src/checks/monitor/rulesRejected.ts'
import { toEndpoint, toFacts, toSource } from '../facts.ts'

const poller = {
  poller: 'transfers',
  intervalMs: 20_000,
  startedAt: 0,
  lastSuccessAt: 100_000,
  lastError: 'boom',
}
const overdue = (now: number, changes = {}) =>
  monitorPollOverdue.judge(
    toFacts(now, { pollers: [{ ...poller, ...changes }] }),
    monitorPollOverdue.params.parse({}),
  ).findings

test.each([
  { title: 'silent just before six intervals', now: 219_999, changes: {}, count: 0 },
  { title: 'found after six intervals', now: 220_000, changes: {}, count: 1 },
  {
    title: 'silent just before a minute, however short the interval',
    now: 159_999,
    changes: { intervalMs: 1_000 },
    count: 0,
  },
  {
    title: 'found after a minute with a short interval',
    now: 160_000,
    changes: { intervalMs: 1_000 },
    count: 1,
  },
  {
    title: 'counted from its start when it never succeeded',
    now: 120_000,
    changes: { lastSuccessAt: null },
    count: 1,
  },
])('an overdue poller is $title', ({ now, changes, count }) => {
  expect(overdue(now, changes)).toHaveLength(count)
})

test.each([
  { title: 'found at the third within the hour', crashes: [0, 1_000, 3_599_999], now: 3_599_999, count: 1 },
  {
    title: 'over an hour after the first of three',
    crashes: [0, 1_000, 3_599_999],
    now: 3_600_000,
    count: 0,
  },
  { title: 'silent at the second', crashes: [0, 1_000], now: 2_000, count: 0 },
])('a poller that succeeds between runs that crash is $title', ({ crashes, now, count }) => {
  const health = { ...poller, crashes, lastCrash: 'no such module', lastError: null, lastSuccessAt: now }
  const found = overdue(now, health)
  expect(found).toHaveLength(count)
  if (count > 0)
    expect(found[0]).toMatchObject({ since: 0, facts: { crashes: 3, lastError: 'no such module' } })
})

test.each([
  { title: 'slow, for an hour', changes: {}, ms: 3_600_000, says: 'the run that began at' },
  {
    title: 'between two runs, for ten minutes',
    changes: { runningSince: null },
    ms: 600_000,
    says: 'no run',
  },
  { title: 'failing, for ten minutes', changes: { lastError: 'boom' }, ms: 600_000, says: 'boom' },
  {
    title: 'in the foreground',
    changes: { isBackground: false },
    ms: 120_000,
    says: 'the run that began at',
  },
])('what reads in the background is given time: $title', ({ changes, ms, says }) => {
  const health = { isBackground: true, runningSince: 100_001, lastError: null, ...changes }
  expect(overdue(100_000 + ms - 1, health)).toEqual([])
  const [found] = overdue(100_000 + ms, health)
  expect(found).toMatchObject({ facts: { limitMs: ms } })
  expect(found?.evidence[0]?.says).toContain(says)
})

test.each([
  { title: 'six intervals', isBackground: false, ms: 120_000 },
  { title: 'ten minutes in the background', isBackground: true, ms: 600_000 },
])('F50: a poller that waited for a silent source has $title once it is back', ({ isBackground, ms }) => {
  const backAt = 50_000_000
  const endpoints = [
    toEndpoint({ endpoint: 'E3', lastGoodAt: backAt + ms }),
    // A blip of an endpoint that it does not wait for gives it no time.
    toEndpoint({ endpoint: 'E5', lastGoodAt: backAt + ms, backAt: backAt + ms }),
    toEndpoint({ endpoint: 'E17', lastGoodAt: 1_000, lastFailureAt: backAt - 1 }),
  ]
  const judge = (now: number) =>
    monitorPollOverdue.judge(
      toFacts(now, { pollers: [{ ...poller, isBackground }], sources: [toSource(endpoints, { backAt })] }),
      monitorPollOverdue.params.parse({}),
    ).findings
  expect(judge(backAt + ms - 1)).toEqual([])
  expect(judge(backAt + ms)).toHaveLength(1)
})

test('a poller that asks a node of another chain is not told beside that', () => {
  const judge = (isForeign: boolean) => {
    const foreign = isForeign ? { at: 0, height: 1, says: '' } : null
    return monitorPollOverdue.judge(
      toFacts(900_000, {
        pollers: [{ ...poller, failedAt: 'canonical eth_blockNumber' }],
        sources: [toSource([]), toSource([], { source: 'canonical', foreign })],
      }),
      monitorPollOverdue.params.parse({}),
    )
  }
  expect(judge(true)).toEqual({ findings: [], unknown: ['transfers'] })
  expect(judge(false).findings).toHaveLength(1)
})

describe('a poller that one endpoint keeps from its work', () => {
  const judge = (now: number, e6: Parameters<typeof toEndpoint>[0], failedAt = 'explorer E6') =>
    monitorPollOverdue.judge(
      toFacts(now, {
        pollers: [{ ...poller, failedAt }],
        sources: [toSource([toEndpoint({ lastGoodAt: now }), toEndpoint({ endpoint: 'E6', ...e6 })])],
      }),
      monitorPollOverdue.params.parse({}),
    )
  const silent = { lastGoodAt: 100_000, lastFailureAt: 900_000 }

  test('is not told beside that endpoint', () => {
    expect(judge(900_000, silent)).toEqual({ findings: [], unknown: ['transfers'] })
  })

  test('is told when what it waits for is another one', () => {
    expect(judge(900_000, silent, 'explorer E3').findings).toHaveLength(1)
  })

  test('is told when the endpoint answers now and then', () => {
    const flapping = { lastGoodAt: 700_000, lastFailureAt: 890_000, failingSince: 720_000, ownFailures: 1 }
    expect(judge(839_999, flapping).findings).toEqual([])
    expect(judge(840_000, flapping).findings).toHaveLength(1)
  })

  test('has its whole time once the endpoint is back', () => {
    const back = { lastGoodAt: 900_000, backAt: 800_000 }
    expect(judge(919_999, back).findings).toEqual([])
    expect(judge(920_000, back).findings).toHaveLength(1)
  })
})

test('an overdue poller names itself and its last error', () => {
  expect(overdue(220_000)).toMatchObject([
    {
      subject: 'transfers',
      labels: { poller: 'transfers' },
      facts: { lastError: 'boom', limitMs: 120_000 },
    },
  ])
})

test('a refused edit of the rules is told with its first problem until it is mended', () => {
  const rulesRejected = {
    at: 5,
    problems: ['rules/a.yaml:3:5: unknown key\n    3 |     kye: 1\n      |     ^^^', 'another'],
  }
  expect(monitorRulesRejected.judge(toFacts(9, { rulesRejected }), {}).findings).toMatchObject([
    { subject: 'rules', facts: { problems: 2, first: 'rules/a.yaml:3:5: unknown key' }, since: 5 },
  ])
  expect(monitorRulesRejected.judge(toFacts(9), {}).findings).toEqual([])
})
