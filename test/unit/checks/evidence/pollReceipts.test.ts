import { createSeat } from '../../../../src/clients/seat.ts'
import { expect, test } from 'vitest'
import { createReceiptsPoll } from '../../../../src/checks/evidence/pollReceipts.ts'
import { listQueued } from '../../../../src/ledger/evidence/evidenceQueue.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { putQueued, queuedLeg } from '../queuedLegs.ts'
import { createTestKernel, noSignal } from '../support.ts'

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
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
  const head = { number: node.height, timestamp: Math.floor(node.time / 1_000), hashes: [] }
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

// A height that no chain reaches: the time of its block decides.
const unreached = 1_000_000

test.each([
  {
    of: 'its own head has passed the leg',
    height: unreached,
    aheadMs: 5_000,
    found: [{ source: 'canonical', status: 'absent' }],
  },
  {
    of: 'it lags behind the leg, though the explorer has passed it',
    height: unreached,
    aheadMs: -5_000,
    found: [],
  },
  {
    of: 'too few blocks stand on the leg for a fork that it was left on to end',
    height: 198,
    aheadMs: 5_000,
    found: [],
  },
])('a receipt that a node does not know when $of (semantics 24)', async ({ height, aheadMs, found }) => {
  const { world, source, evidence } = setUp(
    { height: 200, time: now + aheadMs, receipt: null },
    { ...leg, height, addedAt: now - 60_000 },
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

/** The poll of a world whose second source is such a node. */
function pollOf(world: ReturnType<typeof createTestKernel>, asked: object) {
  const rpc = { ...asked, session: () => asked } as never
  const seat = createSeat([{ name: 'node', client: rpc }], world.clock)
  const source = { rpc, seat, chain: 'main', source: 'canonical', ask: 'receipt', confirmations: 3 } as const
  return createReceiptsPoll({ ...world, ...source }, { name: 'receipts', isLate: false })
}

/** A node at height 200 that says nothing of a leg at 100, but knows another transaction. */
function playMissing(block: { readonly hashes: readonly string[] } | null, ageMs = 60_000) {
  const time = now - ageMs
  const world = createTestKernel({ start: now, isManual: true })
  const queued = { ...leg, time, addedAt: now - 60_000 }
  world.ledger.recordAnswer([toRecord({ mainHash: leg.hash })], now)
  putQueued(world.db, queued)
  const node = { receipt: null as object | null, knowsOther: true, calls: 0 }
  const head = { number: 200, timestamp: Math.floor(now / 1_000), hashes: [] }
  const asked = {
    call: (_: string, [at]: readonly unknown[]) => Promise.resolve(at === 'latest' ? head : block),
    callMany: (calls: readonly unknown[]) => {
      node.calls += calls.length
      const other = { transactionHash: hash('other'), status: 'success', blockNumber: 1, logs: [] }
      return Promise.resolve(
        [node.receipt, node.knowsOther ? other : null].map((value) => ({ ok: true, value })),
      )
    },
  }
  const poll = pollOf(world, asked)
  const says: string[] = []
  const pass = async (times: number) => {
    for (let run = 0; run < times; run += 1) {
      await poll(noSignal).catch((error: unknown) => void says.push((error as Error).message))
      await world.clock.advance(20_000)
    }
    return world.ledger.listTransfers({ hash: leg.hash })[0]?.evidence.map(({ status }) => status)
  }
  return { world, node, says, pass }
}

test.each([
  { of: 'its own block does not hold it', block: { hashes: [hash('x')] }, found: ['absent'] },
  {
    of: 'its own block holds it',
    block: { hashes: [hash('x'), leg.hash] },
    found: [],
    said: `canonical gives no receipt of ${leg.hash}, which its block 100 holds`,
  },
  {
    of: 'it shows no block so far below its head: another node behind its address, or it is forgotten',
    block: null,
    found: [],
    said: `canonical gives no receipt of ${leg.hash}, nor block 100, below its head`,
  },
  { of: 'it has forgotten blocks so old', block: null, ageMs: 2 * 3_600_000, found: [] },
])('a transaction without a receipt is absent by what $of: $found', async ({ block, ageMs, found, said }) => {
  const { node, pass, says } = playMissing(block, ageMs)
  expect(await pass(5)).toEqual(found)
  expect([...new Set(says)]).toEqual(said === undefined ? [] : [said])
  node.receipt = { transactionHash: leg.hash, status: 'success', blockNumber: 100, logs: [] }
  if (found.length === 0) expect(await pass(5)).toEqual(['success'])
})

test('a node that knows nothing of what it knew before says nothing of others, and that is said', async () => {
  const { node, pass, says, world } = playMissing({ hashes: [] })
  node.knowsOther = false
  expect(await pass(4)).toEqual([])
  // Where it never knew any, one that it does not know may be forged.
  expect(says).toEqual([])
  node.receipt = { transactionHash: leg.hash, status: 'success', blockNumber: 100, logs: [] }
  expect(await pass(3)).toEqual(['success'])
  const second = hash('second')
  putQueued(world.db, { ...leg, hash: second })
  node.receipt = null
  expect(await pass(3)).toEqual(['success'])
  const told = `canonical may be of another chain: it knows none of 1 transactions of the bridge behind its head, such as ${second}, nor ${leg.hash}, which it knew before`
  expect(new Set(says)).toEqual(new Set([told]))
})

test('a node that shows no logs of what it showed some of before says nothing of what others moved, and that is said', async () => {
  const world = createTestKernel({ start: now, isManual: true })
  const topics = [transferTopic, ...['aa', 'bb'].map((digits) => `0x${digits.repeat(20).padStart(64, '0')}`)]
  const log = { address: `0x${'70'.repeat(20)}`, topics, data: `0x${'1'.padStart(64, '0')}`, removed: false }
  const node: { hides: (transactionHash: string) => boolean } = { hides: () => false }
  const asked = {
    call: () => Promise.resolve({ number: 200, timestamp: Math.floor(now / 1_000) }),
    callMany: (calls: readonly { params: [string] }[]) =>
      Promise.resolve(
        calls.map(({ params: [transactionHash] }) => ({
          ok: true,
          value: {
            transactionHash,
            status: 'success',
            blockNumber: 100,
            logs: node.hides(transactionHash) ? [] : [log],
          },
        })),
      ),
  }
  const poll = pollOf(world, asked)
  const says: string[] = []
  const moved = async (name: string) => {
    if (!world.ledger.listTransfers({ hash: hash(name) })[0]) {
      world.ledger.recordAnswer([toRecord({ mainHash: hash(name), zoneHash: hash(`zone ${name}`) })], now)
      putQueued(world.db, { ...leg, hash: hash(name) })
    }
    await poll(noSignal).catch((error: unknown) => void says.push((error as Error).message))
    await world.clock.advance(20_000)
    return world.ledger
      .listTransfers({ hash: hash(name) })[0]
      ?.evidence.map(({ status, moves }) => [status, moves?.length ?? null])
  }
  expect(await moved('before')).toEqual([['success', 1]])
  node.hides = () => true
  expect(await moved('hidden')).toEqual([['success', null]])
  expect(await moved('hidden')).toEqual([['success', null]])
  expect(new Set(says)).toEqual(new Set([`canonical shows no logs of ${hash('before')}, and did before`]))
  node.hides = () => false
  expect(await moved('hidden')).toEqual([['success', 1]])
  expect(says).toHaveLength(2)
  // What has none while others have some moved nothing.
  node.hides = (transactionHash) => transactionHash === hash('empty')
  expect(await moved('empty')).toEqual([['success', 0]])
})

test('what a node cannot say is asked for ever more rarely, once a minute at last', async () => {
  const { node, pass } = playMissing({ hashes: [] })
  node.knowsOther = false
  await pass(30)
  const before = node.calls
  await pass(30)
  // Ten minutes in steps of 20 s: each third one is due.
  expect(node.calls - before).toBe(10)
})

test('semantics.md 24: a transaction without a receipt is absent at the third reading, not before', async () => {
  const { pass } = playMissing({ hashes: [] })
  expect([await pass(1), await pass(1), await pass(1)]).toEqual([[], [], ['absent']])
})

test.each([
  { above: 2, found: [] },
  { above: 3, found: [{ source: 'canonical', status: 'failed' }] },
])(
  'semantics.md 24: with $above of 3 blocks on its own a receipt may still be another one: $found',
  async ({ above, found }) => {
    const receipt = { transactionHash: leg.hash, status: 'failed', blockNumber: 100, logs: [] }
    const { world, source, evidence } = setUp({ height: 100 + above, time: now, receipt })
    await createReceiptsPoll({ ...world, ...source }, { name: 'receipts', isLate: false })(noSignal)
    expect(evidence()).toMatchObject(found)
  },
)
