import { expect, test } from 'vitest'
import { escrowShortfall } from '../../../../src/checks/escrow/shortfall.ts'
import { toFacts, toHolding } from '../../rules/facts.ts'

const now = 10_000_000

/** What is missing of 100 that are owed, and of which tokens that cannot be said. */
function judge(holdings: bigint, openOut: bigint, at = now) {
  const judged = { owed: 100n, holdings, openOut, height: 5, at }
  const facts = toFacts(now, {
    escrow: { moves: [], sums: [], unjudged: [], holdings: [toHolding({ judged })], headroom: [] },
  })
  const { findings, unknown } = escrowShortfall.judge(facts, escrowShortfall.params.parse({}))
  return { missing: findings.map((found) => found.facts.missing), unknown }
}

const nothing = { missing: [], unknown: [] }
const notTold = { missing: [], unknown: ['0xt1'] }

test('what is held is judged: less than is owed is missing, and as much is not', () => {
  expect(judge(90n, 0n)).toEqual({ missing: ['10'], unknown: [] })
  expect(judge(100n, 0n)).toEqual(nothing)
})

test('what left and is not judged yet is neither missing nor there', () => {
  expect(judge(90n, 10n)).toEqual(notTold)
  expect(judge(90n, 4n)).toEqual({ missing: ['6'], unknown: [] })
})

test('a reading of more than a quarter of an hour ago says nothing', () => {
  expect(judge(90n, 0n, now - 15 * 60_000)).toEqual({ missing: ['10'], unknown: [] })
  expect(judge(90n, 0n, now - 15 * 60_000 - 1)).toEqual(notTold)
})

test.each([
  ['judged lately', { judged: { owed: 1n, holdings: 1n, openOut: 0n, height: 5, at: now } }, 0, []],
  ['judged long ago', { judged: { owed: 1n, holdings: 1n, openOut: 0n, height: 5, at: 77 } }, 0, [77]],
  ['never judged', { judged: null, startedAt: 55 }, null, [55]],
  ['never read', { judged: null, startedAt: null, holdings: null }, null, [0]],
  ['waiting for the past of the list', { judged: null, startedAt: 55 }, now - 9, [now - 9]],
  ['nothing that rests here', { judged: null, isHeld: false }, null, []],
  ['of a time of which that is not said', { judged: null }, undefined, []],
] as const)('of what is %s it is said since when nothing is known', (_, of, walkedAt, since) => {
  const escrow = { moves: [], sums: [], unjudged: [], headroom: [], holdings: [toHolding(of)] }
  const facts = toFacts(now, { escrow: walkedAt === undefined ? escrow : { ...escrow, walkedAt } })
  const { blind = [] } = escrowShortfall.judge(facts, escrowShortfall.params.parse({}))
  expect(blind.map((one) => one.since)).toEqual(since)
  expect(blind.every(({ title }) => title === 'USDC at 0xe1')).toBe(true)
})
