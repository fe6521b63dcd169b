import { expect, test } from 'vitest'
import type { FlowRow } from '../../../../src/kernel/mainReads.ts'
import { findForeign } from '../../../../src/checks/escrow/tokens.ts'
import { noteTransfers, openEscrowWatch } from '../../../../src/checks/escrow/watch.ts'
import { createLearned } from '../../../../src/ledger/learned.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { completed } from '../../rules/transfers.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`
const blocks = { from: 1, to: 3_600 }
const place = { address: escrow, tokens: null }
const rows = Array.from({ length: 101 }, (_, n): FlowRow => {
  const to = `0x${'cc'.repeat(20)}`
  return { hash: `0x${n}`, height: n, time: n, from: escrow, to, token, tokenId: '', amount: '1' }
})

function setUp() {
  const db = openDatabase(':memory:')
  const bridge = { contracts: [escrow], escrows: [], tokens: [], fees: [] }
  const watch = openEscrowWatch({ db, learned: createLearned(db), config: { bridge } })
  return { watch, lookedUp: new Map([[`${escrow} ${token}`, { at: 0, times: 1 }]]) }
}

test('a token that was not there from the first and moves often is foreign', () => {
  expect(findForeign(setUp(), { place, rows, blocks })).toEqual([{ escrow, token, blocks, count: 101 }])
})

test('one that a transfer named after it was looked up is the bridge’s', () => {
  const reader = setUp()
  noteTransfers(reader.watch, { changed: [completed({ token })], ceased: [] }, 1)
  expect(findForeign(reader, { place, rows, blocks })).toEqual([])
})
