import { describe, expect, test } from 'vitest'
import {
  createHeldReceipts,
  firstSeen,
  noteAbsent,
  rebaseHeld,
  takePending,
} from '../../../../src/checks/preconf/heldReceipts.ts'
import { isDropped } from '../../../../src/checks/preconf/settleReceipt.ts'
import type { SeenReceipt } from '../../../../src/checks/preconf/receipt.ts'

const receipt: SeenReceipt = {
  hash: '0xaa',
  height: 7,
  index: 0,
  isBridge: false,
  status: 'success',
  gasUsed: 21_000n,
  logs: 'none',
}
const hour = 3_600_000

test('F67: a sleep makes no absence shorter, and none longer', () => {
  const held = createHeldReceipts({ perBlock: 9, total: 9 })
  takePending(held, { height: 7, receipts: [receipt], system: [] }, 0)
  noteAbsent(held, '0xaa', 10_000)
  noteAbsent(held, '0xaa', 25_000)
  rebaseHeld(held, { byMs: hour, now: hour + 30_000 })
  const rule = { reads: 3, spanMs: 30_000 }
  expect(isDropped(noteAbsent(held, '0xaa', hour + 39_999)!, rule)).toBe(false)
  expect(isDropped(noteAbsent(held, '0xaa', hour + 40_000)!, rule)).toBe(true)
  expect(firstSeen(held, '0xaa')).toEqual({ height: 7, at: hour })
})

describe('a height far beyond the chain', () => {
  const show = (heights: readonly number[]) => {
    const held = createHeldReceipts({ perBlock: 9, total: 9 })
    for (const [second, height] of heights.entries())
      takePending(held, { height, receipts: [{ ...receipt, height }], system: [] }, second * 1_000)
    return held
  }
  const far = 5_000_000

  test('that is said once holds nothing, and later blocks are watched as before', () => {
    const held = show([7, far, 8, 9])
    expect(held.blocks.has(far)).toBe(false)
    expect(held.blocks.get(8)?.watched).toMatchObject({ beforeMs: 2_000, afterMs: 1_000 })
  })

  test('is believed once a second answer agrees', () => {
    expect(show([7, far, far]).blocks.get(far)?.watched).not.toBeNull()
  })

  test('that was believed and is taken back leaves later blocks to be watched', () => {
    const back = Array.from({ length: 60 }, (_, second) => 8 + second)
    const held = show([7, far, far, ...back])
    expect(held.blocks.get(66)?.watched).toMatchObject({ beforeMs: 1_000, afterMs: 1_000 })
  })
})
