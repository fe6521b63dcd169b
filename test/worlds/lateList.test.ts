import { expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { findingText } from '../support/readFinding.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'

// A bridge whose events name no origin, and a list (E3) that comes to be minutes late: until its record is there each
// payout looks like one without an origin.

const second = 1_000
const minute = 60 * second
const payoutTopic = `0x${'9a'.repeat(32)}`

type Bare = Omit<EscrowWorld, 'monitor' | 'told' | 'conditions'>

/** A payout of now, and its event. @returns its hash */
function pay(world: Bare, n: number): string {
  const hash = world.transact({ moves: [{ token, from: escrow, to: user(n), amount: '120' }] })
  world.emit(hash, payoutTopic, [user(n), token, 120_000_000n])
  return hash
}

/** A deposit of now, which is credited ten seconds later, and a withdrawal. */
async function cross(world: Bare, n: number): Promise<void> {
  const onItsWay = { zoneTxHash: '', zoneBlockTime: '', zoneBlockHeight: '' }
  const event = [user(n), token, 250_000_000n]
  const deposit = world.deposit(n, { amount: '250', event, record: onItsWay })
  const mainTxHash = pay(world, 500 + n)
  const main = {
    mainTxHash,
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
  }
  world.withdraw(500 + n, {
    ...main,
    zoneBlockHeight: String(world.fake.zoneHead() - 100),
    value: '120',
    valueRaw: '120000000',
  })
  await world.pass(10 * second)
  const zoneTxHash = `0x${String(n).padStart(64, 'c')}`
  world.zone(zoneTxHash, {
    actionType: 'deposit',
    blockTime: String(world.now()),
    value: '250',
    valueRaw: '250000000',
  })
  const zoneBlockHeight = String(world.fake.zoneHead())
  Object.assign(deposit, { zoneTxHash, zoneBlockHeight, zoneBlockTime: String(world.now()) })
}

async function start(lateMs: number) {
  const late = { ms: 0 }
  const world = await createEscrowWorld({
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    prepare(bare) {
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        if (!request.path.endsWith('/cross/transaction-list')) return before(request, response)
        const all = bare.fake.records
        bare.fake.records = all.filter((record) => Number(record['mainBlockTime']) <= bare.now() - late.ms)
        // The answer is made at once.
        queueMicrotask(() => (bare.fake.records = all))
        return before(request, response)
      }
    },
  })
  let count = 0
  const busy = async (ms: number) => {
    for (const endAt = world.now() + ms; world.now() < endAt; count += 1) await cross(world, count)
  }
  await busy(4 * minute)
  late.ms = lateMs
  const accused = () =>
    world.monitor.app.parts.db
      .prepare("SELECT kind, finding FROM alerts WHERE severity = 'critical'")
      .all()
      .map(({ kind, finding }) => `${String(kind)} ${findingText(finding)}`)
  return { ...world, busy, accused }
}

test('semantics.md 41: a list that comes to be two minutes late accuses no payout', async () => {
  const world = await start(2 * minute)
  await world.busy(8 * minute)
  expect(world.accused()).toEqual([])
})

test('semantics.md 41: one that is four minutes late accuses none once it is known that all its records come so late', async () => {
  const world = await start(4 * minute)
  await world.busy(7 * minute)
  const before = world.accused().length
  await world.busy(6 * minute)
  expect(world.accused().slice(before)).toEqual([])
})

test('semantics.md 41: a payout that a list which is two minutes late never shows is told within five minutes', async () => {
  const world = await start(2 * minute)
  await world.busy(4 * minute)
  const stolen = pay(world, 900)
  await world.busy(5 * minute)
  expect(world.monitor.told().join('\n')).toContain(stolen)
  expect(world.accused().filter((text) => !text.includes(stolen))).toEqual([])
})
