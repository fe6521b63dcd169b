import { expect, test } from 'vitest'
import type { FlowRow } from '../../../../../src/kernel/reads/flowReads.ts'
import type { FlowReader } from '../../../../../src/checks/escrow/reading/flowReader.ts'
import { findForeign, lookUpTokens } from '../../../../../src/checks/escrow/reading/tokens.ts'
import { noteTransfers, openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { createLearned } from '../../../../../src/ledger/lessons/learned.ts'
import { openDatabase } from '../../../../../src/store/database.ts'
import { completed } from '../../../rules/transfers.ts'
import { createTestKernel } from '../../support.ts'

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

test('semantics.md 44: whether a token was there from the first is asked of what left, and not of transfers of nothing', async () => {
  const asked: string[] = []
  const look = async (amount: string) => {
    const { watch } = setUp()
    const reader: Pick<FlowReader, 'commit' | 'clock' | 'db' | 'isOfCrowds' | 'lookedUp' | 'watch'> & {
      readonly main: Pick<FlowReader['main'], 'hasCome'>
    } = {
      watch,
      db: watch.db,
      isOfCrowds: false,
      lookedUp: new Map(),
      clock: createTestKernel().clock,
      commit: () => ({}) as never,
      main: {
        hasCome: ({ token }) => {
          asked.push(token)
          return Promise.resolve(false)
        },
      },
    }
    const stream = { id: 's', place, kind: 'token_20', token: undefined, isRare: true } as const
    const [row] = rows
    if (row === undefined) throw new Error('no row')
    await lookUpTokens(
      reader as FlowReader,
      { stream, rows: [{ ...row, amount }] },
      AbortSignal.timeout(9_000),
    )
    return reader.lookedUp.size
  }
  expect(await look('0')).toBe(0)
  expect(await look('0.1')).toBe(1)
  expect(asked).toEqual([token])
})
