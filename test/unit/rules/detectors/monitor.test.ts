import { expect, test } from 'vitest'
import { monitorPollOverdue } from '../../../../src/rules/detectors/monitorPollOverdue.ts'
import { monitorRulesRejected } from '../../../../src/rules/detectors/monitorRulesRejected.ts'
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
  { title: 'a minute', isBackground: false, ms: 60_000 },
  { title: 'ten minutes in the background', isBackground: true, ms: 600_000 },
])('F50: a poller that waited for a silent source has $title once it is back', ({ isBackground, ms }) => {
  const backAt = 50_000_000
  const endpoints = [
    toEndpoint({ endpoint: 'E3', lastGoodAt: backAt + ms, goodSince: backAt }),
    // A blip of one endpoint is no outage: its row of good answers is not the longest one.
    toEndpoint({ endpoint: 'E5', lastGoodAt: backAt + ms, goodSince: backAt + ms }),
    toEndpoint({ endpoint: 'E17', lastGoodAt: 1_000, lastFailureAt: backAt - 1 }),
  ]
  const judge = (now: number) =>
    monitorPollOverdue.judge(
      toFacts(now, { pollers: [{ ...poller, isBackground }], sources: [toSource(endpoints)] }),
      monitorPollOverdue.params.parse({}),
    ).findings
  expect(judge(backAt + ms - 1)).toEqual([])
  expect(judge(backAt + ms)).toHaveLength(1)
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
  const rulesRejected = { at: 5, problems: ['rules/a.yaml:3:5: unknown key', 'another'] }
  expect(monitorRulesRejected.judge(toFacts(9, { rulesRejected }), {}).findings).toMatchObject([
    { subject: 'rules', facts: { problems: 2, first: 'rules/a.yaml:3:5: unknown key' }, since: 5 },
  ])
  expect(monitorRulesRejected.judge(toFacts(9), {}).findings).toEqual([])
})
