import { expect, test } from 'vitest'
import { meansWithdrawal } from '../../../../src/ledger/lessons/withdrawActions.ts'

const counts = { withdrawals: 3, deposits: 0, matched: 0, unmatched: 0 }

test.each([
  ['after three known withdrawals', counts, true],
  ['not after two', { ...counts, withdrawals: 2 }, false],
  ['not when a deposit is of it too', { ...counts, deposits: 1 }, false],
  ['while a quarter of those seen have no withdrawal', { ...counts, matched: 6, unmatched: 2 }, true],
  ['not while more have none', { ...counts, matched: 5, unmatched: 3 }, false],
  ['whatever the share while few were seen', { ...counts, matched: 0, unmatched: 7 }, true],
])('an action means a withdrawal %s', (_, of, means) => {
  expect(meansWithdrawal(of)).toBe(means)
})
