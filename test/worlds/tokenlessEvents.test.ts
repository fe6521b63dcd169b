import { listLearned } from '../../src/checks/contracts/logStore.ts'
import { describe, expect, test } from 'vitest'
import { escrow, otherToken, token, user } from '../support/bridgeWorld.ts'
import { bridge, createEscrowWorld, depositTopic, type EscrowWorld, toRaw } from '../support/escrowWorld.ts'

const second = 1_000

const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: drift, on: escrow.drift, severity: critical }
  - { name: shortfall, on: escrow.shortfall, severity: critical }
`
const coarse = `0x${'00c0'.repeat(10)}`
const tokens = [
  { address: token, symbol: 'USDC', decimals: 6 },
  { address: otherToken, symbol: 'WETH', decimals: 18 },
  { address: coarse, symbol: 'UNIT', decimals: 0 },
]
const units = [
  { name: 'of 0 decimals', address: coarse, decimals: 0, amount: '12000' },
  { name: 'of 6 decimals', address: token, decimals: 6, amount: '10000' },
  { name: 'of 18 decimals', address: otherToken, decimals: 18, amount: '3.5' },
  { name: 'that is the native currency', address: '', decimals: 18, amount: '2.25' },
]

/** A bridge whose deposit event names who and how much, and no token, and whose records come when all is done. */
async function start(): Promise<EscrowWorld> {
  const world = await createEscrowWorld({
    rules,
    bridge: {
      tokens,
      escrows: [...tokens.map(({ address }) => address), ''].map((one) => ({
        address: escrow,
        token: one,
        baseline: null,
      })),
      events: [],
    },
    prepare(bare) {
      for (let n = 0; n < 12; n += 1) {
        const of = units[n % units.length]
        const amount = String(100 + n)
        if (of)
          bare.deposit(n, {
            amount,
            token: of.address,
            decimals: of.decimals,
            event: [user(n), toRaw(amount, of.decimals)],
          })
      }
    },
  })
  const learned = () => listLearned(world.monitor.app.parts.db)
  await world.until(() => learned().length > 0, 'the meaning of the event')
  return world
}

const listed = ({ monitor }: EscrowWorld) =>
  monitor.app.parts.ledger.listTransfers({ limit: 1_000 }).filter(({ isListed }) => !isListed)

describe('a deposit event that names no token, before its record is there', () => {
  test('tells nothing of honest deposits of any token, nor once their records come', async () => {
    const world = await start()
    const hidden = units.map((of, at) =>
      world.deposit(40 + at, {
        amount: of.amount,
        token: of.address,
        decimals: of.decimals,
        event: [user(40 + at), toRaw(of.amount, of.decimals)],
        record: null,
      }),
    )
    await world.until(() => listed(world).length === units.length, 'the deposits by their events')
    await world.pass(240 * second)
    expect(world.told()).toEqual([])
    expect(world.conditions()).toEqual([])
    const known = listed(world).map(({ token, amount }) => `${token.address} ${amount}`)
    expect(new Set(known)).toEqual(new Set(units.map(({ address, amount }) => `${address} ${amount}`)))
    world.fake.records.unshift(...hidden)
    await world.until(() => listed(world).length === 0, 'their records')
    await world.pass(120 * second)
    expect(world.told()).toEqual([])
  })

  test('is told with the token, what came and what it claims where less came', async () => {
    const world = await start()
    const hash = world.transact({
      moves: [{ token, from: user(50), to: escrow, amount: '1', decimals: 6 }],
    })
    world.emit(hash, depositTopic, [user(50), toRaw('10000', 6)])
    await world.until(() => world.told('transfer.mismatch').length > 0, 'the mismatch')
    const [told] = world.told('transfer.mismatch')
    expect(told?.facts).toMatchObject({ what: 'amount', expected: '10000', found: '1' })
    expect(listed(world).map((one) => one.token.symbol)).toEqual(['USDC'])
  })

  test('is told where nothing came at all', async () => {
    const world = await start()
    const hash = world.transact({ from: user(51), to: bridge, value: '0' })
    world.emit(hash, depositTopic, [user(51), toRaw('10000', 6)])
    await world.until(() => world.told('transfer.mismatch').length > 0, 'the mismatch')
    expect(world.told('transfer.mismatch')[0]?.facts).toMatchObject({ found: 'nothing moved' })
  })
})
