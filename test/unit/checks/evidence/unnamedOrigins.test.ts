import { expect, test } from 'vitest'
import type { Transfer } from '../../../../src/bridge/transfer.ts'
import { createUnnamedOriginsPoll } from '../../../../src/checks/evidence/unnamedOrigins.ts'
import type { QueuedLeg } from '../../../../src/ledger/evidenceQueue.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'
import { transferOf } from '../../rules/transfers.ts'
import { noSignal } from '../support.ts'
import { queuedLeg } from '../queuedLegs.ts'

const paid = hash('paid')
const waiting = queuedLeg({ ask: 'record', hash: paid, addedAt: 1_000_000, height: 7, time: 1_000_000 })
const payout = toRecord({
  zoneHash: null,
  zoneHeight: null,
  zoneTime: null,
  mainHash: paid,
  mainTime: 1_000_000,
})

/** What is judged of a payout whose record names no origin, a minute and more after it; and which addresses were asked. */
async function judgedOf(found: 'it' | 'nothing', readAt: number) {
  const transfer: Transfer = { ...transferOf([payout]), key: 't1', readAt }
  const judged: string[] = []
  const asked: (readonly string[])[] = []
  let dropped = false
  const poll = createUnnamedOriginsPoll({
    clock: createSteppedClock({ start: 1_070_000 }),
    reads: { details: () => Promise.reject(new Error('it has no zone hash')) },
    commit: ({ judge = [], apply }) => {
      judged.push(...judge)
      apply?.(1_070_000)
      return { news: 0, hasUrgent: false }
    },
    listQueued: () => [waiting],
    saveQueued: () => {},
    dropQueued: () => {
      dropped = true
    },
    transfersOf: () => [transfer],
    lookUp: ({ addresses }) => {
      asked.push(addresses)
      return Promise.resolve({
        requestedAt: 1_070_000,
        records: found === 'it' ? [payout] : [],
        bad: [],
        isAnswer: false,
        isHidden: false,
      })
    },
    settleMs: () => 60_000,
    watermark: () => 1_065_000,
    isWaiting: () => false,
    listReadAt: () => 1_069_000,
  })
  await poll(noSignal)
  return { judged, dropped, asked }
}

test('a record without an origin is looked for by its addresses too, and judged as it is found', async () => {
  const { judged, dropped, asked } = await judgedOf('it', 1_005_000)
  expect([judged, dropped]).toEqual([['t1'], true])
  expect(asked).toEqual([[payout.targetAddress, payout.sourceAddress]])
})

test('where no filter works it is judged as the list showed it once its time was over', async () => {
  expect(await judgedOf('nothing', 1_060_000)).toMatchObject({ judged: ['t1'], dropped: true })
  expect(await judgedOf('nothing', 1_059_999)).toMatchObject({ judged: [], dropped: false })
})

test('semantics.md 42: a payout without a record is told where requests are numbered on from a day ahead', async () => {
  const day = 86_400_000
  const clock = createSteppedClock({ start: 1_100_000, isManual: true })
  const chainOnly: Transfer = { ...transferOf([payout]), key: 't1', isListed: false }
  let leg: QueuedLeg | null = waiting
  const said: unknown[] = []
  const poll = createUnnamedOriginsPoll({
    clock,
    reads: { details: () => Promise.reject(new Error('it has no zone hash')) },
    commit: ({ evidence = [], apply }) => {
      said.push(...evidence)
      apply?.(clock.now())
      return { news: 0, hasUrgent: false }
    },
    listQueued: () => (leg ? [leg] : []),
    saveQueued: (next) => (leg = next),
    dropQueued: () => (leg = null),
    transfersOf: () => [chainOnly],
    lookUp: () =>
      Promise.resolve({ requestedAt: day * 30, records: [], bad: [], isAnswer: true, isHidden: false }),
    settleMs: () => 60_000,
    watermark: () => 1_065_000,
    isWaiting: () => false,
    listReadAt: () => 1_069_000,
  })
  for (let turn = 0; turn < 3; turn += 1) {
    await poll(noSignal)
    await clock.advance(15_000)
  }
  expect(said).toMatchObject([{ status: 'absent', reads: 3, requestedAt: day * 30 }])
})
