import { expect, test } from 'vitest'
import type { Break } from '../../../src/breaks/break.ts'
import { type Decimal, noAmount, toDecimal } from '../../../src/bridge/decimal.ts'
import { openProblems } from '../../../src/report/problems.ts'
import type { Crossing } from '../../../src/report/reconcile.ts'

const day = 86_400_000
const window = { from: 10 * day, until: 11 * day }
const usdc = { address: '0xcc', symbol: 'USDC', name: '', decimals: 6 }
const of = { window, stalled: new Set<string>(), tokenOf: () => usdc }

function crossing(key: string, overrides: Partial<Crossing> = {}): Crossing {
  return {
    key,
    direction: 'ZoneToMain',
    token: '0xcc',
    amountRaw: null,
    amount: '5',
    held: usdc,
    isLocked: true,
    isRewritten: false,
    startedAt: window.from,
    end: null,
    ...overrides,
  }
}

function judged(name: string, kind: Break['kind'], isOpen = true) {
  const amount = toDecimal('5')
  const one: Break = {
    name,
    kind,
    direction: 'ZoneToMain',
    token: '0xcc',
    held: '0xcc',
    inBaseUnits: false,
    amount,
    since: window.from,
    mainHash: null,
    transferKey: name,
  }
  const is = { isOpen, left: amount, settled: { digits: 0n, scale: 0 }, entries: [], remark: null }
  return { of: one, is }
}

function said(
  judged: Parameters<typeof openProblems>[0]['judged'],
  crossings: readonly Crossing[],
  givenBack: ReadonlyMap<string, Decimal> = new Map(),
) {
  const problems = openProblems({ judged, givenBack }, of)
  for (const one of crossings) problems.add(one)
  return problems.list().map(({ kind, count, amount }) => `${kind} ${count} ${amount}`)
}

test('of one transfer one thing is said, and nothing of what was settled by hand', () => {
  const old = { startedAt: window.from - 2 * day }
  const failed = { end: { how: 'failed' as const, at: window.from } }
  const crossings = [crossing('t1', old), crossing('t2', old), crossing('t3', failed), crossing('t4', failed)]
  const breaks = [judged('t1', 'unbacked'), judged('t3', 'failed', false), judged('t4', 'failed')]
  expect(said(breaks, crossings)).toEqual(['unbacked 1 5', 'failed 1 5', 'stalled 1 5'])
})

test('of what was settled in part, what is left is said', () => {
  const old = { startedAt: window.from - 2 * day }
  const failed = { end: { how: 'failed' as const, at: window.from } }
  const inPart = (name: string, kind: Break['kind'], left: string) => {
    const { of, is } = judged(name, kind)
    return { of, is: { ...is, left: toDecimal(left), entries: [3] } }
  }
  const breaks = [inPart('t1', 'stalled', '1.5'), inPart('t2', 'failed', '0.25'), inPart('t9', 'out', '2')]
  expect(said(breaks, [crossing('t1', old), crossing('t2', failed)])).toEqual([
    'out 1 2',
    'failed 1 0.25',
    'stalled 1 1.5',
  ])
})

test('of what failed and was given back, what was not is said', () => {
  const failed = { end: { how: 'failed' as const, at: window.from } }
  const crossings = [crossing('t1', failed), crossing('t2', failed), crossing('t3', failed)]
  const givenBack = new Map([
    ['t1', toDecimal('5') ?? noAmount],
    ['t2', toDecimal('1.5') ?? noAmount],
  ])
  expect(said([], crossings, givenBack)).toEqual(['failed 2 8.5'])
})

test('as many as a storm of a month leaves are summed', () => {
  const failed = { end: { how: 'failed' as const, at: window.from + 1 } }
  const crossings = Array.from({ length: 200_000 }, (_, n) => crossing(`t${n}`, failed))
  expect(said([], crossings)).toEqual(['failed 200000 1000000'])
})
