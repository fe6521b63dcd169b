import { createSeat } from '../../../../src/clients/seat.ts'
import { expect, test } from 'vitest'
import { createReceiptsPoll } from '../../../../src/checks/evidence/pollReceipts.ts'
import { listQueued } from '../../../../src/ledger/evidenceQueue.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { putQueued, queuedLeg } from '../queuedLegs.ts'
import { createTestKernel, noSignal } from '../support.ts'

const day = 86_400_000
const now = 1_800_000_000_000
const leg = queuedLeg({
  ask: 'receipt',
  hash: hash('main'),
  addedAt: now,
  readyAt: now,
  dueAt: now,
  height: 100,
  time: now,
})

/** A kernel with a leg that waits for its receipt, and a node of the main chain at a height and block time. */
function setUp(node: { height: number; time: number; receipt: object | null }, queued = leg) {
  const world = createTestKernel({ start: now })
  const { db, ledger } = world
  ledger.recordAnswer([toRecord({ mainHash: queued.hash })], now)
  putQueued(db, queued)
  const head = { number: node.height, timestamp: Math.floor(node.time / 1_000) }
  const known = { transactionHash: hash('other'), status: 'success', blockNumber: 1, logs: [] }
  const asked = {
    call: () => Promise.resolve(head),
    callMany: () =>
      Promise.resolve([
        { ok: true, value: node.receipt },
        { ok: true, value: known },
      ]),
  }
  const rpc = { ...asked, session: () => asked } as never
  const seat = createSeat([{ name: 'node', client: rpc }], world.clock)
  const source = { rpc, seat, chain: 'main', source: 'canonical', ask: 'receipt', confirmations: 3 } as const
  const evidence = () => ledger.listTransfers({ hash: queued.hash })[0]?.evidence
  return { world, source, evidence }
}

test('semantics.md 42: a receipt that is asked for after the clock was set back is newer than those before', async () => {
  const receipt = { transactionHash: leg.hash, status: 'success', blockNumber: 100, logs: [] }
  const { world, source, evidence } = setUp({ height: 200, time: now, receipt })
  // A day ahead of the clock: requests were numbered before it was set back.
  const ahead = { ...world.numbers, next: () => now + day }
  const poll = createReceiptsPoll(
    { ...world, ...source, numbers: ahead },
    { name: 'receipts', isLate: false },
  )
  await poll(noSignal)
  expect(evidence()).toMatchObject([{ source: 'canonical', status: 'success', at: now + day }])
  expect(listQueued(world.db, 'receipt', false, now + day, 9)).toEqual([])
})

test.each([
  {
    of: 'its own head has passed the leg',
    aheadMs: 5_000,
    found: [{ source: 'canonical', status: 'absent' }],
  },
  { of: 'it lags behind the leg, though the explorer has passed it', aheadMs: -5_000, found: [] },
])('a receipt that a node does not know when $of (semantics 24)', async ({ aheadMs, found }) => {
  // A height that no chain reaches: the time of its block decides.
  const { world, source, evidence } = setUp(
    { height: 200, time: now + aheadMs, receipt: null },
    { ...leg, height: 1_000_000, addedAt: now - 60_000 },
  )
  world.commit({
    heads: [{ chain: 'main', height: 300, blockTime: now + 60_000, requestedAt: now + 60_000, hash: null }],
  })
  const poll = createReceiptsPoll({ ...world, ...source }, { name: 'receipts', isLate: false })
  for (let read = 0; read < 4; read += 1) {
    await poll(noSignal)
    await world.clock.advance(20_000)
  }
  expect(evidence()).toMatchObject(found)
})
