import { expect, test } from 'vitest'
import { establishedNames } from '../../../src/domain/learnedActions.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createLearned } from '../../../src/store/learned.ts'

/** Whether `sum` still stands for the amount after so many transfers that say so, and then so many that do not. */
function isKept(equal: number, other: number): boolean {
  const db = openDatabase(':memory:')
  const learned = createLearned(db)
  for (let n = 0; n < equal + other; n += 1) {
    const value = n < equal ? '=sum' : '!sum'
    learned.learn(
      [{ kind: 'action', name: 'ZoneToMain amount', value }],
      { hash: `0x${n}`, party: `0xa${n}` },
      n,
    )
  }
  const names = establishedNames(learned, { direction: 'ZoneToMain', crossType: 'Withdraw' }, 'amount')
  db.close()
  return names.has('sum')
}

test('what hundreds of transfers showed is not unlearned by a few thefts', () => {
  expect(isKept(200, 10)).toBe(true)
  expect(isKept(200, 11)).toBe(false)
})

test('what holds in half of all is no habit, however many there are', () => {
  expect(isKept(1_000, 1_000)).toBe(false)
})
