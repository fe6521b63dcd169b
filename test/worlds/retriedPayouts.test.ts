import { expect, test } from 'vitest'
import { escrow, token } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'

// A payout whose transaction failed moved nothing; the one that is made in its place is no second one.

const second = 1_000
const minute = 60 * second

async function start(isWatched: boolean) {
  const world = await createEscrowWorld({
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    bridge: { escrows: [{ address: escrow, token: isWatched ? '' : token, baseline: null }] },
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) bare.deposit(n, { amount: '30', token: '', decimals: 18 })
    },
  })
  await world.pass(2 * minute)
  return world
}

test.each([
  ['an id', true, {}],
  ['no id', false, { id: '' }],
])(
  'a native payout that failed and was made again is paid once, of a record with %s; the escrow is watched: %s',
  async (_, isWatched, names) => {
    const world = await start(isWatched)
    const now = () => ({
      mainBlockHeight: String(world.fake.mainHead()),
      mainBlockTime: String(world.now()),
    })
    const native = { value: '2', valueRaw: `2${'0'.repeat(18)}`, tokenContractAddress: '', tokenType: '' }
    const record = world.withdraw(80, { ...native, ...now(), ...names })
    const pay = (hash: string, isFailed: boolean) =>
      world.main(hash, {
        height: world.fake.mainHead(),
        time: world.now(),
        isFailed,
        calls: [
          {
            from: escrow,
            to: record['targetAddress'] ?? '',
            amount: '2',
            ...(isFailed && { state: 'fail' as const }),
          },
        ],
      })
    pay(record['mainTxHash'] ?? '', true)
    await world.pass(25 * second)
    const again = `0x${'a9'.repeat(32)}`
    pay(again, false)
    Object.assign(record, { mainTxHash: again, ...now(), updateTime: String(world.now()) })
    await world.pass(4 * minute)
    const kinds = [...world.told(), ...world.conditions()].map(({ kind }) => kind)
    expect(kinds).not.toContain('transfer.duplicate')
    expect(kinds).not.toContain('escrow.drift')
  },
  60_000,
)

test.each([
  { ids: 'without an id', id: '' },
  { ids: 'whose id is filled in later', id: `0x${'1d'.repeat(32)}` },
])(
  'a payout that a reorganisation took back and that was made again is told of no record $ids',
  async ({ id }) => {
    const world = await start(false)
    const now = () => ({ mainBlockHeight: String(world.fake.mainHead()), mainBlockTime: String(world.now()) })
    const record = world.withdraw(80, { ...now(), id: '' })
    const [first, again] = [record['mainTxHash'] ?? '', `0x${'a9'.repeat(32)}`]
    const moves = [{ token, from: escrow, to: record['targetAddress'] ?? '', amount: '180' }]
    world.main(first, { height: world.fake.mainHead(), time: world.now(), moves })
    await world.pass(12 * second)
    world.chain.transactions.delete(first)
    world.main(again, { height: world.fake.mainHead(), time: world.now(), moves })
    Object.assign(record, { mainTxHash: again, ...now(), updateTime: String(world.now()) })
    await world.pass(20 * second)
    Object.assign(record, { id, updateTime: String(world.now()) })
    await world.pass(6 * minute)
    const kinds = [...world.told(), ...world.conditions()].map(({ kind }) => kind)
    expect(kinds.filter((kind) => /^(transfer|escrow)/.test(kind))).toEqual([])
  },
  60_000,
)
