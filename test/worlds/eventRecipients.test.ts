import { expect, test } from 'vitest'
import { type BridgeWorld, calmPoll, createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'
import { toWire } from '../support/fakeExplorer.ts'

// Whom a deposit is for is said by its event alone: the money goes to the bridge either way.

const bridge = `0x${'b1'.repeat(20)}`
const deposited = `0x${'9b'.repeat(32)}`
const thief = user(66)
const word = (hex: string) => hex.replace('0x', '').padStart(64, '0')

type Bare = Pick<BridgeWorld, 'fake' | 'main' | 'zone' | 'now'>

/**
 * A deposit of `user(n)`, credited to `credited`. Its event names that user, and for whom it is unless that is null.
 * @returns its main hash
 */
function deposit(
  { fake, main, zone, now }: Bare,
  n: number,
  credited = user(n + 500),
  named: string | null = user(n + 500),
): string {
  const height = String(fake.mainHead() - 40 + (n % 30))
  const [value, valueRaw] = [String(100 + n), `${100 + n}000000`]
  const at = {
    mainBlockHeight: height,
    mainBlockTime: String(now() - 20_000),
    zoneBlockTime: String(now() - 10_000),
  }
  const parties = { sourceAddress: user(n), targetAddress: credited, tokenContractAddress: token }
  const record = toWire(
    { txType: 'MainToZone', crossType: 'Deposit', ...parties, value, valueRaw, ...at },
    `d${n}`,
  )
  const { mainTxHash = '', zoneTxHash = '' } = record
  main(mainTxHash, { moves: [{ token, from: user(n), to: escrow, amount: value }] })
  zone(zoneTxHash, { actionType: 'deposit', value, valueRaw })
  fake.records.unshift(record)
  fake.logs.push({
    height,
    address: bridge,
    topics: [deposited, `0x${word(user(n))}`],
    data: `0x${named === null ? '' : word(named)}${word(token)}${word(BigInt(valueRaw).toString(16))}`,
    txId: mainTxHash,
    transactionTime: String(now() - 20_000),
    logIndex: String(fake.logs.length),
  })
  return mainTxHash
}

async function watch(count: number, add = (bare: Bare, n: number) => deposit(bare, n)) {
  const world = await createBridgeWorld({
    bridge: { contracts: [bridge] },
    config: { poll: calmPoll },
    prepare(bare) {
      for (let n = 0; n < count; n += 1) add(bare, n)
    },
  })
  await world.pass(90_000)
  const { ledger } = world.monitor.app.parts
  const mismatches = () =>
    world
      .told('transfer.mismatch')
      .map(({ subject, facts }) => [ledger.getTransfer(subject)?.main?.hash, facts['what'], facts['found']])
  return { ...world, mismatches }
}

test('a deposit that is credited to another than its event names is told', async () => {
  const world = await watch(25)
  const hash = deposit(world, 100, thief)
  deposit(world, 101)
  await world.pass(90_000)
  expect(world.mismatches()).toEqual([[hash, 'recipient', user(600)]])
})

test('where few deposits showed what the event names, or not all did, nothing is told', async () => {
  const young = await watch(12)
  deposit(young, 100, thief)
  await young.pass(90_000)
  expect(young.mismatches()).toEqual([])
  const used = await watch(0)
  for (let n = 0; n < 25; n += 1) deposit(used, n, n % 8 === 0 ? user(n) : user(n + 500))
  await used.pass(90_000)
  deposit(used, 100, thief)
  await used.pass(90_000)
  expect(used.mismatches()).toEqual([])
})

test('an event that names its sender alone accuses a few deposits for others by few samples, and no more of them', async () => {
  const world = await watch(25, (bare, n) => deposit(bare, n, user(n), null))
  for (let n = 100; n < 106; n += 1) {
    deposit(world, n, user(n + 800), null)
    await world.pass(60_000)
  }
  await world.pass(90_000)
  const told = world.told('transfer.mismatch')
  expect(told.map(({ facts }) => [facts['found'], facts['fewSamples']])).toEqual(
    [100, 101, 102].map((n) => [user(n), true]),
  )
}, 240_000)
