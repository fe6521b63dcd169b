import { expect, onTestFinished, test } from 'vitest'
import { createContractHistory } from '../../../src/checks/contracts/history.ts'
import { createContractReads } from '../../../src/kernel/reads/contractReads.ts'
import { createEvidenceReads } from '../../../src/checks/evidence/reads.ts'
import { followContract } from '../../../src/checks/contracts/followContract.ts'
import { readProgress } from '../../../src/checks/contracts/progressStore.ts'
import type { WatchedContract } from '../../../src/checks/contracts/takeLogs.ts'
import { createTestKernel, setMainHead } from '../../unit/checks/support.ts'
import { apiError, envelope, startApiStub, type StubReply, type StubRequest } from '../../support/apiStub.ts'
import { createTestExplorer } from '../../support/createTestExplorer.ts'

const contract = `0x${'c0'.repeat(20)}`
const head = 100_000
const cap = 1_000
const signal = new AbortController().signal
const options = { priority: 'tail', signal } as const

const toRow = (height: number, index: number) => ({
  height: String(height),
  address: contract,
  topics: [`0x${'01'.repeat(32)}`],
  data: '0x',
  txId: `0x${(height * 10 + index).toString(16).padStart(64, '0')}`,
  transactionTime: String(height * 1_000),
  logIndex: String(index),
})

/** A contract with so many logs in each of its newest 1,500 blocks, behind E19 as `spoil` leaves it. */
async function setUp(
  perBlock: number,
  spoil: (span: { from: number; to: number; n: number }) => StubReply | null,
  timeoutMs = 10_000,
) {
  const rows = Array.from({ length: 1_500 }, (_, n) => head - n).flatMap((height) =>
    Array.from({ length: perBlock }, (__, index) => toRow(height, index)),
  )
  let n = 0
  const stub = await startApiStub(({ query }: StubRequest) => {
    const [from, to] = [Number(query.get('startBlockHeight')), Number(query.get('endBlockHeight'))]
    const asked = rows.filter(({ height }) => Number(height) >= from && Number(height) <= to)
    return spoil({ from, to, n: (n += 1) }) ?? envelope(asked.slice(0, cap))
  })
  const explorer = createTestExplorer(stub.url, { timeoutMs })
  const kernel = createTestKernel({ start: head * 1_000 })
  const { clock, db, told } = kernel
  setMainHead(db, head, clock.now())
  onTestFinished(async () => {
    await explorer.close()
    await stub.close()
    db.close()
  })
  kernel.reads.mainBlock = async (height) => ({ height, blockTime: height * 1_000, requestedAt: clock.now() })
  const watched: WatchedContract = {
    ...kernel,
    contractReads: createContractReads({ explorer, clock }),
    address: contract,
    tellSince: (head - 2_000) * 1_000,
    administration: new Map(),
    named: new Map([[`0x${'01'.repeat(32)}`, 'Act']]),
  }
  const follow = followContract(watched)
  /** Of the logs that were taken: each tells of an act. */
  const taken = () => told.map(({ facts }) => facts['txHash'])
  /** The newest logs, then what was missed. */
  const readOn = async () => {
    await follow(options).catch(() => {})
    await createContractHistory([watched])(signal)
    await clock.advance(60_000)
  }
  return { stub, rows, taken, readOn, progress: () => readProgress(db, contract) }
}

const isWide = ({ from, to }: { from: number; to: number }) => to - from > 600

