import { expect, test } from 'vitest'
import {
  judgeSupply,
  nextOpening,
  type Opening,
} from '../../../../../src/checks/escrow/supply/judgeSupply.ts'

const none = {
  holdings: 100n,
  claims: 100n,
  toZone: 0n,
  toMain: 0n,
  fees: 0n,
  open: 0n,
  lost: 0n,
  found: 0n,
  gas: 0n,
}
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

const openingAfter = (...overs: readonly bigint[]) =>
  overs.reduce<Opening | null>((before, over) => nextOpening(before, over), null)?.opening

test('a payout whose record comes late makes no opening lower than it is', () => {
  expect(openingAfter(-40n, 0n, 0n)).toBe(0n)
  expect(openingAfter(0n, -40n, 0n)).toBe(0n)
})

test('a credit whose record comes late leaves nothing unproven: what nobody locked would not go away', () => {
  expect(openingAfter(0n, 25n)).toBe(25n)
  expect(openingAfter(0n, 25n, 0n, 0n)).toBe(0n)
  expect(openingAfter(25n, -3n, 0n, -3n)).toBe(0n)
  expect(openingAfter(...Array<bigint>(12).fill(25n), 0n)).toBe(0n)
})

test('what was too much at the beginning and stays is what the opening says', () => {
  expect(openingAfter(...Array<bigint>(30).fill(7n))).toBe(7n)
  // One payout whose record came late did not take it away.
  expect(openingAfter(7n, 7n, -1n, 7n, 7n)).toBe(7n)
})

test('what comes after the first comparisons is told as an excess, and is no opening', () => {
  expect(openingAfter(...Array<bigint>(10).fill(0n), 777n, 777n)).toBe(0n)
})

test('what is created after three comparisons without an excess is told as such, not as of before, and in full', () => {
  expect(openingAfter(-8n, -8n, -8n, 777n, 777n)).toBe(-8n)
  expect(openingAfter(0n, 0n, 0n, 777n)).toBe(0n)
  // What a payout's late record hid still comes back.
  expect(openingAfter(-8n, -8n, -8n, 0n)).toBe(0n)
})
