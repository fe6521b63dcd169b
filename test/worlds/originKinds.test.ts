import { describe, expect, test } from 'vitest'
import { type BridgeWorld, calmPoll, createBridgeWorld, token, user } from '../support/bridgeWorld.ts'
import { send } from '../support/fakeExplorer.ts'

// What a zone transaction has to be to prove a payout: semantics.md 43. The shipped rules judge.

/** What is said of the bridge, and not of its traffic or of this API. */
const isJudgement = (kind: unknown) =>
  /^(transfer|batch|contract|escrow)\./.test(String(kind)) && kind !== 'transfer.large'
const theft = 31_337

type Action = Record<string, unknown> & { readonly type: string }
type Write = (n: number, to: string, amount: number) => Action

/** How several deployments may write a withdrawal of `amount` units by `user(n + 500)`. */
const plain: Write = (n, to, amount) => ({
  type: 'exit',
  token: `z-${token}`,
  qty: `${amount}000000`,
  dest: to,
  nonce: 1_790_000_000_000 + n,
})
const nested: Write = (n, to, amount) => ({
  type: 'vaultLeave',
  payload: { beneficiary: { chain: 1, account: to }, asset: { code: 'USDC', size: `${amount}.0` } },
  meta: { seq: n },
})
const rows: Write = (n, to, amount) => ({ type: 'zq7', ops: [['k', to, `${amount}000000`]], tag: `t${n}` })

const forms: Record<string, Write> = {
  'plain fields, in base units': plain,
  'nested objects, in token units': nested,
  'lists without words': rows,
}

const trade: Action = {
  type: 'order',
  market: 'WETH-USDC',
  side: 'buy',
  px: '3111.5',
  sz: '0.75',
  tif: 'gtc',
}
const moveWithin: Write = (_n, to, amount) => ({ type: 'acctMove', to, amt: `${amount}000000`, memo: 'hi' })

async function start(prepare: NonNullable<Parameters<typeof createBridgeWorld>[0]['prepare']>) {
  const world = await createBridgeWorld({ config: { poll: calmPoll }, prepare })
  return {
    ...world,
    /** What was told at warning or above, by the recipient of its transfer. */
    alerts: () =>
      world.monitor.app.parts.db
        .prepare("SELECT kind, severity, subject FROM alerts WHERE severity <> 'info'")
        .all()
        .filter(({ kind }) => isJudgement(kind))
        .map(({ kind, severity, subject }) => {
          const to = world.monitor.app.parts.ledger.getTransfer(String(subject))?.targetAddress ?? ''
          return `${String(severity)} ${String(kind)} to ${to}`
        })
        .sort(),
  }
}

/** A withdrawal to `user(n)` by somebody else, whose zone transaction is this action. */
function withdraw(
  { withdraw: add, zone }: Pick<BridgeWorld, 'withdraw' | 'zone'>,
  n: number,
  action: Action,
  overrides: Record<string, string> = {},
) {
  const record = add(n, { sourceAddress: user(n + 500), ...overrides })
  zone(record['zoneTxHash'] ?? '', {
    actionType: action.type,
    actionData: JSON.stringify(action),
    value: '',
    valueRaw: '',
  })
  return record
}

type Bare = Pick<BridgeWorld, 'withdraw' | 'zone'>

/** So many that what they teach accuses. */
function teach(world: Bare, write: Write, honest = 40) {
  for (let n = 0; n < honest; n += 1) withdraw(world, n, write(n, user(n), 100 + n))
}

const stolenBy = (n: number) => ({
  value: String(theft),
  valueRaw: `${theft}000000`,
  targetAddress: user(n),
  sourceAddress: user(n),
})

