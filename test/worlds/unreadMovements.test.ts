import { expect, test } from 'vitest'
import { escrow, token } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'
import { send } from '../support/fakeExplorer.ts'

// A row of a list of movements that cannot be read (E6, E8) hides no theft: its transaction is asked for alone.

const second = 1_000
const minute = 60 * second
const stranger = `0x${'bad0'.repeat(10)}`

type Row = Record<string, unknown>

interface Spoiling extends EscrowWorld {
  /** Of the rows of this transaction. */
  readonly spoil: (hash: string, how: Row) => void
  readonly down: (...paths: RegExp[]) => void
  readonly losses: () => string[]
}

async function createSpoiling(): Promise<Spoiling> {
  const spoiled = new Map<string, Row>()
  let dead: readonly RegExp[] = []
  const world = await createEscrowWorld({
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    bridge: {
      escrows: [
        { address: escrow, token, baseline: null },
        { address: escrow, token: '', baseline: null },
      ],
    },
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) bare.deposit(n, { amount: '250' })
      for (let n = 0; n < 3; n += 1) bare.deposit(10 + n, { amount: '3', token: '', decimals: 18 })
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        if (dead.some((path) => path.test(request.path))) {
          send(response, 500, { code: '50026', msg: 'system error', data: [] })
          return true
        }
        if (!/\/address\/(internal-)?transaction-list$/.test(request.path)) return before(request, response)
        const end = response.end.bind(response)
        response.end = ((text: string) => {
          const [page] = JSON.parse(text).data as Row[]
          const entries = Object.entries(page ?? {}).map(([name, value]) => [
            name,
            Array.isArray(value)
              ? value.map((row: Row) => ({ ...row, ...spoiled.get(String(row['txId'])) }))
              : value,
          ])
          return end(JSON.stringify({ code: '0', msg: '', data: [Object.fromEntries(entries)] }))
        }) as typeof response.end
        return before(request, response)
      }
    },
  })
  await world.pass(2 * minute)
  return {
    ...world,
    spoil: (hash, how) => void spoiled.set(hash, how),
    down: (...paths) => {
      dead = paths
    },
    losses: () =>
      world
        .conditions()
        .filter(({ kind }) => /^escrow\.(drift|shortfall)$/.test(kind))
        .map(({ kind, facts }) => `${kind} ${String(facts['amount'])}`),
  }
}

const spoilings: readonly [string, Row][] = [
  ['an amount that is none', { amount: '1,200.5' }],
  ['an amount that is a number', { amount: 1_200 }],
  ['a sender that is none', { from: 'unknown' }],
  ['a recipient that is none', { to: '0x1' }],
]

test.each(spoilings)(
  'money that left in a row with %s is told within two minutes',
  async (_, how) => {
    const world = await createSpoiling()
    world.spoil(world.transact({ moves: [{ token, from: escrow, to: stranger, amount: '300' }] }), how)
    world.spoil(world.transact({ calls: [{ from: escrow, to: stranger, amount: '1' }] }), how)
    const takenAt = world.now()
    const both = ['escrow.drift 1', 'escrow.drift 300']
    await world.until(() => both.every((one) => world.losses().includes(one)), 'both losses')
    expect(world.now() - takenAt).toBeLessThan(2 * minute)
    expect(new Set(world.losses())).toEqual(new Set(both))
  },
  60_000,
)

test.each(spoilings)(
  'an honest payout or deposit in a row with %s is no loss',
  async (_, how) => {
    const world = await createSpoiling()
    for (let n = 0; n < 6; n += 1) {
      const now = { mainBlockHeight: String(world.fake.mainHead()), mainBlockTime: String(world.now()) }
      const place = { height: world.fake.mainHead(), time: world.now() }
      const record = world.withdraw(100 + n, { value: '90', valueRaw: '90000000', ...now })
      const moves = [{ token, from: escrow, to: record['targetAddress'] ?? '', amount: '90' }]
      world.main(record['mainTxHash'] ?? '', { ...place, moves })
      world.spoil(record['mainTxHash'] ?? '', how)
      const deposit = world.deposit(200 + n, { amount: '2', token: '', decimals: 18 })
      world.spoil(deposit['mainTxHash'] ?? '', how)
      await world.pass(30 * second)
    }
    await world.pass(12 * minute)
    expect(world.losses()).toEqual([])
  },
  60_000,
)

test('where nobody says what such a row moved, what is shown beside it is told', async () => {
  const world = await createSpoiling()
  world.down(/\/log\/by-transaction$/, /\/token-transaction-detail$/)
  world.spoil(world.transact({ moves: [{ token, from: escrow, to: stranger, amount: '300' }] }), {
    amount: '?',
  })
  await world.pass(minute)
  expect(world.losses()).toEqual([])
  const drift = world.conditions().filter(({ kind }) => kind === 'source.drift')
  expect(drift.map(({ facts }) => facts['endpoint'])).toContain('E6')
  world.transact({ moves: [{ token, from: escrow, to: stranger, amount: '100' }] })
  const takenAt = world.now()
  await world.until(() => world.losses().length > 0, 'the other loss')
  expect(world.now() - takenAt).toBeLessThan(2 * minute)
}, 60_000)
