import { describe, expect, test } from 'vitest'
import { type BridgeWorld, calmPoll, createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'

// The zone's actions say something else from one day on: an honest upgrade, and who would have it seem one. Semantics 48.

const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: batch, on: batch.mismatch, severity: critical }
  - { name: changed, on: contract.changed, severity: warning }
`
const second = 1_000
const relayer = user(9_999)

/** What the zone says of a withdrawal. */
interface Said {
  readonly type?: string
  readonly words?: object
  readonly raw?: string
}

type Form = (n: number, raw: string) => Said

const before: Form = (n, raw) => ({ words: { quantity: raw, beneficiary: user(n), route: 1_000 + n } })

/** A withdrawal of 100 + n, of which the zone says what `form` says of it. */
function leave(
  world: Pick<BridgeWorld, 'withdraw' | 'zone'>,
  n: number,
  form: Form = before,
  to = n,
  by = user(n + 500),
) {
  const record = world.withdraw(n, { sourceAddress: by, targetAddress: user(to) })
  const { type = 'withdraw', words = {}, raw } = form(to, record['valueRaw'] ?? '')
  world.zone(record['zoneTxHash'] ?? '', {
    value: '',
    valueRaw: raw ?? record['valueRaw'] ?? '',
    actionType: type,
    actionData: JSON.stringify({ type, ...words }),
  })
  return record
}

/** Withdrawals of so many parties, one every quarter of a minute. */
async function go(world: BridgeWorld, first: number, count: number, form?: Form, to?: number) {
  for (let n = first; n < first + count; n += 1) {
    leave(world, n, form, to)
    await world.pass(15 * second)
  }
  await world.pass(90 * second)
}

const start = () =>
  createBridgeWorld({
    rules,
    config: { poll: calmPoll },
    prepare: (bare) => {
      for (let n = 0; n < 30; n += 1) leave(bare, n)
    },
  })

const upgrades: Record<string, { readonly after: Form; readonly theft?: Form }> = {
  'other words, the old ones meaning something else': {
    after: (n, raw) => ({ words: { size: raw, payee: user(n), quantity: 7_000 + n, beneficiary: relayer } }),
    theft: (n) => ({ words: { size: '7', payee: user(n), quantity: 7_000 + n, beneficiary: relayer } }),
  },
  'another unit': { after: (n, raw) => ({ words: { quantity: `${raw}000`, beneficiary: user(n) } }) },
  'the recipient in another place': {
    after: (n, raw) => ({ words: { quantity: raw, beneficiary: relayer, out: { payee: user(n) } } }),
    theft: (_, raw) => ({ words: { quantity: raw, beneficiary: relayer, out: { payee: user(777) } } }),
  },
  'nobody named any more': { after: (_, raw) => ({ words: { quantity: raw, ticket: raw } }) },
  'the amount of the transaction in another unit': {
    after: (n, raw) => ({ ...before(n, raw), raw: `${raw}000` }),
  },
  'another kind, with words in another unit': {
    after: (n, raw) => ({ type: 'settle', words: { quantity: `${raw}000`, beneficiary: user(n) } }),
  },
}

describe('an honest upgrade of what zone actions say, after 30 transfers', () => {
  test.each(Object.entries(upgrades))('%s', async (_, { after, theft }) => {
    const world = await start()
    await world.pass(60 * second)
    await go(world, 100, 5, after)
    await go(world, 200, 20, after)
    const accused = world
      .told()
      .filter(({ kind, facts }) => kind !== 'contract.changed' && facts['reason'] !== 'doubtful')
    const told = new Set(accused.map(({ subject }) => subject)).size
    expect(told).toBeLessThanOrEqual(5)
    const changed = world.told('contract.changed').map(({ facts }) => facts['group'])
    expect(changed).toEqual(told === 0 ? [] : ['meaning'])
    if (!theft) return
    // What was learned anew judges again.
    leave(world, 666, theft)
    await world.pass(120 * second)
    expect(world.told().at(-1)?.kind).toBe('transfer.mismatch')
  })
})

test('what is withdrawn to oneself is no longer accused once others taught what is said by now', async () => {
  const world = await start()
  await world.pass(60 * second)
  const after: Form = (n, raw) => ({
    words: { quantity: raw, beneficiary: relayer, out: { payee: user(n) } },
  })
  const own = []
  for (let n = 100; n < 105; n += 1) {
    own.push(leave(world, n, after, n, user(n)))
    await world.pass(15 * second)
  }
  await world.pass(90 * second)
  expect(world.told('contract.changed')).toHaveLength(1)
  await go(world, 200, 40, after)
  for (const record of own) Object.assign(record, { updateTime: String(world.now()), challengeStatus: '1' })
  await world.pass(120 * second)
  expect(world.told('transfer.mismatch').map(({ isOver }) => isOver)).toEqual(Array<boolean>(5).fill(true))
})

describe('who would have it seem an upgrade', () => {
  const forged: Form = (n) => ({ words: { quantity: '7', beneficiary: user(n) } })

  const thefts: Record<string, (world: BridgeWorld) => Promise<void>> = {
    'five of one party': (world) => go(world, 100, 5, forged, 700),
    'five whose money does not match': async (world) => {
      for (let n = 100; n < 105; n += 1) {
        const { mainTxHash = '' } = leave(world, n, forged)
        world.main(mainTxHash, { moves: [{ token, from: escrow, to: user(n), amount: '900' }] })
        await world.pass(15 * second)
      }
      await world.pass(90 * second)
    },
    'five between which others agree': async (world) => {
      for (let n = 100; n < 105; n += 1) {
        await go(world, n, 1, forged)
        await go(world, n + 100, 1)
      }
    },
  }

  test.each(Object.entries(thefts))('%s suspend nothing', async (_, steal) => {
    const world = await start()
    await world.pass(60 * second)
    await steal(world)
    expect(world.told('contract.changed')).toEqual([])
    expect(world.told('transfer.mismatch')).toHaveLength(5)
    leave(world, 666, forged)
    await world.pass(120 * second)
    expect(world.told('contract.changed')).toEqual([])
    expect(world.told('transfer.mismatch')).toHaveLength(6)
  })

  test('two that are judged together end no habit', async () => {
    const world = await start()
    await world.pass(60 * second)
    for (const n of [100, 101]) leave(world, n, forged)
    await world.pass(150 * second)
    expect(world.told().map(({ kind }) => kind)).toEqual(['transfer.mismatch', 'transfer.mismatch'])
  })

  test.each(['7', '700000000000'])(
    'four whose zone transactions say %s, told together, end no habit',
    async (said) => {
      const world = await start()
      await world.pass(60 * second)
      for (let n = 100; n < 104; n += 1) leave(world, n, (to, raw) => ({ ...before(to, raw), raw: said }))
      await world.pass(240 * second)
      expect(world.told().map(({ kind }) => kind)).toEqual(Array<string>(4).fill('transfer.mismatch'))
    },
  )

  test('each of those that suspend a meaning is told itself, though all come at once', async () => {
    const world = await start()
    await world.pass(60 * second)
    for (let n = 100; n < 105; n += 1) leave(world, n, forged)
    await world.pass(150 * second)
    expect(world.told('transfer.mismatch')).toHaveLength(5)
    expect(world.told('contract.changed')).toHaveLength(1)
  })

  const unjudged: Record<string, Form> = {
    'because nothing judges it any more': forged,
    'by a word of its own': (n, raw) => ({ words: { quantity: '7', beneficiary: user(n), memo: raw } }),
  }
  test.each(Object.entries(unjudged))('what was told before is not taken back %s', async (_, form) => {
    const world = await start()
    await world.pass(60 * second)
    await go(world, 100, 5, form)
    await go(world, 200, 20)
    await world.pass(900 * second)
    expect(world.told('contract.changed')).toHaveLength(1)
    expect(world.told('transfer.mismatch').map(({ corrections }) => corrections)).toEqual([0, 0, 0, 0, 0])
  })
})