describe.each(Object.entries(forms))('semantics.md 43: among withdrawals of %s', (_, write) => {
  test('a payout is told that names no withdrawal, and no honest one of a new kind', async () => {
    const world = await start((bare) => teach(bare, write))
    await world.pass(60_000)
    withdraw(world, 50, { ...write(50, user(50), 150), type: 'fastWithdraw' })
    for (let n = 51; n < 54; n += 1) withdraw(world, n, write(n, user(n), 100 + n))
    withdraw(world, 61, trade, stolenBy(61))
    withdraw(world, 62, moveWithin(62, user(900), 12), stolenBy(62))
    // Of just this amount to just this account: nothing but its kind speaks against it.
    withdraw(world, 63, moveWithin(63, user(63), theft), stolenBy(63))
    const deposit = world.withdraw(600, {
      ...stolenBy(64),
      txType: 'MainToZone',
      crossType: 'Deposit',
      mainBlockTime: String(world.now() - 40_000),
      zoneBlockTime: String(world.now() - 30_000),
    })
    const credit = { type: 'credit', account: user(64), quantity: `${theft}000000` }
    const hash = deposit['zoneTxHash'] ?? ''
    world.zone(hash, { actionType: 'credit', actionData: JSON.stringify(credit) })
    const times = { zoneBlockTime: String(world.now() - 30_000) }
    world.withdraw(64, { ...stolenBy(64), ...times, zoneTxHash: hash })
    await world.pass(120_000)
    expect(world.alerts()).toEqual([
      `critical transfer.unbacked to ${user(61)}`,
      `critical transfer.unbacked to ${user(62)}`,
      `critical transfer.unbacked to ${user(64)}`,
      `warning transfer.unbacked to ${user(63)}`,
    ])
  })
})

test('semantics.md 43: a payout is told whose origin sounds like leaving, and does not say what left', async () => {
  const world = await start((bare) => teach(bare, plain))
  await world.pass(60_000)
  withdraw(world, 50, { ...plain(50, user(50), 150), type: 'fastWithdraw' })
  withdraw(world, 65, { type: 'claimReward', pool: '7' }, stolenBy(65))
  await world.pass(120_000)
  expect(world.alerts()).toEqual([`warning transfer.unbacked to ${user(65)}`])
})

test('semantics.md 43: a kind that was seen twenty times without a payout proves none, whatever it says', async () => {
  const world = await start((bare) => {
    teach(bare, plain, 6)
    const { fake, now } = bare
    const before = fake.intercept
    const pageOf = (rows: readonly object[]) => [
      { page: '1', limit: '100', totalPage: '1', total: String(rows.length), data: rows },
    ]
    const timeOf = (height: number) => String(now() - (fake.zoneHead() - height) * 100)
    fake.intercept = (request, response) => {
      const { path, query } = request
      const first = fake.zoneHead() - (Number(query.get('page') ?? 1) - 1) * 100
      const blocks = Array.from({ length: 100 }, (_, n) => ({
        hash: `0x${(first - n).toString(16)}`,
        height: String(first - n),
        miner: '0x01',
        blockTime: timeOf(first - n),
        transactionCount: '1',
      }))
      const height = Number(query.get('height'))
      const transaction = {
        hash: `0x${height.toString(16).padStart(64, '4')}`,
        blockHeight: String(height),
        blockHash: '0xb1',
        blockTime: timeOf(height),
        status: '0x1',
        from: user(901),
        actionType: 'acctMove',
        index: '0',
        value: '',
        valueRaw: '',
      }
      const isList = path.endsWith('/zone/block/block-list')
      if (!isList && !path.endsWith('/zone/block/transaction-list')) return before(request, response)
      send(response, 200, { code: '0', msg: '', data: pageOf(isList ? blocks : [transaction]) })
      return true
    }
  })
  await world.pass(60_000)
  withdraw(world, 63, moveWithin(63, user(63), theft), stolenBy(63))
  await world.pass(240_000)
  expect(world.alerts()).toContain(`critical transfer.unbacked to ${user(63)}`)
})

test('semantics.md 48: a bridge with three withdrawals, each of a kind of its own, is silent', async () => {
  const write: Write = (n, to, amount) => ({ ...rows(n, to, amount), type: `zq${n}` })
  const world = await start((bare) => teach(bare, write, 3))
  withdraw(world, 40, rows(40, user(40), 140))
  await world.pass(180_000)
  expect(world.alerts()).toEqual([])
})

test('semantics.md 48: two thefts do not teach that the third one is right', async () => {
  const world = await start((bare) => teach(bare, plain))
  await world.pass(60_000)
  const thieves = [66, 67, 68, 69]
  for (const n of thieves) {
    withdraw(world, n, trade, stolenBy(n))
    await world.pass(60_000)
  }
  expect(world.alerts()).toEqual(thieves.map((n) => `critical transfer.unbacked to ${user(n)}`))
})
