import { expect, test } from 'vitest'
import { createZoneLogsPoll } from '../../../../src/checks/audit/pollZoneLogs.ts'
import { listDueLacks } from '../../../../src/checks/audit/store.ts'
import { readZoneShare } from '../../../../src/checks/audit/zoneStore.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { createTestKernel, noSignal } from '../support.ts'

const start = 1_800_000_000_000
const bridge = `0x${'c1'.repeat(20)}`
const left = `0x${'ee'.repeat(32)}`
const other = `0x${'dd'.repeat(32)}`

interface Written {
  readonly height: number
  readonly name: string
  readonly topic?: string
}

/** A zone of ten blocks a second whose node takes ranges of so many blocks. */
function setUp(written: readonly Written[], mostBlocks = 10_000) {
  const world = createTestKernel({ start })
  world.list.readAt = start
  const asked: { first: number; last: number }[] = []
  const headNow = () => Math.floor((world.clock.now() - start) / 100) + 1_000
  /** What its eth_getLogs leaves out, above which height it has nothing, and of how many blocks it answers in time. */
  const node = { hides: (_name: string): boolean => false, has: Infinity, inTime: Infinity }
  const call = async (method: string, [filter]: { fromBlock: number; toBlock: number }[]) => {
    if (method === 'eth_getBlockByNumber') {
      const number = typeof filter === 'number' ? filter : headNow()
      if (number > node.has && typeof filter === 'number') return null
      return { number, hash: null, timestamp: Math.floor((start + (number - 1_000) * 100) / 1_000) }
    }
    const [first, last] = [filter?.fromBlock ?? 0, filter?.toBlock ?? 0]
    if (last - first + 1 > node.inTime) throw new MonitorError('source.unreachable', 'no answer')
    if (last - first + 1 > mostBlocks)
      throw new MonitorError('source.refused', 'too large', { details: { rpcCode: -32_000 } })
    asked.push({ first, last })
    return written
      .filter(
        ({ height, name }) => height >= first && height <= Math.min(last, node.has) && !node.hides(name),
      )
      .map(({ height, name, topic = left }) => ({
        address: bridge,
        topics: [topic],
        data: '0x',
        blockNumber: height,
        transactionHash: hash(name),
        logIndex: 0,
        removed: false,
      }))
  }
  const zone = { ...world, settleMs: () => 60_000, tellSince: 0, contracts: [bridge] }
  const callMany = (calls: readonly { readonly method: string; readonly params: never[] }[]) =>
    Promise.all(
      calls.map(({ method, params }) =>
        call(method, params).then(
          (value) => ({ ok: true, value }),
          (error: unknown) => ({ ok: false, error }),
        ),
      ),
    )
  const rpc = { call: call as never, callMany: callMany as never, session: () => rpc as never }
  const open = () => createZoneLogsPoll({ ...zone, rpc })
  const lacks = () => listDueLacks(world.db, world.clock.now(), 99).map(({ zoneHash }) => zoneHash)
  return { world, asked, node, open, lacks }
}

type SetUp = ReturnType<typeof setUp>

async function run({ world }: SetUp, poll: ReturnType<SetUp['open']>, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await poll(noSignal)
    await world.clock.advance(30_000)
  }
}

const known = ['a', 'b', 'c'].map((name, at) => ({ height: 1_010 + at, name }))

function record({ world }: SetUp, names: readonly string[]): void {
  for (const name of names)
    world.ledger.recordAnswer(
      [toRecord({ id: name, zoneHash: hash(name), mainHash: hash(`m${name}`) })],
      start,
    )
}

test('a transaction without a record whose log is one of withdrawals is looked for, and its blocks are all counted', async () => {
  const zone = setUp([...known, { height: 1_400, name: 'hidden' }])
  record(zone, ['a', 'b', 'c'])
  await run(zone, zone.open(), 6)
  expect(zone.lacks()).toEqual([hash('hidden')])
  expect(readZoneShare(zone.world.db, start, start + 3_600_000)).toBe(1)
})

test.each([
  ['was seen of two withdrawals alone', [...known.slice(0, 2), { height: 1_400, name: 'x' }]],
  ['is another', [...known, { height: 1_400, name: 'x', topic: other }]],
])('one whose log %s is not', async (_, written) => {
  const zone = setUp(written)
  record(zone, ['a', 'b', 'c'])
  await run(zone, zone.open(), 6)
  expect(zone.lacks()).toEqual([])
})

test('no block is passed over: by a restart, a node that was away, or one that refuses so many at once', async () => {
  const zone = setUp([], 100)
  await run(zone, zone.open(), 5)
  await zone.world.clock.advance(120_000)
  await run(zone, zone.open(), 5)
  const [first] = zone.asked
  expect(zone.asked.slice(1).map(({ first: next }) => next)).toEqual(
    zone.asked.slice(0, -1).map(({ last }) => last + 1),
  )
  expect(first?.first).toBeGreaterThan(1_000)
  expect(zone.asked.at(-1)?.last).toBeGreaterThan(3_000)
})

test('what was written in hours in which nothing ran is read once the list was read over them', async () => {
  const later = Array.from({ length: 8 }, (_, n) => ({ height: 5_000 + n, name: `later ${n}` }))
  const zone = setUp([...known, ...later, { height: 40_000, name: 'hidden' }])
  record(zone, ['a', 'b', 'c'])
  await run(zone, zone.open(), 6)
  await zone.world.clock.advance(7_200_000)
  zone.world.list.readAt = null
  const poll = zone.open()
  await run(zone, poll, 6)
  record(
    zone,
    later.map(({ name }) => name),
  )
  zone.world.list.readAt = zone.world.clock.now()
  await keepRunning(zone, poll, { seconds: 60 })
  expect(zone.lacks()).toEqual([hash('hidden')])
})

