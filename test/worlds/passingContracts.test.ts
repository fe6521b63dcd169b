import { describe, expect, test } from 'vitest'
import { token, user } from '../support/bridgeWorld.ts'
import { bridge, createEscrowWorld, type EscrowWorld, toRaw } from '../support/escrowWorld.ts'
import type { FakeMove } from '../support/fakeMainChain.ts'

// semantics.md 23: without escrows every contract is one. Some only pass tokens on, or burn and make them.

const second = 1_000
const minute = 60 * second
const nobody = `0x${'0'.repeat(40)}`
const vault = `0x${'a7'.repeat(20)}`
const thief = `0x${'bad0'.repeat(10)}`

type Actions = Pick<EscrowWorld, 'deposit' | 'withdraw' | 'main' | 'fake' | 'now'>

const amountOf = (n: number) => String(100 + n)
const paidIn = (n: number): FakeMove => ({ token, from: user(n), to: bridge, amount: amountOf(n) })

/** A deposit whose contract gives it to somebody in the same transaction. */
const passOn = (world: Actions, n: number, to: string) =>
  world.deposit(n, {
    amount: amountOf(n),
    main: { moves: [paidIn(n), { token, from: bridge, to, amount: amountOf(n) }] },
  })

const payOf = (world: Actions, n: number, from: string) => {
  const mainTxHash = `0x${n.toString(16).padStart(64, 'e')}`
  const height = world.fake.mainHead()
  const moves = [{ token, from, to: user(n), amount: amountOf(n) }]
  world.main(mainTxHash, { height, time: world.now(), moves })
  return { mainTxHash, mainBlockHeight: String(height), mainBlockTime: String(world.now()) }
}

function start(
  held: Readonly<Record<string, Readonly<Record<string, bigint>>>>,
  past: (of: Actions) => void,
) {
  return createEscrowWorld({
    pace: { maxRequestsPerSecond: 20, concurrency: 8 },
    balances: { [bridge]: { [token]: 0n }, ...held },
    bridge: { escrows: [] },
    prepare: past,
  })
}

const listTold = (world: EscrowWorld) => [
  ...new Set([...world.told().map(({ kind }) => kind), ...world.conditions().map(({ kind }) => kind)]),
]

describe.each([
  { name: 'a gateway that passes deposits on to a vault, which pays', to: vault, from: vault },
  { name: 'a contract that burns deposits, and makes what is paid', to: nobody, from: nobody },
])('$name', ({ to, from }) => {
  const open = () =>
    start({ [vault]: { [token]: toRaw('10000000', 6) } }, (bare) => {
      for (let n = 0; n < 15; n += 1) {
        passOn(bare, n, to)
        bare.withdraw(50 + n, payOf(bare, 50 + n, from))
      }
    })

  test('is not short of what it never held', async () => {
    const world = await open()
    await world.pass(3 * minute)
    for (let n = 0; n < 5; n += 1) {
      passOn(world, 200 + n, to)
      const record = world.withdraw(300 + n, { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' })
      await world.pass(120 * second)
      Object.assign(record, payOf(world, 300 + n, from), { updateTime: String(world.now()) })
    }
    await world.pass(3 * minute)
    expect(listTold(world)).toEqual([])
  }, 400_000)

  test('is told of for a deposit that it gave back and the zone credits', async () => {
    const world = await open()
    await world.pass(2 * minute)
    passOn(world, 200, user(200))
    await world.until(() => listTold(world).includes('escrow.drift'), 'the deposit that went back')
  }, 400_000)
})

describe('a contract that holds what comes in, from nothing on', () => {
  const open = async () => {
    const world = await start({}, () => undefined)
    await world.pass(minute)
    for (let n = 0; n < 3; n += 1) world.deposit(n, { amount: amountOf(n), main: { moves: [paidIn(n)] } })
    await world.pass(4 * minute)
    expect(listTold(world).filter((kind) => kind.startsWith('escrow.'))).toEqual([])
    return world
  }

  test('is short of what is taken from there', async () => {
    const world = await open()
    world.transact({ moves: [{ token, from: bridge, to: thief, amount: '303' }] })
    const isTold = () => ['escrow.drift', 'escrow.shortfall'].every((kind) => listTold(world).includes(kind))
    await world.until(isTold, 'the theft')
  }, 400_000)

  test('has too little for a withdrawal of more, and that one is a large one', async () => {
    const world = await open()
    world.withdraw(900, { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' })
    await world.until(() => listTold(world).includes('escrow.headroom'), 'the withdrawal')
    expect(world.told('transfer.large').map(({ facts }) => facts['sharePercent'])).toContain(330)
  }, 400_000)
})
