import { expect, test } from 'vitest'
import { createReceiptsPoll } from '../../../../src/checks/evidence/pollReceipts.ts'
import { listQueued } from '../../../../src/ledger/evidenceQueue.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { putQueued, queuedLeg } from '../queuedLegs.ts'
import { createTestKernel, noSignal } from '../support.ts'

const day = 86_400_000

test('semantics.md 42: a receipt that is asked for after the clock was set back is newer than those before', async () => {
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
  const world = createTestKernel({ start: now })
  const { db, ledger, numbers } = world
  ledger.recordAnswer([toRecord({ mainHash: leg.hash })], now)
  putQueued(db, leg)
  const receipt = { transactionHash: leg.hash, status: 'success', blockNumber: 100, logs: [] }
  const rpc = {
    call: () => Promise.resolve(200),
    callMany: () => Promise.resolve([{ ok: true, value: receipt }]),
  } as never
  // A day ahead of the clock: requests were numbered before it was set back.
  const ahead = { ...numbers, next: () => now + day }
  const poll = createReceiptsPoll({ ...world, rpc, numbers: ahead }, { name: 'receipts', isLate: false })
  await poll(noSignal)
  const [transfer] = ledger.listTransfers({ hash: leg.hash })
  expect(transfer?.evidence).toMatchObject([{ source: 'canonical', status: 'success', at: now + day }])
  expect(listQueued(db, 'receipt', false, now + day, 9)).toEqual([])
})
