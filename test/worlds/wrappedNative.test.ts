import { describe, expect, test } from 'vitest'
import { listLiveCases } from '../../src/cases/store/caseRows.ts'
import { kinds } from '../../src/checks/index.ts'
import { buildDailyReport } from '../../src/report/buildDailyReport.ts'
import { readReportKnowledge } from '../../src/report/readReportKnowledge.ts'
import { escrow, otherToken, user } from '../support/bridgeWorld.ts'
import {
  bridge,
  createEscrowWorld,
  type EscrowWorld,
  type EscrowWorldOptions,
} from '../support/escrowWorld.ts'
import type { FakeMainTransaction } from '../support/fakeMainChain.ts'

// Escrows that hold the native currency wrapped, while records, payers and recipients name the native currency.

const second = 1_000
const wrapped = otherToken
const gateway = `0x${'9a7e'.repeat(10)}`
const stranger = `0x${'bad0'.repeat(10)}`
const nobody = `0x${'0'.repeat(40)}`

const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: drift, on: escrow.drift, where: "facts.direction == 'out'", severity: critical }
  - { name: found, on: escrow.drift, where: "facts.direction == 'in'", severity: warning }
  - { name: shortfall, on: escrow.shortfall, severity: critical }
`

type Transaction = Omit<FakeMainTransaction, 'hash'>

/** How a bridge takes and pays the native currency. */
interface Form {
  readonly name: string
  readonly pay: (from: string, amount: string) => Transaction
  readonly payOut: (to: string, amount: string) => Transaction
}

/** The zone refused it. */
const refused = { record: { status: '0x0' }, zone: { status: '0x0', value: '', valueRaw: '' } }
const native = (from: string, to: string, amount: string) => ({ from, to, amount })
const token = (from: string, to: string, amount: string) => ({
  token: wrapped,
  decimals: 18,
  ...native(from, to, amount),
})

const forms: readonly Form[] = [
  {
    name: 'a gateway wraps and unwraps',
    pay: (from, amount) => ({
      from,
      to: gateway,
      value: amount,
      calls: [native(gateway, wrapped, amount)],
      moves: [token(gateway, escrow, amount)],
    }),
    payOut: (to, amount) => ({
      from: user(9_999),
      to: bridge,
      value: '0',
      moves: [token(escrow, gateway, amount)],
      calls: [native(wrapped, gateway, amount), native(gateway, to, amount)],
    }),
  },
  {
    name: 'the escrow wraps, and nothing is listed of it',
    pay: (from, amount) => ({
      from,
      to: escrow,
      value: amount,
      calls: [native(escrow, wrapped, amount)],
      unlisted: [token(nobody, escrow, amount)],
    }),
    payOut: (to, amount) => ({
      from: user(9_999),
      to: bridge,
      value: '0',
      unlisted: [token(escrow, nobody, amount)],
      calls: [native(wrapped, escrow, amount), native(escrow, to, amount)],
    }),
  },
  {
    name: 'the escrow wraps, and the wrapper lists what it makes and burns',
    pay: (from, amount) => ({
      from,
      to: escrow,
      value: amount,
      calls: [native(escrow, wrapped, amount)],
      moves: [token(nobody, escrow, amount)],
    }),
    payOut: (to, amount) => ({
      from: user(9_999),
      to: bridge,
      value: '0',
      moves: [token(escrow, nobody, amount)],
      calls: [native(wrapped, escrow, amount), native(escrow, to, amount)],
    }),
  },
]

async function start(
  { pay }: Form,
  bridgeOf: Partial<NonNullable<EscrowWorldOptions['bridge']>> = {},
  more: EscrowWorldOptions = {},
): Promise<EscrowWorld> {
  const world = await createEscrowWorld({
    rules,
    balances: { [escrow]: { [wrapped]: 10n ** 21n } },
    ...more,
    bridge: {
      wrappedNative: wrapped,
      tokens: [],
      escrows: [{ address: escrow, token: wrapped, baseline: null }],
      ...bridgeOf,
    },
    prepare(bare) {
      for (let n = 0; n < 4; n += 1)
        bare.deposit(n, {
          token: '',
          decimals: 18,
          amount: String(50 + n),
          main: pay(user(n), String(50 + n)),
        })
    },
  })
  await world.pass(60 * second)
  return world
}

function withdraw(world: EscrowWorld, n: number, amount: string, paid: Transaction) {
  const mainTxHash = world.transact(paid)
  return world.withdraw(n, {
    tokenContractAddress: '',
    tokenType: '',
    mainTxHash,
    value: amount,
    valueRaw: `${amount}${'0'.repeat(18)}`,
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
  })
}

const drifts = (world: EscrowWorld) =>
  world
    .conditions()
    .filter(
      ({ kind, state, facts }) => kind === 'escrow.drift' && state !== 'resolved' && facts['sum'] === '',
    )
    .map(({ facts }) => `${String(facts['direction'])} ${String(facts['amount'])}`)

const leaving = (world: EscrowWorld) => drifts(world).filter((one) => one.startsWith('out'))

describe.each(forms)('where $name', (form) => {
  test('deposits and withdrawals are explained', async () => {
    const world = await start(form)
    for (let n = 100; n < 103; n += 1) {
      const main = form.pay(user(n), '10')
      world.deposit(n, { token: '', decimals: 18, amount: '10', main })
      withdraw(world, n + 10, '7', form.payOut(user(n + 10), '7'))
    }
    await world.pass(1_500 * second)
    expect(drifts(world)).toEqual([])
    expect(world.conditions()).toEqual([])
    expect(world.told()).toEqual([])
  })

  test('what leaves without a withdrawal is told, and more than it says', async () => {
    const world = await start(form)
    world.transact(form.payOut(stranger, '20'))
    const paid = form.payOut(user(110), '7')
    const more = form.payOut(stranger, '5')
    const both = (of: 'calls' | 'moves' | 'unlisted') => [...(paid[of] ?? []), ...(more[of] ?? [])]
    withdraw(world, 110, '7', {
      ...paid,
      calls: both('calls'),
      moves: both('moves') as never,
      unlisted: both('unlisted') as never,
    })
    await world.until(() => ['out 20', 'out 5'].every((one) => drifts(world).includes(one)), 'both')
    await world.pass(600 * second)
    expect(leaving(world).toSorted()).toEqual(['out 20', 'out 5'])
  })

  test('a payout without origin is one case, of its money once, and one line of the book', async () => {
    const world = await start(form)
    const from = world.now()
    for (let n = 100; n < 102; n += 1) {
      world.deposit(n, { token: '', decimals: 18, amount: '10', main: form.pay(user(n), '10') })
      withdraw(world, n + 10, '7', form.payOut(user(n + 10), '7'))
    }
    const record = withdraw(world, 120, '20', form.payOut(user(120), '20'))
    world.fake.zoneTransactions.delete(record['zoneTxHash'] ?? '')
    await world.pass(900 * second)
    const { db, ledger, config } = world.monitor.app.parts
    const cases = listLiveCases(db, { states: ['open', 'acknowledged'], limit: 10 })
    expect(cases.map(({ money }) => Object.entries(money))).toEqual([
      [[wrapped, { places: '20', lacking: '20' }]],
    ])
    const until = world.now()
    await world.pass(300 * second)
    const window = { day: '2026-01-01', zone: 'UTC', from, until }
    const knows = await readReportKnowledge({ db, ledger, tokens: config.bridge.tokens }, window, world.now())
    const report = await buildDailyReport({ db, ledger, kinds, before: null, knows }, window, world.now())
    expect(report.problems).toMatchObject([{ kind: 'unbacked', token: { address: wrapped }, amount: '20' }])
    expect(report.book?.find(({ token }) => token.address === wrapped)).toMatchObject({
      token: { decimals: 18 },
      deposits: { count: 2, amount: '20' },
      withdrawals: { count: 2, amount: '14' },
      unbacked: { count: 1, amount: '20' },
      escrowChange: '-14',
      unexplained: '0',
      difference: '-20',
    })
  })

  test('what the zone credits and was not paid is told', async () => {
    const world = await start(form)
    world.deposit(100, {
      token: '',
      decimals: 18,
      amount: '10',
      main: { from: user(100), to: bridge, value: '0' },
    })
    await world.until(() => world.told().length > 0, 'it')
  })

  test('what leaves is told whatever comes in beside it', async () => {
    const world = await start(form)
    const wei = '0.000000000000000001'
    world.transact({
      from: stranger,
      to: bridge,
      value: '0',
      calls: [native(escrow, stranger, '20')],
      moves: [token(stranger, escrow, wei)],
    })
    world.deposit(100, {
      token: '',
      decimals: 18,
      amount: '30',
      main: {
        ...form.pay(user(100), '30'),
        calls: [...(form.pay(user(100), '30').calls ?? []), native(escrow, stranger, '30')],
      },
    })
    world.deposit(500, { token: wrapped, decimals: 18, amount: '0.5', ...refused })
    await world.pass(120 * second)
    world.transact({
      from: stranger,
      to: bridge,
      value: '0',
      calls: [native(escrow, stranger, '40')],
      moves: [token(escrow, user(500), '0.5')],
    })
    const told = ['out 19.999999999999999999', 'out 30', 'out 40.5']
    await world.until(() => told.every((one) => drifts(world).includes(one)), 'all of them')
  })

  test('what leaves by a gateway that is an escrow as well is told', async () => {
    const escrows = [escrow, gateway].map((address) => ({ address, token: wrapped, baseline: null }))
    const world = await start(form, { escrows })
    withdraw(world, 110, '7', form.payOut(user(110), '7'))
    await world.pass(300 * second)
    expect(drifts(world)).toEqual([])
    world.transact(form.payOut(stranger, '20'))
    await world.until(() => drifts(world).includes('out 20'), 'it')
    await world.pass(300 * second)
    expect(leaving(world)).toEqual(['out 20'])
  })
})
