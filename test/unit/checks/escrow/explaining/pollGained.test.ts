import { expect, test } from 'vitest'
import { toDecimal } from '../../../../../src/bridge/decimal.ts'
import { findGained } from '../../../../../src/checks/escrow/explaining/pollGained.ts'

const units = (text: string) => toDecimal(text) ?? { digits: 0n, scale: 0 }
const gainedOf = (out: string, ...moves: readonly string[]) =>
  findGained(
    'escrow',
    { out: units(out) },
    moves.map((move) => {
      const [from = '', to = '', amount = ''] = move.split(' ')
      return { from, to, amount: toDecimal(amount) }
    }),
  )?.map(({ to, amount }) => `${to} ${amount.digits}/${amount.scale}`)

test.each([
  ['who got it straight', ['escrow user 9'], ['user 9/0']],
  ['who got it in the end', ['escrow gate 9', 'gate user 9'], ['user 9/0']],
  ['all who did', ['escrow gate 9', 'gate user 5', 'gate other 4'], ['user 5/0', 'other 4/0']],
  ['who passed on a part', ['escrow gate 9', 'gate user 7'], ['gate 2/0', 'user 7/0']],
  ['nobody who passed on all of it', ['escrow user 9', 'user thief 9'], ['thief 9/0']],
  ['nobody where another one paid too', ['escrow thief 9', 'other user 9'], []],
  ['nobody where it was made meanwhile', ['escrow thief 9', 'nobody user 9'], []],
])('names %s', (_, moves, gained) => {
  expect(gainedOf('9', ...moves)).toEqual(gained)
})

test('says as much as its list does, which may leave out digits', () => {
  expect(gainedOf('1.23', 'escrow gate 1.234', 'gate user 1.234')).toEqual(['user 123/2'])
})

test.each([
  ['what left', ['gate user 9']],
  ['all of what left', ['escrow gate 8', 'gate user 8']],
  ['how much it was', ['escrow gate 9', 'gate user ?']],
])('is not known from an answer that does not show %s', (_, moves) => {
  expect(gainedOf('9', ...moves)).toBeUndefined()
})

test('names nobody where they are many', () => {
  const to = (count: number) => Array.from({ length: count }, (_, n) => `escrow user${n} 1`)
  expect(gainedOf('20', ...to(20))).toHaveLength(20)
  expect(gainedOf('21', ...to(21))).toEqual([])
})
