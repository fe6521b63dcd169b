import { expect, test } from 'vitest'
import { findRareWords, type KnownWords } from '../../../src/kernel/rareWord.ts'

const known = (counts: Readonly<Record<string, number>>): KnownWords => ({
  counts: new Map(Object.entries(counts)),
  lowest: 100,
})
const at = (place: number, word = 'new') => ({ word, place })

test.each([
  { title: 'one fewer is too few', words: known({ open: 10, proven: 9 }), rows: [at(101)], rare: [] },
  { title: 'so many are enough', words: known({ open: 10, proven: 10 }), rows: [at(101)], rare: [at(101)] },
  {
    title: 'a known word is not rare, however few had it',
    words: known({ open: 20, new: 0 }),
    rows: [at(101)],
    rare: [],
  },
  {
    title: 'what lies before all others only teaches',
    words: known({ open: 20 }),
    rows: [at(100)],
    rare: [],
  },
  {
    title: 'of rows that come together the first of each word is told',
    words: known({ open: 20 }),
    rows: [at(103), at(104, 'other'), at(105), at(106, 'open')],
    rare: [at(103), at(104, 'other')],
  },
])('$title', ({ words, rows, rare }) =>
  expect(findRareWords('challengeStatus', words, rows).sort((a, b) => a.place - b.place)).toEqual(rare),
)
