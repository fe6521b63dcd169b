import { expect, test } from 'vitest'
import type { BridgeLog } from '../../../../src/bridge/bridgeLog.ts'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { paidBefore } from '../../../../src/bridge/transfer.ts'
import { createEarlierPayoutsPoll } from '../../../../src/checks/evidence/earlierPayouts.ts'
import type { EvidenceReading } from '../../../../src/ledger/evidence/evidence.ts'
import { listQueued } from '../../../../src/ledger/evidence/evidenceQueue.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { toHashCell } from '../../../../src/store/hash.ts'
import { plainConfig } from '../../../support/appConfig.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { emptyReads, putQueued, queuedLeg } from '../queuedLegs.ts'
import { createTestKernel, noSignal } from '../support.ts'

// semantics.md 46. A block a second, and withdrawals of the second 100,000 that are paid now.

const contract = `0x${'c0'.repeat(20)}`
const now = 600_000_000

/** A payout of now of a withdrawal of one zone transaction. */
const payNow = (n: number, of: Partial<Observation> = {}): Observation =>
  toRecord({
    source: 'E12',
    zoneEventIndex: `${n}`,
    zoneTime: 100_000_000,
    mainHash: hash(`now${n}`),
    mainHeight: now / 1_000,
    mainTime: now,
    targetAddress: `0xb${n}`,
    ...of,
  })

/** A bridge event of the past that names the origin. */
const naming = (name: string, height: number): BridgeLog => ({
  contract,
  hash: hash(name),
  height,
  time: height * 1_000,
  place: '0',
  topics: ['0x01'],
  data: hash('zone'),
})

const money = { token: '0xcc', from: '0xe5', to: '0xb0', amountRaw: 1_500_000n, amount: null, tokenId: '' }
const paidBy = { [hash('paid')]: [money], [hash('also')]: [{ ...money, to: '0xb1' }] }
const toReading = (name: string, moves: EvidenceReading['moves']): EvidenceReading => ({
  chain: 'main',
  hash: name,
  source: 'E21',
  requestedAt: now,
  status: 'success',
  errorMessage: '',
  moves,
  height: 1,
  time: 1,
})

/** What is found of these withdrawals, and after how many looks, where these events are of the past and `paid` paid the first. */
async function look(
  records: readonly Observation[],
  logs: readonly BridgeLog[],
  { looks = 9, cutLooks = 0, stumblesOver = '', refused = -1 } = {},
) {
  let turn = 0
  const kernel = createTestKernel({
    start: now,
    config: { bridge: { ...plainConfig.bridge, contracts: [contract] } },
    contractReads: {
      async logs(_, { first, last }) {
        if (first <= refused && refused <= last) throw new MonitorError('source.refused', 'E19 stumbles')
        const complete = turn >= cutLooks
        const found = complete ? logs.filter(({ height }) => height >= first && height <= last) : []
        return { requestedAt: kernel.clock.now(), records: found, bad: [], complete }
      },
      logsOfTopic: async () => ({ requestedAt: 0, records: [], bad: [] }),
      hasEmitted: async () => null,
      isOutOfBlocks: async () => false,
      verified: async () => null,
    },
  })
  const { clock, commit, db, ledger, reads } = kernel
  const at = (all: readonly Observation[]) => all.map((one) => ({ ...one, requestedAt: clock.now() }))
  const shown = async () => ({ requestedAt: clock.now(), records: at(records), bad: [] })
  reads.details = shown
  reads.feedByHash = async (name) => {
    if (name === stumblesOver) throw new MonitorError('source.refused', 'E3 stumbles')
    return shown()
  }
  reads.mainBlock = async (height) => ({ height, blockTime: height * 1_000, requestedAt: clock.now() })
  commit({ answers: [at(records)] })
  const poll = createEarlierPayoutsPoll({
    ...kernel,
    evidence: {
      ...emptyReads,
      ownValue: async (name) => toReading(name, []),
      mainLogs: async (name) => ({
        requestedAt: now,
        readings: [toReading(name, paidBy[name] ?? [])],
        bad: [],
      }),
    },
  })
  for (const name of new Set(records.flatMap(({ zoneHash }) => zoneHash ?? [])))
    putQueued(db, queuedLeg({ ask: 'past', hash: name, addedAt: now, time: 100_000_000 }))
  // It is of most value, so that its turn is first each time.
  db.prepare('UPDATE evidence_queue SET risk = 1 WHERE hash = ?').run(toHashCell(stumblesOver))
  const isQueued = () => listQueued(db, 'past', false, Number.MAX_SAFE_INTEGER, 9).length > 0
  for (; turn < looks && isQueued(); turn += 1) {
    await poll(noSignal).catch(() => undefined)
    await clock.advance(turn < 40 ? 15_000 : 3_600_000)
  }
  return {
    paidIn: ledger
      .listTransfers({ hash: hash('zone'), limit: 200 })
      .flatMap((one) => one.evidence.flatMap((of) => paidBefore(one, of) ?? [])),
    isQueued: isQueued(),
    turns: turn,
    legs: listQueued(db, 'past', false, Number.MAX_SAFE_INTEGER, 9),
  }
}

