import { expect, test } from 'vitest'
import { toPlaces } from '../../../../../src/checks/escrow/watched/places.ts'

const [one, other] = [`0x${'B1'.repeat(20)}`, `0x${'e5'.repeat(20)}`]

test('without escrows every contract of the bridge is one, for every token seen there (semantics 23)', () => {
  expect(toPlaces([], [one, other])).toEqual([
    { address: one.toLowerCase(), tokens: null },
    { address: other, tokens: null },
  ])
})

test('with escrows no other contract is one, and of each the tokens that are named', () => {
  const token = `0x${'cc'.repeat(20)}`
  expect(toPlaces([{ address: other, token, baseline: null }], [one])).toEqual([
    { address: other, tokens: new Set([token]) },
  ])
})
