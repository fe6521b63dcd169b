import { expect, test } from 'vitest'
import { createReceiptsPoll } from '../../../../src/checks/evidence/pollReceipts.ts'
import type { Findings } from '../../../../src/kernel/reads.ts'
import { queuedLeg } from '../queuedLegs.ts'
import { hash } from '../../../support/records.ts'

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
  const committed: Findings[] = []
  const receipt = { transactionHash: leg.hash, status: 'success', blockNumber: 100, logs: [] }
  const poll = createReceiptsPoll({
    clock: { now: () => now, monotonicMs: () => 0, sleep: () => Promise.resolve() },
    // A day ahead of the clock: requests were numbered before it was set back.
    nextNumber: () => now + day,
    rpc: {
      call: () => Promise.resolve(200),
      callMany: () => Promise.resolve([{ ok: true, value: receipt }]),
    } as never,
    commit: (findings) => {
      committed.push(findings)
      return { news: 0, hasUrgent: false }
    },
    confirmations: 3,
    listQueued: () => [leg],
    saveQueued: () => undefined,
    dropQueued: () => undefined,
    hurryMain: () => undefined,
    knownHashes: () => [],
    hasPassed: () => true,
  })
  await poll(new AbortController().signal)
  expect(committed.flatMap(({ evidence = [] }) => evidence).map(({ requestedAt }) => requestedAt)).toEqual([
    now + day,
  ])
})