test('a block that is younger than records may be is not read yet', async () => {
  const zone = setUp([])
  await run(zone, zone.open(), 6)
  // Six readings of the head, 30 s apart: the newest is 150 s old by its block, the settle time is one minute.
  expect(zone.asked.at(-1)?.last).toBe(1_000 + (150_000 - 60_000) / 100)
})

/** Withdrawals that the ledger knows, five seconds apart from block 1,000 on, each with its proof and its log. */
function withdrawals(count: number): Written[] {
  return Array.from({ length: count }, (_, at) => ({ height: 1_020 + at * 50, name: `w${at}` }))
}

function prove({ world }: SetUp, written: readonly Written[]): void {
  for (const { height, name } of written) {
    const zoneTime = start + (height - 1_000) * 100
    const legs = { zoneHash: hash(name), mainHash: hash(`m${name}`), zoneHeight: height, zoneTime }
    const of = { ...legs, id: name, requestedAt: zoneTime + 1_000 }
    const said = { chain: 'zone', source: 'E9', status: 'success', errorMessage: '', moves: null } as const
    world.commit({
      answers: [[toRecord(of)]],
      evidence: [{ ...said, hash: hash(name), requestedAt: world.clock.now() }],
    })
  }
}

const attempt = async (zone: SetUp, poll: ReturnType<SetUp['open']>): Promise<string> => {
  const said = await poll(noSignal).then(
    () => '',
    (error: unknown) => (error as Error).message,
  )
  await zone.world.clock.advance(30_000)
  return said
}

test('logs of a node that shows none of many known withdrawals are read again, until it shows them', async () => {
  const own = withdrawals(80)
  const zone = setUp([...own, { height: 2_430, name: 'hidden' }])
  prove(zone, own)
  const poll = zone.open()
  await run(zone, poll, 6)
  zone.node.hides = () => true
  const said = []
  for (let n = 0; n < 4; n += 1) said.push(await attempt(zone, poll))
  expect(said.at(-1)).toMatch(
    /^eth_getLogs shows nothing of (\d+) of \1 withdrawals in blocks \d+ to \d+ of the zone/,
  )
  zone.node.hides = () => false
  await run(zone, poll, 6)
  expect(zone.lacks()).toEqual([hash('hidden')])
})

test('a withdrawal of which there is no log, such as a forged one, holds nothing up', async () => {
  const own = withdrawals(80)
  const zone = setUp([...own.filter(({ name }) => name !== 'w30'), { height: 2_600, name: 'hidden' }])
  prove(zone, own)
  await run(zone, zone.open(), 10)
  expect(zone.lacks()).toEqual([hash('hidden')])
})

test('what a node behind the same address has not come to yet is read later', async () => {
  const own = withdrawals(20)
  const zone = setUp([...own, { height: 1_950, name: 'hidden' }])
  prove(zone, own)
  const poll = zone.open()
  await run(zone, poll, 3)
  zone.node.has = 1_500
  const said = []
  for (let n = 0; n < 3; n += 1) said.push(await attempt(zone, poll))
  expect(said.at(-1)).toMatch(/^the zone's node does not show block \d+, below its head$/)
  zone.node.has = Infinity
  await run(zone, poll, 3)
  expect(zone.lacks()).toEqual([hash('hidden')])
})

test('fewer blocks are asked for at once of a node that does not answer for so many in time', async () => {
  const zone = setUp([])
  const poll = zone.open()
  await run(zone, poll, 3)
  await zone.world.clock.advance(200_000)
  zone.node.inTime = 100
  const said = []
  for (let n = 0; n < 20; n += 1) said.push(await attempt(zone, poll))
  expect(said.filter((one) => one !== '').length).toBeLessThan(15)
  expect(zone.asked.at(-1)?.last).toBeGreaterThan(5_000)
})

/** Each half minute, and whenever it asked to be run again; a run takes so long. @returns what it said */
async function keepRunning(zone: SetUp, poll: ReturnType<SetUp['open']>, { seconds = 0, runMs = 0 }) {
  const { clock, triggered } = zone.world
  const said = new Set<string>()
  const endAt = clock.now() + seconds * 1_000
  for (let dueAt = clock.now(); clock.now() < endAt; await clock.advance(1_000)) {
    const isWoken = triggered.splice(0).length > 0
    if (!isWoken && clock.now() < dueAt) continue
    dueAt = clock.now() + 30_000
    await poll(noSignal).catch((error: unknown) => void said.add((error as Error).message))
    await clock.advance(runMs)
  }
  return [...said]
}

test('a node that gives ten blocks at a time is asked as often as its chain makes them', async () => {
  const zone = setUp([], 10)
  expect(await keepRunning(zone, zone.open(), { seconds: 900 })).toEqual([])
  const passed = 1_000 + (900_000 - 60_000) / 100
  expect(zone.asked.at(-1)?.last).toBeGreaterThan(passed - 600)
})

test('a node that cannot be asked as often as that is told', async () => {
  const zone = setUp([], 10)
  const said = await keepRunning(zone, zone.open(), { seconds: 3_600, runMs: 60_000 })
  expect(said.at(-1)).toMatch(
    /^the zone's node gives the logs of \d+ blocks at a time: those from block \d+ on, \d+ minutes of them, are still to be read$/,
  )
})
