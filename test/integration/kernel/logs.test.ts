import { expect, onTestFinished, test } from 'vitest'
import { createSilentLog } from '../../../src/lib/log.ts'
import { readContractHistory } from '../../../src/checks/contracts/history.ts'
import { createContractReads } from '../../../src/kernel/contractReads.ts'
import { createEvidenceReads } from '../../../src/checks/evidence/reads.ts'
import { followContract, type FollowDeps } from '../../../src/checks/contracts/followContract.ts'
import { saveLogs } from '../../../src/checks/contracts/logStore.ts'
import { readProgress } from '../../../src/checks/contracts/progressStore.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { apiError, envelope, startApiStub, type StubReply, type StubRequest } from '../../support/apiStub.ts'
import { createTestExplorer } from '../../support/createTestExplorer.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

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
  const explorer = createTestExplorer(stub.url, { timeoutMs: 150 })
  const clock = createSteppedClock({ start: head * 1_000 })
  const db = openDatabase(':memory:')
  onTestFinished(async () => {
    await explorer.close()
    await stub.close()
    db.close()
  })
  const taken: string[] = []
  const deps: FollowDeps = {
    clock,
    log: createSilentLog(),
    db,
    reads: createContractReads({ explorer, clock }),
    commit: (findings) => {
      findings.apply?.(clock.now())
      return { news: 0, hasUrgent: false }
    },
    takeLogs: (_, logs, now) => {
      taken.push(...saveLogs(db, logs, now).map(({ hash }) => hash))
      return []
    },
    readMainHeight: () => head,
  }
  const follow = followContract(deps, contract)
  const blocks = {
    mainBlock: async (height: number) => ({ height, blockTime: height * 1_000, requestedAt: clock.now() }),
  }
  /** The newest logs, then what was missed. */
  const readOn = async () => {
    await follow(options).catch(() => {})
    await readContractHistory({ ...deps, blocks, since: (head - 2_000) * 1_000 }, contract, signal)
    await clock.advance(60_000)
  }
  return { stub, rows, taken, readOn, progress: () => readProgress(db, contract) }
}

const isWide = ({ from, to }: { from: number; to: number }) => to - from > 600

test.each<{ title: string; perBlock: number; spoil: Parameters<typeof setUp>[1] }>([
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
  },
  {
    title: 'stands behind a gateway that times out on wide ranges',
    perBlock: 1,
    spoil: (span) => (isWide(span) ? { status: 504, body: '<html>' } : null),
  },
])('F48: each log comes once from a service that $title', async ({ perBlock, spoil }) => {
  const { rows, taken, readOn, progress } = await setUp(perBlock, spoil)
  for (let round = 0; round < 12 && taken.length < rows.length; round += 1) await readOn()
  expect(taken.length).toBe(rows.length)
  expect(new Set(taken)).toEqual(new Set(rows.map(({ txId }) => txId)))
  expect(progress().next).toBe(head + 1)
})

test('F48: a service that does not answer at all is asked once for each size of range, and the cursor stays', async () => {
  const { stub, readOn, progress } = await setUp(1, () => ({ raw: () => {} }))
  await readOn()
  // Three attempts, and one for each of four halvings.
  expect(stub.requests).toHaveLength(7)
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
