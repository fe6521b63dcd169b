import { expect, test } from 'vitest'
import { sumUp } from '../../../../src/checks/escrow/sums.ts'

const bounds = { sum: 0.01, waiting: 0.05 }
const sumOf = (count: number) => ({
  token: '0xc0',
  symbol: 'USDC',
  escrows: ['0xe5'],
  count,
  amount: '150',
  share: 0.02,
  since: 0,
  hashes: Array.from({ length: Math.min(count, 10) }, (_, n) => `0x${n}`),
  waitsFor: null,
})

test('a sum names ten transactions, and says how many more there are', () => {
  const others = (count: number) => sumUp([sumOf(count)], bounds).map(({ facts }) => facts['others'])
  expect(others(2)).toEqual(['0x1'])
  expect(others(10)).toEqual(['0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9'])
  expect(others(11)).toEqual(['0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, and 1 more'])
})
