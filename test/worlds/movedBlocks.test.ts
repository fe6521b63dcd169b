import { describe, expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld, listLosses } from '../support/escrowWorld.ts'

// Reorganisations of the main chain that take a transaction out of its block: into another, or for good.

const second = 1_000
const minute = 60 * second
const units = (n: number) => BigInt(n) * 1_000_000n

type Bare = Pick<EscrowWorld, 'deposit'>
const deposit = ({ deposit }: Bare, n: number, amount: number, more = {}) =>
  deposit(n, { amount: String(amount), event: [units(amount), user(n)], ...more })

async function watch() {
  const world = await createEscrowWorld({
    pace: { maxRequestsPerSecond: 20, concurrency: 8 },
    prepare(bare) {
      for (let n = 0; n < 30; n += 1) deposit(bare, n, 30 + n)
    },
  })
  await world.pass(3 * minute)
  return world
}

const listTold = (world: EscrowWorld) => [
  ...world.told().map(({ kind, facts }) => [kind, facts]),
  ...world.conditions().map(({ kind, facts, state }) => [kind, facts, state]),
]

/** The chain goes on, and others with it. */
async function goOn(world: EscrowWorld, minutes: number) {
  for (let n = 0; n < minutes; n += 1) {
    deposit(world, 600 + n, 100 + n)
    await world.pass(minute)
  }
}

/** The transaction stands in the newest block from now on. */
function move(world: EscrowWorld, hash: string) {
  const [height, time] = [world.fake.mainHead(), world.now()]
  const known = world.chain.transactions.get(hash)
  if (known === undefined) throw new Error(`no transaction ${hash}`)
  world.chain.transactions.set(hash, { ...known, height, time })
  return {
    known,
    at: { mainBlockHeight: String(height), mainBlockTime: String(time), updateTime: String(time) },
  }
}

function moveLog(world: EscrowWorld, hash: string) {
  const log = world.fake.logs.find(({ txId }) => txId === hash)
  if (log === undefined) throw new Error(`no log of ${hash}`)
  const old = { ...log }
  const [height, time] = [String(world.fake.mainHead()), String(world.now())]
  Object.assign(log, { height, transactionTime: time, logIndex: '1234' })
  return old
}

describe('a deposit', () => {
  test('that was credited at once and whose block is replaced is in order', async () => {
    const world = await watch()
    const record = deposit(world, 500, 41)
    await world.pass(12 * second)
    const { mainTxHash: hash = '' } = record
    Object.assign(record, move(world, hash).at)
    moveLog(world, hash)
    await world.pass(6 * minute)
    expect(listTold(world)).toEqual([])
  }, 240_000)

  test('whose event is shown in its old block and in its new one is one', async () => {
    const world = await watch()
    const record = deposit(world, 500, 41)
    await world.pass(12 * second)
    const { mainTxHash: hash = '' } = record
    move(world, hash)
    const old = moveLog(world, hash)
    world.fake.logs.push(old)
    await world.pass(2 * minute)
    world.fake.logs = world.fake.logs.filter((one) => one !== old)
    await goOn(world, 20)
    expect(listTold(world)).toEqual([])
  }, 240_000)

  test.each([20, 50])(
    'that a reorganisation took for good %i s after its block has not left',
    async (seconds) => {
      const world = await watch()
      const { mainTxHash: hash = '' } = deposit(world, 500, 41, { record: null })
      await world.pass(seconds * second)
      world.chain.transactions.delete(hash)
      world.fake.logs = world.fake.logs.filter(({ txId }) => txId !== hash)
      await goOn(world, 30)
      expect(listTold(world)).toEqual([])
    },
    240_000,
  )

  test('that nobody credits is told', async () => {
    const world = await watch()
    deposit(world, 500, 41, { record: null })
    await goOn(world, 20)
    expect(world.conditions().map(({ kind, state }) => [kind, state])).toContainEqual([
      'transfer.stalled',
      'firing',
    ])
  }, 240_000)
})

test('a payout that a reorganisation took while its record says that it is paid is told', async () => {
  const world = await watch()
  const { mainTxHash: hash = '', targetAddress: to = '' } = world.withdraw(80, {
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
  })
  const moves = [{ token, from: escrow, to, amount: '180' }]
  world.main(hash, { height: world.fake.mainHead(), time: world.now(), moves })
  await world.pass(2 * minute)
  world.chain.transactions.delete(hash)
  await goOn(world, 5)
  expect(world.told().map(({ kind, facts }) => [kind, facts['what'], facts['leg'], facts['found']])).toEqual([
    ['transfer.mismatch', 'status', 'main', 'not known'],
  ])
}, 240_000)

test('payouts that a node lacks which stood still on other blocks are no loss once it shows these', async () => {
  const seen = { standsAt: null as number | null, lacks: [] as string[] }
  const head = { of: () => 0 }
  const world = await createEscrowWorld({
    pace: { maxRequestsPerSecond: 20, concurrency: 8 },
    balances: { [escrow]: { [token]: units(5_000) } },
    nodeBehind: () => (seen.standsAt === null ? 0 : head.of() - seen.standsAt),
    nodeLacks: () => seen.lacks,
    prepare(bare) {
      for (let n = 0; n < 30; n += 1) deposit(bare, n, 30 + n)
    },
  })
  head.of = () => world.fake.mainHead()
  await world.pass(3 * minute)
  for (const n of [80, 81]) {
    const place = { mainBlockHeight: String(world.fake.mainHead()), mainBlockTime: String(world.now()) }
    const { mainTxHash: hash = '', targetAddress: to = '' } = world.withdraw(n, place)
    const moves = [{ token, from: escrow, to, amount: String(100 + n) }]
    world.main(hash, { height: world.fake.mainHead(), time: world.now(), moves })
    seen.lacks.push(hash)
    await world.pass(5 * second)
  }
  seen.standsAt = world.fake.mainHead()
  await world.pass(4 * minute)
  Object.assign(seen, { standsAt: null, lacks: [] })
  await goOn(world, 6)
  expect(listLosses(world)).toEqual([])
  const stolen = { token, from: escrow, to: user(0), amount: '180' }
  world.transact({ unlisted: [stolen] })
  await goOn(world, 4)
  expect(listLosses(world)).toContain('escrow.drift 180')
}, 240_000)

test('a payout that the list of its escrow shows in its old block and in its new one left once', async () => {
  const world = await watch()
  const time = () => ({ mainBlockHeight: String(world.fake.mainHead()), mainBlockTime: String(world.now()) })
  const record = world.withdraw(80, time())
  const { mainTxHash: hash = '', targetAddress: to = '' } = record
  const moves = [{ token, from: escrow, to, amount: '180' }]
  world.main(hash, { height: world.fake.mainHead(), time: world.now(), moves })
  await world.pass(12 * second)
  const { known, at } = move(world, hash)
  Object.assign(record, at)
  world.chain.transactions.set(`${hash}-old`, known)
  await world.pass(3 * minute)
  world.chain.transactions.delete(`${hash}-old`)
  await world.pass(5 * minute)
  expect(listTold(world)).toEqual([])
}, 240_000)
