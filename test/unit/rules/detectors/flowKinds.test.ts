import { expect, test } from 'vitest'
import { flowQuiet, flowSurge } from '../../../../src/rules/detectors/flowKinds.ts'
import { noFlow, toFacts } from '../facts.ts'

const now = Date.UTC(2026, 0, 2)
const dayMs = 86_400_000
const withdrawals = (count: number) => ({
  token: '0xaa',
  direction: 'ZoneToMain' as const,
  side: 'arrived' as const,
  count,
  sum: 5n,
})
const judge = (flow: Partial<typeof noFlow>, params: object) =>
  flowSurge.judge(toFacts(now, { flow: { ...noFlow, ...flow } }), flowSurge.params.parse(params)).findings
    .length

test.each([
  [100, 0],
  [101, 1],
])('of at most 100 transfers, %i are %i surges', (count, found) => {
  expect(judge({ totals: () => [withdrawals(count)] }, { maxCount: 100 })).toBe(found)
})

test.each([
  ['a day observed', now - dayMs, 1],
  ['a moment less', now - dayMs + 1, 0],
])('against its own past with %s', (_, observedSince, found) => {
  const flow = { observedSince, totals: () => [withdrawals(81)], past: () => [[withdrawals(20)]] }
  expect(judge(flow, { timesPast: 4 })).toBe(found)
})

test.each([
  [5, 0, 1],
  [5, 2, 0],
])('%i copies of an amount seen %i times before are %i surges', (count, before, found) => {
  const copies = () => [{ token: '0xaa', direction: 'ZoneToMain' as const, amountRaw: 1n, count, before }]
  expect(judge({ copies }, { copies: 5 })).toBe(found)
})

test.each([
  ['quiet where all of it was read', 1, 1, 0],
  ['unknown where it was not', 0.5, 0, 1],
])('a silent hour is %s', (_, share, found, unknown) => {
  const past = () => Array.from({ length: 24 }, () => [{ ...withdrawals(20), side: 'started' as const }])
  const flow = { ...noFlow, observedSince: now - dayMs, coverage: () => share, past }
  const judged = flowQuiet.judge(toFacts(now, { flow }), flowQuiet.params.parse({}))
  expect([judged.findings.length, judged.unknown.length]).toEqual([found, unknown])
})
