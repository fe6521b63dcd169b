import { fc } from '../../../support/fastCheck.ts'
import { expect, test } from 'vitest'
import { halveRange, splitList, splitRange } from '../../../../src/clients/explorer/question.ts'

test('a list in pieces loses and repeats nothing, and no piece is too long', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 1 }), { maxLength: 100 }), (values) => {
      const pieces = splitList(values)
      expect(pieces.flat()).toEqual([...new Set(values)])
      expect(pieces.every((piece) => piece.length > 0 && piece.length <= 20)).toBe(true)
    }),
  )
})

test('a range in pieces loses and repeats no block, and no piece is too wide', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(300), fc.integer({ min: 1, max: 50 }), (start, length, maxSpan) => {
      const pieces = splitRange({ start, end: start + length }, maxSpan)
      const blocks = pieces.toReversed().flatMap((piece) => {
        expect(piece.end - piece.start).toBeLessThanOrEqual(maxSpan)
        return Array.from({ length: piece.end - piece.start + 1 }, (_, index) => piece.start + index)
      })
      expect(blocks).toEqual(Array.from({ length: length + 1 }, (_, index) => start + index))
    }),
  )
})

test.each([
  [{ start: 5, end: 5 }, null],
  [
    { start: 5, end: 6 },
    [
      { start: 6, end: 6 },
      { start: 5, end: 5 },
    ],
  ],
  [
    { start: 0, end: 4 },
    [
      { start: 3, end: 4 },
      { start: 0, end: 2 },
    ],
  ],
])('the halves of %j', (range, expected) => {
  expect(halveRange(range)).toEqual(expected)
})
