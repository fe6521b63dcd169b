import { describe, expect, test } from 'vitest'
import { createBridgeWorld, escrow, token } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'
import { send } from '../support/fakeExplorer.ts'

// One endpoint that does not work, or one row that cannot be read, hides no theft that others show.

const second = 1_000
const minute = 60 * second
const stranger = `0x${'bad0'.repeat(10)}`
const pace = { maxRequestsPerSecond: 4, concurrency: 8 }

const paths = {
  E3: /\/cross\/transaction-list$/,
  E6: /\/address\/(internal-)?transaction-list$/,
  E11: /\/block-fills$/,
  'E3 and E6': /\/(cross|address)\/(internal-)?transaction-list$/,
  'E3, E6 and E19': /\/(cross|address)\/(internal-)?transaction-list$|\/log\//,
}
type Endpoint = keyof typeof paths
type How = 'error' | 'empty'

interface DeadWorld extends EscrowWorld {
  readonly down: (endpoint: Endpoint | null, how?: How) => void
  readonly pay: (n: number, amount: string) => ReturnType<EscrowWorld['withdraw']>
  /** What is found of the escrows, with its severity. */
  readonly losses: () => string[]
  /** Whether a message said that something is gone. */
  readonly hasSaidLoss: () => boolean
}

/** An escrow that holds 2,188 USDC, whose endpoints can be made not to work. */
async function createDeadWorld(hasNode: boolean): Promise<DeadWorld> {
  let dead: { readonly path: RegExp; readonly how: How } | null = null
  const world = await createEscrowWorld({
    pace,
    ...(hasNode && { balances: { [escrow]: { [token]: 1_000_000_000n } } }),
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) bare.deposit(n, { amount: '250' })
      for (let n = 6; n < 9; n += 1) bare.withdraw(n)
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        if (dead === null || !dead.path.test(request.path)) return before(request, response)
        if (dead.how === 'empty') send(response, 200, { code: '0', msg: '', data: [] })
        else send(response, 500, { code: '50026', msg: 'system error', data: [] })
        return true
      }
    },
  })
  return {
    ...world,
    down: (endpoint, how = 'error') => {
      dead = endpoint && { path: paths[endpoint], how }
    },
    pay(n, amount) {
      const now = { mainBlockHeight: String(world.fake.mainHead()), mainBlockTime: String(world.now()) }
      const record = world.withdraw(n, { value: amount, valueRaw: `${amount}000000`, ...now })
      const moves = [{ token, from: escrow, to: record['targetAddress'] ?? '', amount }]
      world.main(record['mainTxHash'] ?? '', { height: world.fake.mainHead(), time: world.now(), moves })
      return record
    },
    losses: () =>
      world
        .conditions()
        .filter(({ kind }) => kind === 'escrow.drift' || kind === 'escrow.shortfall')
        .map(({ kind, severity }) => `${kind} ${severity}`),
    hasSaidLoss: () =>
      world.monitor.told().some((text) => /CRITICAL: .* (left|USDC (is|are) missing)/.test(text)),
  }
}

const cases = (['error', 'empty'] as const).flatMap((how) => [
  ['E3', how, false] as const,
  ['E3', how, true] as const,
  ['E11', how, false] as const,
  ['E11', how, true] as const,
  // Without a node nobody else shows the money.
  ['E6', how, true] as const,
  ['E3 and E6', how, true] as const,
  ['E3, E6 and E19', how, true] as const,
])

describe('semantics.md 41: endpoints are down', () => {
  test.each(cases)(
    'more than half of the escrow is taken while %s answers %s; a node: %s',
    async (endpoint, how, hasNode) => {
      const world = await createDeadWorld(hasNode)
      await world.pass(3 * minute)
      world.down(endpoint, how)
      await world.pass(20 * second)
      // Of an escrow whose balance nobody shows what moves there otherwise says what is much.
      const amount = hasNode ? '1200' : '3000'
      world.transact({ moves: [{ token, from: escrow, to: stranger, amount }] })
      const takenAt = world.now()
      let deposits = 0
      await world.until(() => {
        // The bridge goes on: its records name blocks.
        if (world.now() - takenAt > deposits * 20 * second)
          world.deposit(100 + (deposits += 1), { amount: '5' })
        return world.hasSaidLoss()
      }, 'the loss')
      expect(world.now() - takenAt).toBeLessThan(4 * minute)
    },
    120_000,
  )

  test.each([
    ['E3', false],
    ['E3', true],
    ['E6', true],
    ['E11', true],
    ['E3 and E6', true],
  ] as const)(
    'honest deposits and payouts while %s fails, and after it works again, are no loss; a node: %s',
    async (endpoint, hasNode) => {
      const world = await createDeadWorld(hasNode)
      await world.pass(3 * minute)
      world.down(endpoint)
      for (let n = 0; n < 60; n += 1) {
        if (n === 40) world.down(null)
        if (n % 2 === 0) world.deposit(100 + n, { amount: '50' })
        else world.pay(100 + n, '2')
        await world.pass(15 * second)
        expect(world.losses()).toEqual([])
      }
    },
    120_000,
  )
})

