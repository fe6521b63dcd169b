import { expect, test } from 'vitest'
import type { FlowRow } from '../../../../src/kernel/mainReads.ts'
import { findForeign } from '../../../../src/checks/escrow/tokens.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`
const blocks = { from: 1, to: 3_600 }
const place = { address: escrow, tokens: null }
const rows = Array.from({ length: 101 }, (_, n): FlowRow => {
  const to = `0x${'cc'.repeat(20)}`
  return { hash: `0x${n}`, height: n, time: n, from: escrow, to, token, tokenId: '', amount: '1' }
})

const depsOf = (isBridgeToken: () => boolean) => ({
  clock: createSteppedClock({ start: 1_000_000 }),
  reads: { hasCome: async () => false },
  commit: () => ({ news: 0, hasUrgent: false }),
  crowds: null,
  firstHeight: 0,
  lookedUp: new Map([[`${escrow} ${token}`, 0]]),
  isBridgeToken,
  noteHeld: () => {},
})

test('a token that was not there from the first and moves often is foreign', () => {
  expect(
    findForeign(
      depsOf(() => false),
      place,
      rows,
      blocks,
    ),
  ).toEqual([{ escrow, token, blocks, count: 101 }])
})

test('one that a transfer named after it was looked up is the bridge’s', () => {
  expect(
    findForeign(
      depsOf(() => true),
      place,
      rows,
      blocks,
    ),
  ).toEqual([])
})
