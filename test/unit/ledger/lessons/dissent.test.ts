import { expect, test } from 'vitest'
import { createDissent, enoughDissent } from '../../../../src/ledger/lessons/dissent.ts'
import { openDatabase } from '../../../../src/store/database.ts'

test('semantics.md 48: five in a row suspend a meaning; those that were seen before one that agrees are in no row', () => {
  const db = openDatabase(':memory:')
  const dissent = createDissent(db)
  const meaning = 'ZoneToMain words'
  const disagree = (n: number, at: number) =>
    dissent.dissent(meaning, { hash: `0x${n}`, party: `0xa${n}` }, at)
  dissent.consent(meaning, 100)
  const early = Array.from({ length: enoughDissent }, (_, n) => disagree(n, 90 + n))
  expect(early).not.toContain(true)
  const late = Array.from({ length: enoughDissent }, (_, n) => disagree(10 + n, 110 + n))
  expect(late).toEqual([false, false, false, false, true])
  expect(dissent.suspendedAt(meaning)).toBe(110)
  db.close()
})

test('semantics.md 48: of one party one counts, and whoever agrees ends the row of those that were seen before', () => {
  const db = openDatabase(':memory:')
  const dissent = createDissent(db)
  const disagree = (n: number, party: number, at: number) =>
    dissent.dissent('words', { hash: `0x${n}`, party: `0xa${party}` }, at)
  const ofFour = Array.from({ length: 12 }, (_, n) => disagree(n, n % 4, 100 + n))
  expect(ofFour).not.toContain(true)
  // It was seen among them: those that came later are in a row still.
  dissent.consent('words', 109)
  expect(disagree(20, 9, 120)).toBe(false)
  expect([21, 22].map((n) => disagree(n, n, 100 + n))).toEqual([false, true])
  expect(dissent.suspendedAt('words')).toBe(110)
  db.close()
})

test('what was suspended in a transaction that came to nothing is not (semantics 48)', () => {
  const db = openDatabase(':memory:')
  const dissent = createDissent(db)
  const undone = () =>
    db.transaction(() => {
      for (let n = 1; n <= 5; n += 1) dissent.dissent('words', { hash: `0x${n}`, party: `0xa${n}` }, n)
      expect(dissent.suspendedAt('words')).toBe(1)
      throw new Error('the commit came to nothing')
    })
  expect(undone).toThrow('came to nothing')
  expect(dissent.suspendedAt('words')).toBe(0)
  db.close()
})
