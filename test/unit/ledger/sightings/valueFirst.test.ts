import { expect, test } from 'vitest'
import { type AtRisk, valueFirst } from '../../../../src/ledger/sightings/valueFirst.ts'

const item = (name: string, share: number, since: number, counts = true) => ({ name, share, since, counts })
const order = (items: readonly (AtRisk & { name: string })[], turns = 100) =>
  valueFirst(items, (one) => one, turns).map(({ name }) => name)

test('semantics.md 44: the most money at risk is asked for first, of equal ones the oldest', () => {
  expect(order([item('small', 0.1, 1), item('young', 0.5, 3), item('old', 0.5, 2)])).toEqual([
    'old',
    'young',
    'small',
  ])
})

test('semantics.md 44: each tenth turn goes to the oldest', () => {
  const smoke = Array.from({ length: 30 }, (_, n) => item(`s${n}`, 0.5, 100 + n))
  const [oldest, older] = [item('oldest', 0.001, 1), item('older', 0.001, 2)]
  const asked = order([...smoke, older, oldest], 20)
  expect(asked).toHaveLength(20)
  expect(asked[9]).toBe('oldest')
  expect(asked[19]).toBe('older')
})

test('semantics.md 44: tokens that do not count come last, and take a tenth of the turns', () => {
  const smoke = Array.from({ length: 5_000 }, (_, n) => item(`s${n}`, 1, n, false)).toReversed()
  const asked = order([...smoke, item('theft', 0.0001, 9_999)], 20)
  expect(asked).toEqual(['theft', 's0', 's1'])
})

test('semantics.md 44: tokens that do not count have their tenth beside more that count than there are turns', () => {
  const counted = Array.from({ length: 50 }, (_, n) => item(`c${n}`, 1, n))
  const asked = order([...counted, item('other', 1, 0, false)], 30)
  expect([asked.length, asked.at(-1)]).toEqual([30, 'other'])
})

test('semantics.md 44: tokens that do not count take no turn of the oldest, however few turns there are', () => {
  const counted = Array.from({ length: 30 }, (_, n) => item(`c${n}`, 0.5, 100 + n))
  const asked = order([...counted, item('oldest', 0.001, 1), item('other', 1, 0, false)], 10)
  expect([asked.length, asked.includes('oldest'), asked.at(-1)]).toEqual([10, true, 'other'])
})

test('nothing is asked twice, and nothing that counts is left out', () => {
  const items = Array.from({ length: 37 }, (_, n) => item(`i${n}`, (n * 7) % 11, (n * 5) % 13))
  expect(new Set(order(items)).size).toBe(37)
})
