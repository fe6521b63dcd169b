import { expect, test } from 'vitest'
import {
  type BridgeWorld,
  calmPoll,
  createBridgeWorld,
  escrow,
  otherToken,
  token,
  user,
} from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld, toRaw } from '../support/escrowWorld.ts'

// A fee is the most that may be kept, not what is kept: the configured one, or what was learned.

const second = 1_000
const lagMs = 420_000
const forms = [
  { token, decimals: 6, held: 1_000_000_000_000n },
  { token: otherToken, decimals: 18, held: 10n ** 24n },
]
const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: duplicate, on: transfer.duplicate, severity: critical }
  - { name: batch, on: batch.mismatch, severity: critical }
  - { name: drift, on: escrow.drift, where: "facts.direction == 'out'", severity: critical }
  - { name: shortfall, on: escrow.shortfall, severity: critical }
`

/** A bridge that keeps a fee, on a service whose lists of an address's movements are minutes late. */
async function start(
  isConfigured = true,
  past: (bare: Pick<EscrowWorld, 'deposit' | 'withdraw' | 'transact' | 'fake' | 'now'>) => void = () => {},
): Promise<EscrowWorld> {
  const world = await createEscrowWorld({
    rules,
    balances: { [escrow]: Object.fromEntries(forms.map((form) => [form.token, form.held])) },
    bridge: {
      tokens: forms.map((form) => ({ address: form.token, symbol: 'T', decimals: form.decimals })),
      escrows: forms.map((form) => ({ address: escrow, token: form.token, baseline: null })),
      fees: forms.flatMap((form) =>
        (isConfigured ? (['MainToZone', 'ZoneToMain'] as const) : []).map((direction) => ({
          token: form.token,
          direction,
          max: '1.5',
        })),
      ),
    },
    prepare(bare) {
      for (const [at, form] of forms.entries())
        for (let n = 0; n < 3; n += 1) bare.deposit(at * 10 + n, { ...form, amount: '500' })
      past(bare)
      const all = bare.chain.transactions
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        if (!request.path.endsWith('/address/transaction-list')) return before(request, response)
        const late = [...all].filter(([, { time = 0 }]) => time > bare.now() - lagMs && time > startedAt)
        for (const [hash] of late) all.delete(hash)
        const isDone = before(request, response)
        for (const [hash, transaction] of late) all.set(hash, transaction)
        return isDone
      }
      const startedAt = bare.now()
    },
  })
  await world.pass(90 * second)
  return world
}

const fees = ['0', '0.000001', '0.3', '0.7', '1.5']

function pay(
  world: Pick<EscrowWorld, 'withdraw' | 'transact' | 'fake' | 'now'>,
  n: number,
  form: (typeof forms)[number],
  fee: string,
): void {
  const { token: address, decimals } = form
  const amount = toRaw('100', decimals)
  const moved = amount - toRaw(fee, decimals)
  const text = `${moved / 10n ** BigInt(decimals)}.${(moved % 10n ** BigInt(decimals)).toString().padStart(decimals, '0')}`
  const hash = world.transact({
    moves: [{ token: address, decimals, from: escrow, to: user(n), amount: text }],
  })
  world.withdraw(n, {
    tokenContractAddress: address,
    value: '100',
    valueRaw: amount.toString(),
    mainTxHash: hash,
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
    zoneBlockTime: String(world.now() - 5_000),
  })
}

test('payouts that kept anything from nothing to the most are no drift, before the lists show them and after', async () => {
  const world = await start()
  for (const [at, fee] of fees.entries()) {
    for (const [n, form] of forms.entries()) pay(world, 100 + at * 10 + n, form, fee)
    await world.pass(20 * second)
  }
  await world.pass(lagMs + 180 * second)
  expect(world.told()).toEqual([])
  expect(world.conditions()).toEqual([])
})

test('deposits of which anything up to the most was kept are no drift either', async () => {
  const world = await start()
  for (const [at, fee] of fees.entries())
    for (const [n, form] of forms.entries()) {
      const credited = toRaw('100', form.decimals) - toRaw(fee, form.decimals)
      const value = (Number(credited / 10n ** BigInt(form.decimals - 6)) / 1e6).toString()
      world.deposit(200 + at * 10 + n, {
        ...form,
        amount: '100',
        record: { value, valueRaw: credited.toString() },
      })
    }
  await world.pass(lagMs + 180 * second)
  expect(world.told()).toEqual([])
  expect(world.conditions()).toEqual([])
})

test('what leaves beyond the fees is told although no list shows it, on a bridge without news', async () => {
  const world = await start()
  pay(world, 300, { token, decimals: 6, held: 0n }, '0.3')
  world.transact({ moves: [{ token, from: escrow, to: user(301), amount: '4' }] })
  const drifts = () => world.conditions().filter(({ kind }) => kind === 'escrow.drift')
  await world.until(() => drifts().length > 0, 'the drift')
  expect(drifts().map(({ facts }) => facts['mainTxHash'])).toEqual([''])
})

/** A deposit that is credited in full, though its token kept a part of it on the way to the escrow. */
const tax = (
  { deposit }: Pick<EscrowWorld, 'deposit'>,
  n: number,
  form: (typeof forms)[number],
  came: string,
) =>
  void deposit(n, {
    ...form,
    amount: came,
    record: { value: '100', valueRaw: toRaw('100', form.decimals).toString() },
  })

test('semantics.md 48: what was learned to be kept is no drift and no shortfall, and what is beyond it is', async () => {
  const world = await start(false, (bare) => {
    for (const [at, form] of forms.entries())
      for (let n = 0; n < 8; n += 1) {
        tax(bare, 20 + at * 10 + n, form, ['99', '99.4'][n % 2] ?? '')
        pay(bare, 40 + at * 10 + n, form, ['0.3', '0.7'][n % 2] ?? '')
      }
  })
  for (let n = 0; n < 6; n += 1) {
    for (const [at, form] of forms.entries()) {
      tax(world, 200 + at * 10 + n, form, ['99', '99.4', '99.6'][n % 3] ?? '')
      pay(world, 400 + at * 10 + n, form, ['0.3', '0.7', '0.1'][n % 3] ?? '')
    }
    await world.pass(20 * second)
  }
  await world.pass(lagMs + 180 * second)
  expect(world.told()).toEqual([])
  expect(world.conditions()).toEqual([])
  tax(world, 300, { token, decimals: 6, held: 0n }, '60')
  await world.until(() => world.conditions().length > 0, 'the shortfall')
  expect(world.conditions().map(({ kind }) => kind)).toEqual(['escrow.shortfall'])
})

test('semantics.md 48: a zone that names what came after a learned fee says nothing else than its record', async () => {
  const world = await createBridgeWorld({
    config: { poll: calmPoll },
    prepare(bare) {
      for (let n = 0; n < 30; n += 1) leave(bare, n, n % 2 === 0 ? 0.3 : 0.7, 100)
    },
  })
  await world.pass(90 * second)
  // Each of the words alone, and the amount of the transaction.
  for (const n of [60, 61, 62]) leave(world, n, 0.3, 99.7)
  await world.pass(150 * second)
  expect(world.told()).toEqual([])
  leave(world, 70, 0.3, 97)
  await world.pass(150 * second)
  // What was kept before the zone named it is not kept again: this one was paid in full.
  leave(world, 71, 0, 99.7)
  await world.pass(150 * second)
  expect(world.told().map(({ kind, facts }) => [kind, facts['found']])).toEqual([
    ['transfer.mismatch', '97'],
    ['transfer.mismatch', '99.7'],
  ])
})

test('six first withdrawals that are paid long after they were seen teach each other their fee', async () => {
  const world = await createBridgeWorld({ config: { poll: calmPoll } })
  await world.pass(60 * second)
  const paid = Array.from({ length: 6 }, (_, n) => {
    const record = world.withdraw(n, { zoneBlockTime: String(world.now()) })
    const amount = String(Number(record['value']) * 0.99)
    world.main(record['mainTxHash'] ?? '', { moves: [{ token, from: escrow, to: user(n), amount }] })
    return record
  }).toReversed()
  const list = (change: (record: Record<string, string>) => Record<string, string>) =>
    world.fake.records.splice(0, paid.length, ...paid.map(change))
  list((record) => ({ ...record, mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' }))
  await world.pass(15 * 60 * second)
  list((record) => ({
    ...record,
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
  }))
  await world.pass(300 * second)
  expect(world.told()).toEqual([])
})

/** Withdrawals that keep nothing, and then one every five minutes of which a part was kept that differs each time. */
async function payNowAndThen(shares: readonly number[]): Promise<BridgeWorld> {
  const world = await createBridgeWorld({ config: { poll: calmPoll } })
  await world.pass(60 * second)
  for (const [n, share] of shares.entries()) {
    leave(world, n, share, 100)
    await world.pass((share === 0 ? 20 : 300) * second)
  }
  return world
}

test('a fee that the first withdrawals did not keep is learned of those that were accused of it', async () => {
  const world = await payNowAndThen([0, 0, 0, 0.22, 0.23, 0.31, 0.17, 0.29, 0.13])
  // The third of them shows that it is a fee: what was told of the others is taken back, and the next are silent.
  expect(world.told().map(({ kind, corrections }) => [kind, corrections])).toEqual([
    ['transfer.mismatch', 1],
    ['transfer.mismatch', 1],
  ])
})

test('those that are taken back for a fee do not speak against it, so that none is told again', async () => {
  const world = await payNowAndThen([0, 0, 0, 0, 0, 0.22, 0.23, 0.24, 0.22])
  expect(world.told().map(({ kind, corrections }) => [kind, corrections])).toEqual([
    ['transfer.mismatch', 1],
    ['transfer.mismatch', 1],
  ])
})

test('what is kept of a few among many that keep nothing is no fee, however often', async () => {
  const world = await payNowAndThen([0, 0, 0, 0, 0, 0, 0, 0, 0.9, 0, 1.3, 0, 0.7])
  expect(world.told().map(({ kind, corrections }) => [kind, corrections])).toEqual([
    ['transfer.mismatch', 0],
    ['transfer.mismatch', 0],
    ['transfer.mismatch', 0],
  ])
})

/** A withdrawal of 100 of which a fee was kept, and whose zone transaction names an amount. */
function leave(world: Pick<BridgeWorld, 'withdraw' | 'zone' | 'main'>, n: number, fee: number, said: number) {
  const { zoneTxHash = '', mainTxHash = '' } = world.withdraw(n, { value: '100', valueRaw: '100000000' })
  const quantity = String(Math.round(said * 1e6))
  world.zone(zoneTxHash, {
    value: String(said),
    valueRaw: quantity,
    actionData: JSON.stringify({ quantity, beneficiary: user(n) }),
  })
  world.main(mainTxHash, { moves: [{ token, from: escrow, to: user(n), amount: String(100 - fee) }] })
}
