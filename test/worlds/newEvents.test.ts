import { findingText } from '../support/readFinding.ts'
import { expect, test } from 'vitest'
import { calmPoll, createBridgeWorld, user, type BridgeWorld } from '../support/bridgeWorld.ts'

// Acts of administration by events that nobody knows by name, through the whole daemon with the shipped rules.

const bridge = `0x${'b1'.repeat(20)}`
const payout = `0x${'9a'.repeat(32)}`
const unheard = `0x${'77'.repeat(32)}`
const actHash = `0x${'ac'.repeat(32)}`
const word = (hex: string) => hex.replace('0x', '').padStart(64, '0')

type Bare = Pick<BridgeWorld, 'withdraw' | 'fake' | 'now'>

function emit({ fake, now }: Bare, of: { topic: string; data: string; hash: string; height: string }): void {
  fake.logs.push({
    height: of.height,
    address: bridge,
    topics: [of.topic],
    data: `0x${of.data}`,
    txId: of.hash,
    transactionTime: String(now() - 10_000),
    logIndex: String(fake.logs.length),
  })
}

function pay(world: Bare, n: number): void {
  const height = String(world.fake.mainHead() - 40 + (n % 30))
  const record = world.withdraw(n, { mainBlockHeight: height })
  const amount = BigInt(record['valueRaw'] ?? 0).toString(16)
  const data = [record['zoneTxHash'] ?? '', user(n), amount].map(word).join('')
  emit(world, { topic: payout, data, hash: record['mainTxHash'] ?? '', height })
}

const act = (world: Bare, hash = actHash) =>
  emit(world, {
    topic: unheard,
    data: word(user(66)) + word('01'),
    hash,
    height: String(world.fake.mainHead() - 2),
  })

async function watch(payouts: number, before: (world: Bare) => void = () => {}) {
  const world = await createBridgeWorld({
    bridge: { contracts: [bridge] },
    config: { poll: calmPoll },
    prepare(bare) {
      for (let n = 0; n < payouts; n += 1) pay(bare, n)
      before(bare)
    },
  })
  await world.pass(90_000)
  const { db } = world.monitor.app.parts
  const told = () =>
    db
      .prepare("SELECT severity, finding FROM alerts WHERE kind = 'contract.changed'")
      .all()
      .map(({ severity, finding }) => `${String(severity)} ${JSON.parse(findingText(finding)).facts.txHash}`)
  return { ...world, told }
}

test('an event that a contract never emitted and that tells of no transfer is told once, as a warning', async () => {
  const world = await watch(210)
  act(world)
  act(world, `0x${'ad'.repeat(32)}`)
  await world.pass(90_000)
  act(world, `0x${'ae'.repeat(32)}`)
  await world.pass(90_000)
  expect(world.told()).toEqual([`warning ${actHash}`])
})

test('where little is known of a contract, or of an event that comes again and again, nothing is told', async () => {
  const young = await watch(20)
  act(young)
  await young.pass(90_000)
  expect(young.told()).toEqual([])
  const used = await watch(210, (bare) => {
    act(bare, `0x${'ab'.repeat(32)}`)
    act(bare, `0x${'aa'.repeat(32)}`)
  })
  act(used)
  await used.pass(90_000)
  expect(used.told()).toEqual([])
})
