import { expect, test } from 'vitest'
import { type BridgeWorld, calmPoll, createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'

// What nothing shows but words that few samples explain is a warning; from 20 on it accuses. Semantics 48.

const second = 1_000

interface Said {
  readonly words?: object
  readonly raw?: string
  readonly type?: string
}

/** A withdrawal of 100 + n, whose zone transaction says what it should, or what is given. */
function leave(world: Pick<BridgeWorld, 'withdraw' | 'zone'>, n: number, said: Said = {}) {
  const {
    zoneTxHash = '',
    valueRaw = '',
    mainTxHash = '',
  } = world.withdraw(n, {
    sourceAddress: user(n + 500),
  })
  world.zone(zoneTxHash, {
    value: '',
    valueRaw: said.raw ?? valueRaw,
    actionType: said.type ?? 'exit',
    actionData: JSON.stringify(said.words ?? { quantity: valueRaw, beneficiary: user(n) }),
  })
  return mainTxHash
}

/** A bridge of so many honest withdrawals, by the rules that are shipped. */
async function after(samples: number): Promise<BridgeWorld> {
  const world = await createBridgeWorld({
    config: { poll: calmPoll },
    prepare: (bare) => {
      for (let n = 0; n < samples; n += 1) leave(bare, n)
    },
  })
  await world.pass(90 * second)
  return world
}

const alerts = ({ monitor }: BridgeWorld) =>
  monitor.app.parts.db
    .prepare(
      "SELECT rule, severity FROM alerts WHERE kind LIKE 'transfer.%' OR kind LIKE 'batch.%' ORDER BY id",
    )
    .all()
    .map(({ rule, severity }) => `${String(severity)} ${String(rule)}`)

const thefts: Record<string, readonly [Said, string]> = {
  'words that name another amount': [
    { words: { quantity: '7', beneficiary: user(66) } },
    'transfer-mismatch',
  ],
  'words that name another recipient': [
    { words: { quantity: '166000000', beneficiary: user(5) } },
    'transfer-mismatch',
  ],
  'another amount of the transaction': [{ raw: '7' }, 'transfer-mismatch'],
  'an origin of another kind that names nothing': [
    { type: 'trade', words: { pair: 'A-B', side: 'buy' }, raw: '' },
    'transfer-unbacked',
  ],
}

test.each(Object.entries(thefts))('%s: a warning after six withdrawals', async (_, [said, rule]) => {
  const world = await after(6)
  leave(world, 66, said)
  await world.pass(150 * second)
  expect(alerts(world)).toEqual([`warning ${rule}-likely`])
})

test.each(Object.entries(thefts))('%s: critical after thirty', async (_, [said, rule]) => {
  const world = await after(30)
  leave(world, 66, said)
  await world.pass(150 * second)
  expect(alerts(world)).toEqual([`critical ${rule}`])
})

test('zone transactions that did something else beside do not end what amounts are judged by', async () => {
  const world = await after(30)
  for (const n of [60, 61]) {
    const own = { quantity: `${100 + n}000000`, beneficiary: user(n) }
    const beside = { quantity: '7000000', beneficiary: user(n + 500) }
    leave(world, n, { raw: `${107 + n}000000`, words: { exits: [own, beside] } })
  }
  await world.pass(90 * second)
  expect(alerts(world)).toEqual([])
  leave(world, 66, { raw: '7' })
  await world.pass(150 * second)
  expect(alerts(world)).toEqual(['critical transfer-mismatch'])
})

test('what was a warning is critical once others taught the rest', async () => {
  const world = await after(6)
  leave(world, 66, { words: { quantity: '7', beneficiary: user(66) } })
  await world.pass(150 * second)
  for (let n = 100; n < 120; n += 1) leave(world, n)
  await world.pass(300 * second)
  expect(alerts(world)).toEqual(['warning transfer-mismatch-likely', 'critical transfer-mismatch'])
})

test('what the money shows is critical, whatever few words say beside it', async () => {
  const world = await after(6)
  const hash = leave(world, 66, { words: { quantity: '7', beneficiary: user(66) } })
  world.main(hash, { moves: [{ token, from: user(3), to: user(66), amount: '900' }] })
  await world.pass(150 * second)
  expect(alerts(world).at(-1)).toBe('critical transfer-mismatch')
})

test('an item that says the amount by another word does not unteach the known one', async () => {
  const world = await after(30)
  for (const n of [41, 42]) {
    const raw = `${100 + n}000000`
    const items = [
      { total: raw, quantity: '7000000', beneficiary: user(n) },
      { quantity: raw, beneficiary: user(n) },
    ]
    leave(world, n, { words: { exits: items } })
  }
  await world.pass(90 * second)
  expect(alerts(world)).toEqual([])
  leave(world, 66, { words: { quantity: '7', beneficiary: user(66) } })
  await world.pass(150 * second)
  expect(alerts(world)).toEqual(['critical transfer-mismatch'])
})

/** A deposit that goes to the bridge's vault, or to the given one. */
function bring(world: Pick<BridgeWorld, 'withdraw' | 'main' | 'now'>, n: number, to = escrow) {
  const now = String(world.now())
  const { mainTxHash = '', value = '' } = world.withdraw(n, {
    txType: 'MainToZone',
    crossType: 'Deposit',
    sourceAddress: user(n + 500),
    mainBlockTime: now,
    zoneBlockTime: now,
  })
  world.main(mainTxHash, { moves: [{ token, from: user(n + 500), to, amount: value }] })
}

test.each([
  [6, 'warning transfer-mismatch-likely'],
  [30, 'critical transfer-mismatch'],
])('a deposit that goes to another address than %i others: %s', async (samples, expected) => {
  const world = await createBridgeWorld({
    config: { poll: calmPoll },
    prepare: (bare) => {
      for (let n = 0; n < samples; n += 1) bring(bare, n)
    },
  })
  await world.pass(90 * second)
  bring(world, 66, user(7))
  await world.pass(150 * second)
  expect(alerts(world)).toEqual([expected])
})

test('no deposit is told of where others went to an address each', async () => {
  const world = await createBridgeWorld({
    config: { poll: calmPoll },
    prepare: (bare) => {
      for (let n = 0; n < 12; n += 1) bring(bare, n, user(n + 200))
    },
  })
  await world.pass(90 * second)
  bring(world, 66)
  await world.pass(150 * second)
  expect(alerts(world)).toEqual([])
})

/** A batch that pays two, of which its zone action names these. */
function leaveBatch(world: Pick<BridgeWorld, 'withdraw' | 'zone' | 'main'>, n: number, named = [0, 1]) {
  const item = (at: number) => ({ beneficiary: user(10 * n + at), quantity: `${5 + at}000000` })
  const { zoneTxHash = '', mainTxHash = '' } = world.withdraw(n, {
    crossType: 'BatchWithdraw',
    targetAddress: user(10 * n),
    value: '11',
    valueRaw: '11000000',
    batchDetail: '',
  })
  const data = { type: 'exit', exits: named.map((at) => item(at)) }
  world.zone(zoneTxHash, { value: '', valueRaw: '', actionType: 'exit', actionData: JSON.stringify(data) })
  const moves = [0, 1].map((at) => ({ token, from: escrow, to: user(10 * n + at), amount: String(5 + at) }))
  world.main(mainTxHash, { moves })
}

test.each([
  [6, 'warning batch-mismatch-likely'],
  [30, 'critical batch-mismatch'],
])('a batch whose action names none of its items, after %i: %s', async (samples, expected) => {
  const world = await createBridgeWorld({
    config: { poll: calmPoll },
    prepare: (bare) => {
      for (let n = 0; n < samples; n += 1) leaveBatch(bare, n)
    },
  })
  await world.pass(90 * second)
  leaveBatch(world, 66, [7, 8])
  await world.pass(150 * second)
  expect(alerts(world).filter((alert) => alert.includes('batch'))).toEqual([expected])
})
