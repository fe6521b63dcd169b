import { expect, test } from 'vitest'
import { accountTransfers } from '../../../../../src/checks/escrow/explaining/keepAccounts.ts'
import type { Transfer } from '../../../../../src/bridge/transfer.ts'
import { startOwed } from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { createTestKernel } from '../../support.ts'

const token = '0xcc'
const begin = 1_000_000_000
const startHeight = 1_000

/** A ledger of transfers of one block each whose accounts are kept. */
function openLedger(heights: readonly number[]) {
  const bridge = {
    ...noBridge,
    escrows: [{ address: `0x${'bb'.repeat(20)}`, token, baseline: null }],
    tokens: [{ address: token, symbol: 'USDC', decimals: 6 }],
  }
  const kernel = createTestKernel({ start: begin, config: { bridge } })
  const { commit, db, ledger } = kernel
  const records = heights.map((height, index) =>
    toRecord({
      id: hash(`i${index}`),
      zoneHash: hash(`2${index}`),
      mainHash: hash(`1${index}`),
      mainHeight: height,
      mainTime: begin + (height - startHeight) * 1_000,
      zoneTime: begin + (height - startHeight) * 1_000 + 10,
      token,
    }),
  )
  commit({
    answers: [records],
    apply: () => {
      startOwed(db, token, { height: startHeight, time: begin }, 5n)
      return []
    },
  })
  let lookups = 0
  const counting = {
    ...ledger,
    listSharing: (...of: Parameters<typeof ledger.listSharing>) => (
      (lookups += 1), ledger.listSharing(...of)
    ),
    listTransfers: (...of: Parameters<typeof ledger.listTransfers>) => (
      (lookups += 1), ledger.listTransfers(...of)
    ),
  }
  const changed = ledger.listTransfers({ limit: 500 })
  expect(changed).toHaveLength(heights.length)
  const of = { ...kernel, ledger: counting, watch: openEscrowWatch(kernel) }
  /** How often accounts look transfers up when these are shown. */
  const countLookups = (shown: readonly Transfer[] = changed) => {
    const before = lookups
    db.transaction(() => accountTransfers(of, { changed: shown, ceased: [] }, begin))
    return lookups - before
  }
  return { changed, db, countLookups }
}

test('what was over before accounts began is looked up nowhere; what came after is', () => {
  const past = Array.from({ length: 50 }, (_, index) => startHeight - 100 - index)
  expect(openLedger(past).countLookups()).toBe(0)
  expect(openLedger([startHeight + 5]).countLookups()).toBeGreaterThan(0)
})

test('what changes nothing of a transfer that accounts rest on looks nothing up again', () => {
  const { changed, countLookups } = openLedger([startHeight + 5])
  const [one] = changed as [Transfer]
  countLookups()
  expect(countLookups([{ ...one, readAt: one.readAt + 1, evidence: [], changedAt: begin + 1 }])).toBe(0)
  expect(countLookups([{ ...one, amount: '7', amountRaw: 7_000_000n }])).toBeGreaterThan(0)
  expect(countLookups([{ ...one, originProof: 'absent' }])).toBeGreaterThan(0)
  expect(countLookups([{ ...one, main: { ...one.main!, height: startHeight + 6 } }])).toBeGreaterThan(0)
  expect(countLookups([{ ...one, state: 'failed' }])).toBeGreaterThan(0)
})

test('what accounts took in a commit that came to nothing they take again', () => {
  const { changed, db, countLookups } = openLedger([startHeight + 5])
  const lost = () =>
    db.transaction(() => {
      countLookups()
      throw new Error('the disk is full')
    })
  expect(lost).toThrow('the disk is full')
  expect(countLookups(changed)).toBeGreaterThan(0)
})
