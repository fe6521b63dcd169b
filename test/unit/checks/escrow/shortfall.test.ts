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
