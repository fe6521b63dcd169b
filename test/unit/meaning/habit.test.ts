import { expect, test } from 'vitest'
import { allLikely, isHabit, type Lessons, onlyCertain } from '../../../src/meaning/habit.ts'

const lessons: Lessons = {}

test.each([
  { agree: 2, disagree: 0, warns: false, accuses: false },
  { agree: 3, disagree: 1, warns: true, accuses: false },
  { agree: 3, disagree: 2, warns: false, accuses: false },
  { agree: 19, disagree: 0, warns: true, accuses: false },
  { agree: 20, disagree: 1, warns: true, accuses: true },
  { agree: 39, disagree: 2, warns: false, accuses: false },
  { agree: 40, disagree: 2, warns: true, accuses: true },
])(
  'semantics.md 48: $agree samples that agree and $disagree that do not warn: $warns, accuse: $accuses',
  ({ agree, disagree, warns, accuses }) => {
    expect(isHabit(agree, disagree, allLikely(lessons).needed)).toBe(warns)
    expect(isHabit(agree, disagree, onlyCertain(lessons).needed)).toBe(accuses)
  },
)
