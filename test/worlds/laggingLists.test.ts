import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'

// A list of movements that is minutes behind the others (E6, E8), from the first or since a moment: what it shows late is
// told when it does, and what it showed before is not taken for undone.

const second = 1_000
const minute = 60 * second
const stranger = `0x${'bad0'.repeat(10)}`

const lists = { E6: /\/address\/transaction-list$/, E8: /\/address\/internal-transaction-list$/ }

interface LaggingWorld extends EscrowWorld {
  /** A list shows only what is as old as that. */
  readonly lag: (list: keyof typeof lists, ms: number) => void
  readonly losses: () => string[]
}

type Row = Readonly<Record<string, unknown>>

function hideNewer(response: ServerResponse, than: number): void {
  const end = response.end.bind(response)
  response.end = ((text: string) => {
    const body = JSON.parse(text) as { readonly data: readonly Row[] }
    const data = body.data.map((page) =>
      Object.fromEntries(
        Object.entries(page).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.filter((row: Row) => Number(row['transactionTime']) <= than) : value,
        ]),
      ),
    )
    return end(JSON.stringify({ ...body, data }))
  }) as typeof response.end
}

/** An escrow of a token and of native currency, into which deposits were made so long ago. */
async function createLaggingWorld(agoMs: number): Promise<LaggingWorld> {
  const lags = new Map<keyof typeof lists, number>()
  const world = await createEscrowWorld({
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    bridge: {
      escrows: [
        { address: escrow, token, baseline: null },
        { address: escrow, token: '', baseline: null },
      ],
    },
    prepare(bare) {
      const place = { height: bare.fake.mainHead() - agoMs / second, time: bare.now() - agoMs }
      for (let n = 0; n < 4; n += 1) {
        const moves = [{ token, from: user(n), to: escrow, amount: '250' }]
        bare.deposit(n, { amount: '250', main: { ...place, moves } })
        const money = { from: user(n), to: escrow, value: '5' }
        bare.deposit(10 + n, { amount: '5', token: '', decimals: 18, main: { ...place, ...money } })
      }
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        for (const [list, ms] of lags)
          if (lists[list].test(request.path)) hideNewer(response, bare.now() - ms)
        return before(request, response)
      }
    },
  })
  await world.pass(2 * minute)
  return {
    ...world,
    lag: (list, ms) => void lags.set(list, ms),
    losses: () =>
      world
        .conditions()
        .filter(({ kind }) => kind === 'escrow.drift')
        .map(({ facts, state }) => `${String(facts['amount'])} ${state}`),
  }
}

test.each([
  ['E6', 'two minutes', 2],
  ['E6', 'two hours', 120],
  ['E8', 'two minutes', 2],
  ['E8', 'two hours', 120],
] as const)(
  'money that left is told once %s shows it, three minutes late; what moved before it did so %s ago',
  async (list, _, ago) => {
    const world = await createLaggingWorld(ago * minute)
    world.lag(list, 3 * minute)
    const money =
      list === 'E6'
        ? { moves: [{ token, from: escrow, to: stranger, amount: '300' }] }
        : { calls: [{ from: escrow, to: stranger, amount: '3' }] }
    const takenAt = world.now()
    world.transact(money)
    await world.pass(minute)
    // The other list goes on.
    world.deposit(50, { amount: '1', token: '', decimals: 18 })
    await world.until(() => world.losses().length > 0, 'the loss')
    expect(world.now() - takenAt).toBeLessThan(6 * minute)
  },
  60_000,
)

test.each(['E6', 'E8'] as const)(
  'what was told stays so while %s shows nothing of the last minutes any more',
  async (list) => {
    const world = await createLaggingWorld(10 * minute)
    const money =
      list === 'E6'
        ? { moves: [{ token, from: escrow, to: stranger, amount: '300' }] }
        : { calls: [{ from: escrow, to: stranger, amount: '3' }] }
    world.transact(money)
    await world.until(() => world.losses().length > 0, 'the loss')
    // What came in before is still shown.
    world.lag(list, 7 * minute)
    for (let n = 0; n < 12; n += 1) {
      expect(world.losses()).toEqual([`${list === 'E6' ? '300' : '3'} firing`])
      await world.pass(15 * second)
    }
  },
  60_000,
)