test.each<{ title: string; perBlock: number; spoil: Parameters<typeof setUp>[1]; timeoutMs?: number }>([
  { title: 'gives no more than 1,000 results', perBlock: 4, spoil: () => null },
  {
    title: 'gives about 1,000 results, some fewer',
    perBlock: 4,
    spoil: ({ from, to }) =>
      (to - from + 1) * 4 > 960
        ? envelope(Array.from({ length: 960 }, (_, n) => toRow(to - Math.floor(n / 4), n % 4)))
        : null,
  },
  { title: 'refuses wide ranges', perBlock: 1, spoil: (span) => (isWide(span) ? apiError('50015') : null) },
  {
    title: 'refuses wide ranges by a code of its own',
    perBlock: 1,
    spoil: (span) =>
      isWide(span) ? { json: { code: '59999', msg: 'block range exceeds 600', data: [] } } : null,
  },
  {
    title: 'refuses wide ranges by HTTP 400',
    perBlock: 1,
    spoil: (span) => (isWide(span) ? { status: 400, body: 'bad request' } : null),
  },
  {
    title: 'throttles two answers of three',
    perBlock: 1,
    spoil: ({ n }) => (n % 3 > 0 ? apiError('50011', 429) : null),
  },
  {
    title: 'throttles in disguise two answers of five',
    perBlock: 1,
    spoil: ({ n }) => (n % 5 > 2 ? envelope([]) : null),
  },
  {
    title: 'times out on wide ranges',
    perBlock: 1,
    spoil: (span) => (isWide(span) ? { raw: () => {} } : null),
    timeoutMs: 500,
  },
  {
    title: 'stands behind a gateway that times out on wide ranges',
    perBlock: 1,
    spoil: (span) => (isWide(span) ? { status: 504, body: '<html>' } : null),
  },
])('F48: each log comes once from a service that $title', async ({ perBlock, spoil, timeoutMs }) => {
  const { rows, taken, readOn, progress } = await setUp(perBlock, spoil, timeoutMs)
  for (let round = 0; round < 12 && taken().length < rows.length; round += 1) await readOn()
  expect(taken().length).toBe(rows.length)
  expect(new Set(taken())).toEqual(new Set(rows.map(({ txId }) => txId)))
  expect(progress().next).toBe(head + 1)
})

test('F48: a service that does not answer at all is asked once for each size of range, and the cursor stays', async () => {
  const { stub, readOn, progress } = await setUp(1, () => ({ raw: () => {} }), 100)
  await readOn()
  const ofRanges = stub.requests.filter(({ path }) => path.endsWith('/by-block-and-address'))
  // Three attempts, and one for each of four halvings.
  expect(ofRanges).toHaveLength(7)
  // One of the acts of administration: the next would be asked in vain as well.
  expect(stub.requests).toHaveLength(8)
  expect(progress().next).toBeNull()
})

test.each([
  { count: 949, isWhole: true },
  { count: 950, isWhole: false },
])('F48: of a transaction with $count logs E21 tells the movements: $isWhole', async ({ count, isWhole }) => {
  const txId = `0x${'aa'.repeat(32)}`
  const stub = await startApiStub(() =>
    envelope(Array.from({ length: count }, (_, index) => ({ ...toRow(head, index), txId }))),
  )
  const explorer = createTestExplorer(stub.url)
  onTestFinished(async () => {
    await explorer.close()
    await stub.close()
  })
  const { readings } = await createEvidenceReads(explorer).mainLogs(txId, { priority: 'evidence', signal })
  expect(readings).toHaveLength(1)
  expect(readings[0]?.moves === null).toBe(!isWhole)
})

test('of a transaction of whose logs one cannot be read E21 does not tell what moved: it may be that one', async () => {
  const txId = `0x${'aa'.repeat(32)}`
  const rows = [0, 1].map((index) => ({ ...toRow(head, index), txId }))
  const stub = await startApiStub(() => envelope([rows[0], { ...rows[1], height: 'soon' }]))
  const explorer = createTestExplorer(stub.url)
  onTestFinished(async () => {
    await explorer.close()
    await stub.close()
  })
  const read = await createEvidenceReads(explorer).mainLogs(txId, { priority: 'evidence', signal })
  expect(read.readings.map(({ status, moves }) => [status, moves])).toEqual([['success', null]])
  expect(read.bad).toHaveLength(1)
})
