import { expect, test } from 'vitest'
import { judgeLogs } from '../../../../src/checks/contracts/judgeLogs.ts'
import { listLearned, saveLogs } from '../../../../src/checks/contracts/logStore.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { createTestKernel } from '../support.ts'

const contract = `0x${'c0'.repeat(20)}`
const topic = `0x${'01'.repeat(32)}`
const start = 100_000_000
const word = (value: bigint | number) => value.toString(16).padStart(64, '0')

/** A main transaction with so many deposits, and the event of each. */
function setUp(count: number) {
  const kernel = createTestKernel({ start })
  const rows = Array.from({ length: count }, (_, n) =>
    toRecord({
      direction: 'MainToZone',
      crossType: 'Deposit',
      mainHash: hash('bundle'),
      mainTime: start,
      zoneHash: hash(`credit ${n}`),
      zoneTime: start + 5_000,
      targetAddress: `0x${(0xa0_0000 + n).toString(16).padStart(40, '0')}`,
      amountRaw: BigInt(1_000_000 + n),
      value: ((1_000_000 + n) / 1e6).toString(),
      requestedAt: start + 10_000,
    }),
  )
  const logs = rows.map((row, n) => ({
    contract,
    hash: hash('bundle'),
    height: 500,
    time: start,
    place: String(n),
    topics: [topic, `0x${row.targetAddress.slice(2).padStart(64, '0')}`],
    data: `0x${word(row.amountRaw ?? 0n)}`,
  }))
  saveLogs(kernel.db, logs, start)
  return { ...kernel, rows, configured: new Map([[topic, 'deposit' as const]]) }
}

test('deposits of one transaction, more than are compared: each is the one of its event, and none is opened anew', async () => {
  const kernel = setUp(300)
  kernel.commit({ answers: [kernel.rows] })
  kernel.list.readAt = start + 200_000
  await kernel.clock.advance(200_000)
  judgeLogs(kernel)
  const listed = kernel.ledger.listTransfers({ limit: 1_000 })
  expect(listed).toHaveLength(300)
  expect(listed.filter(({ state }) => state !== 'completed')).toEqual([])
})

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

function depositOf(n: number, credited: string) {
  const of = { mainHash: hash(`main ${n}`), mainTime: start, zoneHash: hash(`zone ${n}`), zoneTime: start }
  const amount = { amountRaw: BigInt(1_000_000 + n), value: ((1_000_000 + n) / 1e6).toString() }
  const parties = { from: address(n), sourceAddress: address(n), targetAddress: credited }
  const direction = { direction: 'MainToZone', crossType: 'Deposit' } as const
  return toRecord({ ...direction, ...of, ...amount, ...parties, requestedAt: start + 10_000 })
}

function eventOf(n: number, named: string) {
  const topics = [topic, `0x${named.slice(2).padStart(64, '0')}`]
  const data = `0x${word(1_000_000 + n)}`
  return { contract, hash: hash(`main ${n}`), height: 500 + n, time: start, place: '0', topics, data }
}

/** Who the event of a deposit names, where its record says otherwise, once the list shows it after so long. */
async function recipientsSaid({ listedAfterMs, credited }: { listedAfterMs: number; credited: string }) {
  const kernel = createTestKernel({ start })
  const configured = new Map([[topic, 'deposit' as const]])
  const honest = Array.from({ length: 20 }, (_, n) => n + 1)
  saveLogs(
    kernel.db,
    [...honest, 99].map((n) => eventOf(n, address(n))),
    start,
  )
  kernel.commit({ answers: [honest.map((n) => depositOf(n, address(n)))] })
  for (let passedMs = 0; passedMs < 300_000; passedMs += 5_000) {
    if (passedMs === listedAfterMs) kernel.commit({ answers: [[depositOf(99, credited)]] })
    kernel.list.readAt = kernel.clock.now()
    judgeLogs({ ...kernel, configured })
    await kernel.clock.advance(5_000)
  }
  const of = kernel.ledger.listSharing('main', hash('main 99'), 10)
  return of.flatMap(({ evidence }) => evidence.flatMap(({ recipient }) => recipient ?? []))
}

test.each([20_000, 60_000, 120_000])(
  'a deposit that is listed %i ms late is compared with whom its event names',
  async (listedAfterMs) => {
    expect(await recipientsSaid({ listedAfterMs, credited: address(666) })).toContain(address(99))
    expect(await recipientsSaid({ listedAfterMs, credited: address(99) })).toEqual([])
  },
)