describe('invariant 5: a row that cannot be read', () => {
  test.each([
    ['whose amount is none', { valueRaw: '-1' }],
    ['whose height is none', { blockHeight: 'abc' }],
    ['that does not say what it is of', { hash: '' }],
  ])('of an origin (E9) %s hides no forged payout that is asked for with it', async (_, row) => {
    const world = await createDeadWorld(true)
    await world.pass(2 * minute)
    const honest = world.pay(80, '1')
    world.zone(honest['zoneTxHash'] ?? '', row)
    const forged = world.pay(90, '900')
    world.fake.zoneTransactions.delete(forged['zoneTxHash'] ?? '')
    const paidAt = world.now()
    await world.until(() => world.told('transfer.unbacked').length > 0, 'the forged payout')
    expect(world.now() - paidAt).toBeLessThan(3 * minute)
    await world.pass(3 * minute)
    const key = world.monitor.app.parts.ledger.listTransfers({
      hash: forged['mainTxHash'] ?? '',
      limit: 1,
    })[0]?.key
    expect(world.told('transfer.unbacked').map(({ subject }) => subject)).toEqual([key])
  })

  test.each([
    ['that never shows a status', () => ({ status: '' }), () => ({ status: '0x1' })],
    ['that can never be read', (hash: string) => ({ hash: `${hash}?` }), (hash: string) => ({ hash })],
  ])('of an origin (E9) %s is told once others are shown, and taken back with it', async (_, spoil, mend) => {
    const world = await createDeadWorld(true)
    await world.pass(2 * minute)
    const pending = world.pay(80, '900')
    const hash = pending['zoneTxHash'] ?? ''
    world.zone(hash, spoil(hash))
    const paidAt = world.now()
    await world.until(() => world.told('transfer.unbacked').length > 0, 'the payout without a status')
    expect(world.now() - paidAt).toBeGreaterThan(6 * minute)
    expect(world.now() - paidAt).toBeLessThan(10 * minute)
    expect(world.told('transfer.unbacked')).toMatchObject([{ facts: { reason: 'unconfirmed' } }])
    world.zone(hash, mend(hash))
    await world.until(
      () => world.monitor.told().some((text) => text.includes('its origin is proven by now')),
      'the correction',
    )
  })

  test('of every origin (E9) without a status accuses no payout', async () => {
    const world = await createDeadWorld(true)
    await world.pass(2 * minute)
    for (let n = 80; n < 90; n += 1) {
      world.pay(n, '1')
      for (const row of world.fake.zoneTransactions.values()) row['status'] = ''
      await world.pass(2 * minute)
    }
    expect(world.told('transfer.unbacked')).toEqual([])
  })

  test('of a record that vanished (E12) hides no other that vanished with it', async () => {
    const rules = 'rules:\n  - { name: vanished, on: transfer.vanished, severity: critical }\n'
    const world = await createBridgeWorld({
      rules,
      prepare({ withdraw }) {
        for (let n = 70; n < 74; n += 1) withdraw(n)
      },
    })
    const { fake } = world
    const [gone, unread] = [world.withdraw(80), world.withdraw(81)]
    await world.pass(3 * minute)
    const kept = fake.records.filter((record) => record !== gone && record !== unread)
    fake.records = kept
    const before = fake.intercept
    fake.intercept = (request, response) => {
      const isAsked = [...request.query.values()].some((value) => value.includes(unread['zoneTxHash'] ?? '-'))
      if (!isAsked || !request.path.endsWith('/cross/transaction-multi')) return before(request, response)
      const asked = [...request.query.values()].join().toLowerCase()
      const rows = kept.filter(({ zoneTxHash = '' }) => asked.includes(zoneTxHash.toLowerCase()))
      const bad = { ...unread, txType: 'nonsense' }
      send(response, 200, { code: '0', msg: '', data: [bad, ...rows] })
      return true
    }
    await world.pass(40 * minute)
    const keys = world.monitor.app.parts.ledger.listTransfers({ hash: gone['zoneTxHash'] ?? '', limit: 1 })
    expect(world.told('transfer.vanished').map(({ subject }) => subject)).toEqual(keys.map(({ key }) => key))
  })
})
