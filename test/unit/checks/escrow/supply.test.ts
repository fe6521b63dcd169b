import { expect, test } from 'vitest'
import { judgeSupply } from '../../../../src/checks/escrow/supply/judgeSupply.ts'

const none = { holdings: 100n, claims: 100n, toZone: 0n, toMain: 0n, fees: 0n, open: 0n, lost: 0n, found: 0n }
const block = { height: 9, blockTime: 1_000, readAt: 2_000 }

function excess(
  supply: bigint,
  accounts: Partial<typeof none> = {},
  {
    opening = 0n,
    decimals = 6,
    own = 6,
  }: { readonly opening?: bigint | null; readonly decimals?: number; readonly own?: number } = {},
) {
  return judgeSupply(
    { ...block, supply, decimals },
    { accounts: { ...none, ...accounts }, decimals: own },
    opening,
  ).excess
}

test('as much as can be claimed is none, one more is one', () => {
  expect([99n, 100n, 101n].map((supply) => excess(supply))).toEqual([-1n, 0n, 1n])
})

test('fees that stayed, and what came and is being judged, may have been credited', () => {
  expect(excess(103n, { fees: 2n, open: 1n })).toBe(0n)
  expect(excess(104n, { fees: 2n, open: 1n })).toBe(1n)
})

test('what leaves and is being judged gives no room, and what a theft took is no excess', () => {
  expect(excess(100n, { holdings: 90n, open: -10n })).toBe(0n)
  expect(excess(100n, { holdings: 90n, lost: -10n })).toBe(0n)
})

test('what existed less at the beginning is no room for more', () => {
  expect(excess(60n, {}, { opening: -40n })).toBe(0n)
  expect(excess(61n, {}, { opening: -40n })).toBe(1n)
})

test('what existed more at the beginning is told', () => {
  expect(excess(107n, {}, { opening: null })).toBe(7n)
  expect(excess(107n, {}, { opening: 7n })).toBe(7n)
})

test('the two sides may count in other units: the finer one decides', () => {
  expect(excess(10_001n, {}, { decimals: 8, own: 6 })).toBe(1n)
  expect(excess(101n, {}, { decimals: 6, own: 8, opening: 0n })).toBe(10_000n)
})
