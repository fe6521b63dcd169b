import { expect, test } from 'vitest'
import { kindsName, paysNothingOut } from '../../../src/meaning/doubtOrigin.ts'

type Learned = Parameters<typeof paysNothingOut>[0]

const learnedOf = (strays: number, credits: number): Learned => ({
  needed: 3,
  straysOf: () => strays,
  actionsOf: (name) => new Map(name === kindsName('MainToZone') ? [['swap', credits]] : []),
  suspendedAt: () => 0,
})

test.each([
  { strays: 19, credits: 0, expected: false },
  { strays: 20, credits: 0, expected: true },
  { strays: 0, credits: 2, expected: false },
  { strays: 0, credits: 3, expected: true },
])(
  'semantics.md 43: a kind that $strays times paid nothing out and $credits times credited a deposit is none of withdrawals: $expected',
  ({ strays, credits, expected }) => {
    expect(paysNothingOut(learnedOf(strays, credits), 'swap')).toBe(expected)
  },
)
