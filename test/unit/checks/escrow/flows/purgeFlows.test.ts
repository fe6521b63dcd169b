import { expect, test } from 'vitest'
import { toDecimal, noAmount } from '../../../../../src/bridge/decimal.ts'
import { saveFlows, settleFlow } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { type Purged, purgeFlows } from '../../../../../src/checks/escrow/flows/purgeFlows.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { createTestKernel } from '../../support.ts'

/** Movements into an escrow, seen at 1, 2 and so on, some of them by deposits that were refused. */
function come(refused: readonly boolean[]) {
  const { db, ledger } = createTestKernel()
  const amount = toDecimal('5') ?? noAmount
  for (const [n, isRefused] of refused.entries()) {
    const mainHash = hash(`came ${n}`)
    const flow = { escrow: '0xee', token: '0xa1', hash: mainHash, height: n, at: n, party: '', gross: [] }
    saveFlows(db, [{ ...flow, net: amount, outward: noAmount }], n + 1, 0)
    const judged = { direction: 'in', reason: '', absence: null, waitsFor: null, checkAt: null } as const
    settleFlow(db, flow, { ...judged, verdict: 'explained', unexplained: null }, n + 1)
    const deposit = toRecord({
      direction: 'MainToZone',
      mainHash,
      zoneHash: null,
      zoneTime: null,
      status: 'failed',
    })
    if (isRefused) ledger.recordAnswer([{ ...deposit, id: `r${n}` }], n + 1)
  }
  const seen = () =>
    db
      .prepare('SELECT seen_at FROM escrow_flows ORDER BY seen_at')
      .all()
      .map((row) => row['seen_at'])
  return { db, seen }
}

test('what is kept for deposits that may be given back keeps nothing behind it from being forgotten', () => {
  const { db, seen } = come([true, true, true, false, true, false, false, true])
  let from: Purged | undefined
  for (let step = 0; step < 5; step += 1)
    from = purgeFlows(db, { explained: 8, inward: 8, outward: 8 }, 2, from)
  expect(seen()).toEqual([1, 2, 3, 5, 8])
})

test('what gave a deposit back is kept as long as the deposit is', () => {
  const { db, seen } = come([true, false])
  db.prepare("UPDATE escrow_flows SET verdict = 'refund', direction = 'out' WHERE seen_at = 2").run()
  db.prepare("INSERT INTO refunds SELECT id, ?, '', '5' FROM escrow_flows WHERE seen_at = 2").run(
    hash('came 0'),
  )
  const purge = () => purgeFlows(db, { explained: 9, inward: 9, outward: 9 }, 100)
  purge()
  expect(seen()).toEqual([1, 2])
  db.prepare('DELETE FROM transfers').run()
  purge()
  expect(seen()).toEqual([])
})

test('what was kept is forgotten in another round, once its deposit is', () => {
  const { db, seen } = come([true, true, true])
  let from: Purged | undefined
  const step = () => void (from = purgeFlows(db, { explained: 9, inward: 9, outward: 9 }, 2, from))
  step()
  db.prepare('DELETE FROM transfers').run()
  for (let more = 0; more < 3; more += 1) step()
  expect(seen()).toEqual([])
})
