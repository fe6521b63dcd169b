import { expect, test } from 'vitest'
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