test('an event that nobody knows, seen shortly before an hour in which nothing ran, is told with the first reading of the list', async () => {
  const kernel = createTestKernel({ start })
  kernel.db
    .prepare('INSERT INTO bridge_topics (contract, topic, matched) VALUES (?, ?, 200)')
    .run(contract, topic)
  saveLogs(kernel.db, [{ ...eventOf(1, address(1)), topics: [`0x${'02'.repeat(32)}`] }], start)
  const judge = () => judgeLogs({ ...kernel, configured: new Map() })
  await kernel.clock.advance(3_600_000)
  kernel.list.readAt = null
  judge()
  expect(kernel.told).toEqual([])
  kernel.list.readAt = kernel.clock.now()
  await kernel.clock.advance(30_000)
  judge()
  expect(kernel.told).toMatchObject([
    { kind: 'contract.changed', subject: expect.stringContaining(contract) },
  ])
})

test('a deposit of before the start is compared with whom its event names, once that is learned from those beside it', async () => {
  expect(await recipientsSaid({ listedAfterMs: 0, credited: address(666) })).toContain(address(99))
  expect(await recipientsSaid({ listedAfterMs: 0, credited: address(99) })).toEqual([])
})

/** The list was read whole, and reaches back so far. */
function listFor({ cursors }: ReturnType<typeof createTestKernel>, forMs: number): void {
  const known = cursors.read()
  const reached = { done: true, oldestAt: start - forMs, until: start - 86_400_000 }
  cursors.write({ ...known, history: { ...known.history, ...reached } })
}

test.each([
  { title: 'opens nothing where the list begins later', listedForMs: 60_000, count: 0 },
  { title: 'opens a deposit where the list reaches back to it', listedForMs: 7_200_000, count: 1 },
])('an event of an hour before the first start without a record $title', async ({ listedForMs, count }) => {
  const kernel = createTestKernel({ start })
  listFor(kernel, listedForMs)
  saveLogs(kernel.db, [{ ...eventOf(1, address(1)), time: start - 3_600_000 }], start)
  await kernel.clock.advance(60_000)
  kernel.list.readAt = kernel.clock.now()
  const configured = new Map([[topic, 'deposit' as const]])
  judgeLogs({ ...kernel, tellSince: start - 86_400_000, configured })
  expect(kernel.ledger.listSharing('main', hash('main 1'), 10)).toHaveLength(count)
})

test.each([
  { title: 'before the list begins', listedForMs: 60_000, expected: ['MainToZone'] },
  { title: 'though the list reaches back to them', listedForMs: 7_200_000, expected: [] },
])(
  'an event that has many without a record, $title: learned as $expected',
  async ({ listedForMs, expected }) => {
    const kernel = createTestKernel({ start })
    listFor(kernel, listedForMs)
    const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n)
    const unlisted = numbers(1_000, 50).map((n) => ({ ...eventOf(n, address(n)), time: start - 3_600_000 }))
    const listed = numbers(1, 20)
    saveLogs(kernel.db, [...unlisted, ...listed.map((n) => eventOf(n, address(n)))], start)
    kernel.commit({ answers: [listed.map((n) => depositOf(n, address(n)))] })
    judgeLogs({ ...kernel, configured: new Map() })
    expect(listLearned(kernel.db).map(({ template }) => template?.direction)).toEqual(expected)
  },
)

test('a deposit is opened once, whatever is learned of its event before it is listed', async () => {
  const kernel = createTestKernel({ start })
  const judge = async () => {
    await kernel.clock.advance(60_000)
    kernel.list.readAt = kernel.clock.now()
    judgeLogs({ ...kernel, configured: new Map([[topic, 'deposit' as const]]) })
  }
  const opened = () => kernel.ledger.listSharing('main', hash('main 99'), 10)
  saveLogs(kernel.db, [eventOf(99, address(99))], start)
  await judge()
  expect(opened()).toMatchObject([{ isListed: false, targetAddress: '' }])
  const honest = Array.from({ length: 20 }, (_, n) => n + 1)
  saveLogs(
    kernel.db,
    honest.map((n) => eventOf(n, address(n))),
    start,
  )
  kernel.commit({ answers: [honest.map((n) => depositOf(n, address(n)))] })
  await judge()
  await judge()
  expect(opened()).toHaveLength(1)
  kernel.commit({ answers: [[depositOf(99, address(99))]] })
  expect(opened()).toMatchObject([{ isListed: true }])
})
