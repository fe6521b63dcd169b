import { expect, test } from 'vitest'
import { chainStalled } from '../../../../src/checks/chains/stalled.ts'
import { trackHeight } from '../../../../src/kernel/heads/trackHead.ts'
import { toFacts, toHead } from '../../rules/facts.ts'

const params = chainStalled.params.parse({ chain: 'zone', after: '2m' })
const judge = (now: number, ...heads: ReturnType<typeof toHead>[]) => {
  const { findings, unknown } = chainStalled.judge(toFacts(now, { heads }), params)
  return { found: findings.map(({ subject }) => subject), unknown }
}
const silent = { found: [], unknown: [] }

test.each([
  { title: 'silent one millisecond before the limit', now: 119_999, readAt: 119_999, expected: silent },
  {
    title: 'found at the limit when read at the limit',
    now: 120_000,
    readAt: 120_000,
    expected: { found: ['zone'], unknown: [] },
  },
  {
    title: 'unknown when last read before the limit',
    now: 500_000,
    readAt: 119_999,
    expected: { found: [], unknown: ['zone'] },
  },
])('$title', ({ now, readAt, expected }) => {
  expect(judge(now, toHead({ advancedAt: 0, readAt }))).toEqual(expected)
})

test('a head that was never read is unknown, not fine', () => {
  expect(judge(500_000)).toEqual({ found: [], unknown: ['zone'] })
})

test('the other chain is not judged', () => {
  expect(
    judge(
      500_000,
      toHead({ chain: 'main', readAt: 500_000 }),
      toHead({ advancedAt: 499_000, readAt: 500_000 }),
    ),
  ).toEqual(silent)
})

test('both chains are judged when the rule names none', () => {
  const both = chainStalled.params.parse({})
  const heads = [toHead({ chain: 'main', readAt: 120_000 })]
  const { findings, unknown } = chainStalled.judge(toFacts(120_000, { heads }), both)
  expect([findings.map(({ subject }) => subject), unknown]).toEqual([['main'], ['zone']])
})

test('a height beyond all reason that a node says once makes nobody late', () => {
  const behind = chainStalled.params.parse({ chain: 'main', behind: 100 })
  const canonicalHead = [500, 1_000_000].reduce<ReturnType<typeof trackHeight> | null>(
    (before, height, place) => trackHeight(before, height, 110_000 + place * 5_000),
    null,
  )
  const heads = [toHead({ chain: 'main', height: 500, readAt: 115_000 })]
  expect(chainStalled.judge(toFacts(120_000, { heads, canonicalHead }), behind)).toMatchObject({
    findings: [],
    unknown: [],
  })
})

test('of a node that is behind the time of the newest block known is said', () => {
  const behind = chainStalled.params.parse({ chain: 'main', behind: 100 })
  const heads = [toHead({ chain: 'main', height: 500, readAt: 115_000, blockTime: 114_000 })]
  const canonicalHead = trackHeight(null, 300, 110_000)
  const { findings } = chainStalled.judge(toFacts(120_000, { heads, canonicalHead }), behind)
  expect(findings).toMatchObject([{ facts: { what: 'the node is behind', blockTimeAt: 114_000 } }])
})
