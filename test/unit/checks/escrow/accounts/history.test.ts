import { expect, test } from 'vitest'
import { accountTransfers } from '../../../../../src/checks/escrow/explaining/keepAccounts.ts'
import { startOwed } from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { createTestKernel } from '../../support.ts'

const token = '0xcc'
const begin = 1_000_000_000
const startHeight = 1_000

/** A ledger of transfers of one block each, and how often accounts look transfers up when they are shown. */
async function countLookups(heights: readonly number[]): Promise<number> {
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
  db.transaction(() => accountTransfers(of, { changed, ceased: [] }, begin))
  return lookups
}

test('what was over before accounts began is looked up nowhere; what came after is', async () => {
  const past = Array.from({ length: 50 }, (_, index) => startHeight - 100 - index)
  expect(await countLookups(past)).toBe(0)
  expect(await countLookups([startHeight + 5])).toBeGreaterThan(0)
})