test.each([0, 1, 150])(
  'what was paid long ago is found beside %i other withdrawals of its transaction',
  async (dust) => {
    const others = Array.from({ length: dust }, (_, n) => payNow(n + 1))
    const { paidIn } = await look([...others, payNow(0)], [naming('paid', 200_000)])
    expect(paidIn).toEqual([hash('paid')])
  },
)

test.each([9, 10, 45])('it is found behind %i other transactions that name its origin', async (count) => {
  const crowd = Array.from({ length: count }, (_, n) => naming(`other${n}`, 599_000))
  const { paidIn } = await look([payNow(0)], [...crowd, naming('paid', 200_000)], { looks: 30 })
  expect(paidIn).toEqual([hash('paid')])
})

test('it is found however long ago it was', async () => {
  const records = [payNow(0, { mainHeight: 2_000_000, mainTime: 2_000_000_000 })]
  const { paidIn } = await look(records, [naming('paid', 110_000)], { looks: 30 })
  expect(paidIn).toEqual([hash('paid')])
})

test('it is found behind a block whose range is refused each time, and what may be there is not given up', async () => {
  const { paidIn, isQueued } = await look([payNow(0)], [naming('paid', 200_000)], { refused: 500_000 })
  expect(paidIn).toEqual([hash('paid')])
  const nothing = await look([payNow(0)], [naming('other', 200_000)], { refused: 500_000, looks: 60 })
  expect([isQueued, nothing.paidIn, nothing.isQueued]).toEqual([false, [], true])
})

test('it is found when the past can be read again, however long it could not', async () => {
  const { paidIn } = await look([payNow(0)], [naming('paid', 200_000)], { looks: 70, cutLooks: 60 })
  expect(paidIn).toEqual([hash('paid')])
})

test('each withdrawal of one transaction that was paid long ago is found', async () => {
  const records = [payNow(0), payNow(1, { targetAddress: '0xb1' }), payNow(2)]
  const { paidIn } = await look(records, [naming('paid', 200_000), naming('also', 150_000)])
  expect(paidIn).toEqual([hash('also'), hash('paid')])
})

test('what paid another withdrawal of the same transaction, as its record says, is no payout of this one', async () => {
  const records = [
    payNow(0),
    payNow(1, { targetAddress: '0xb0', mainHash: hash('paid'), mainHeight: 500_000 }),
  ]
  const { paidIn, isQueued } = await look(records, [naming('paid', 500_000)], { looks: 60 })
  expect([paidIn, isQueued]).toEqual([[], false])
})

test('what paid the same later is no earlier payout of it', async () => {
  const first = payNow(0, { mainHeight: 150_000, mainTime: 150_000_000 })
  const { paidIn } = await look([first, payNow(1)], [naming('paid', 200_000)], { looks: 60 })
  expect(paidIn).toEqual([])
})

test('where nothing of the past paid it that is believed the third time', async () => {
  const { paidIn, isQueued } = await look([payNow(0)], [naming('other', 200_000)], { looks: 60 })
  expect([paidIn, isQueued]).toEqual([[], false])
})

test('an origin that the source stumbles over holds up none of the others', async () => {
  const records = [payNow(5, { zoneHash: hash('odd') }), payNow(0)]
  const { paidIn } = await look(records, [naming('paid', 200_000)], { stumblesOver: hash('odd') })
  expect(paidIn).toEqual([hash('paid')])
})
