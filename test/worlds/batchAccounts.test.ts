import { countAsked } from '../support/everyAnswer.ts'
import { describe, expect, test } from 'vitest'
import { type BridgeWorld, calmPoll, createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'

// Record, detail, zone action and the main transaction's moves are four accounts of one batch: semantics.md 47.

const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: unresolved, on: batch.unresolved, severity: warning }
  - { name: batch, on: batch.mismatch, severity: critical }
`

interface Item {
  readonly to: string
  readonly amount: number
}

interface Batch {
  readonly action: readonly Item[]
  readonly detail: readonly Item[] | null
  readonly paid: readonly Item[]
}

const raw = (amount: number) => `${amount}000000`

interface Form {
  readonly action: (items: readonly Item[]) => object
  readonly detail: (items: readonly Item[]) => object
}

/** How deployments may write the items of a batch into its zone action, and into its detail. */
const forms: Record<string, Form> = {
  'objects in words of their own': {
    action: (items) => ({
      type: 'batchExit',
      exits: items.map(({ to, amount }, at) => ({ slot: at, beneficiary: to, quantity: raw(amount) })),
    }),
    detail: (items) => items.map(({ to, amount }) => ({ recipient: to, amount: raw(amount) })),
  },
  'lists side by side, in units': {
    action: (items) => ({
      type: 'massLeave',
      call: { whom: items.map(({ to }) => to), howMuch: items.map(({ amount }) => `${amount}.0`) },
      nonce: 1_790_000_000_000,
    }),
    detail: (items) => ({ payees: items.map(({ to }) => to), tally: items.map(({ amount }) => raw(amount)) }),
  },
  'rows without words': {
    action: (items) => ({ type: 'zq9', ops: items.map(({ to, amount }) => [to, raw(amount), 'x']) }),
    detail: (items) => ({
      exits: items.map(({ to, amount }) => ({ owner: to, nested: { sum: raw(amount) } })),
    }),
  },
}

function add(
  { withdraw, zone, main }: Pick<BridgeWorld, 'withdraw' | 'zone' | 'main'>,
  n: number,
  { action, detail, paid }: Batch,
  write: Form,
) {
  const sum = paid.reduce((total, { amount }) => total + amount, 0)
  const record = withdraw(n, {
    crossType: 'BatchWithdraw',
    targetAddress: paid[0]?.to ?? '',
    value: String(sum),
    valueRaw: raw(sum),
    batchDetail: detail === null ? '' : JSON.stringify(write.detail(detail)),
  })
  const data = write.action(action)
  zone(record['zoneTxHash'] ?? '', {
    value: '',
    valueRaw: '',
    actionType: (data as { type: string }).type,
    actionData: JSON.stringify(data),
  })
  main(record['mainTxHash'] ?? '', {
    moves: paid.map(({ to, amount }) => ({ token, from: escrow, to, amount: String(amount) })),
  })
  return record['mainTxHash'] ?? ''
}

const honest = (n: number, size: number, amountOf: (at: number) => number): Batch => {
  const items = Array.from({ length: size }, (_, at) => ({ to: user(1_000 * n + at), amount: amountOf(at) }))
  return { action: items, detail: items, paid: items }
}

describe.each(Object.entries(forms))('semantics.md 47: a batch whose action is written as %s', (_, write) => {
  test('is told where its accounts differ, and is silent where they agree', async () => {
    const a = { to: user(1), amount: 10 }
    const b = { to: user(2), amount: 250 }
    const c = { to: user(3), amount: 31 }
    const thief = { to: user(66), amount: 250 }
    const hashes = new Map<string, string>()
    const world = await createBridgeWorld({
      rules,
      config: { poll: calmPoll },
      prepare(bare) {
        const put = (name: string, n: number, batch: Batch) => hashes.set(add(bare, n, batch, write), name)
        put(
          'two',
          10,
          honest(10, 2, (at) => 5 + at),
        )
        put(
          'equal amounts',
          11,
          honest(11, 7, () => 20),
        )
        put(
          'fifty',
          12,
          honest(12, 50, (at) => 3 + (at % 9)),
        )
        put('without a detail', 13, { ...honest(13, 4, (at) => 50 + at), detail: null })
        put('one recipient twice', 14, {
          ...honest(14, 3, (at) => 8 + at),
          action: [a, b, a],
          detail: [a, b, a],
          paid: [{ to: a.to, amount: 20 }, b],
        })
        const swapped = [{ to: a.to, amount: 250 }, { to: b.to, amount: 10 }, c]
        put('swapped amounts', 20, { action: [a, b, c], detail: swapped, paid: swapped })
        put('another recipient', 21, { action: [a, b, c], detail: [a, thief, c], paid: [a, thief, c] })
        const inflated = [a, { ...b, amount: 2_500 }, c]
        put('an inflated item', 22, { action: [a, b, c], detail: inflated, paid: inflated })
        put('an item more', 23, { action: [a, b, c], detail: [a, b, c, thief], paid: [a, b, c, thief] })
        put('no detail, swapped', 24, { action: [a, b, c], detail: null, paid: swapped })
        put('no detail, inflated', 25, { action: [a, b, c], detail: null, paid: inflated })
        put('no detail, all to one', 26, {
          action: [a, b, c],
          detail: null,
          paid: [{ to: user(66), amount: 291 }],
        })
      },
    })
    await world.pass(150_000)
    const { ledger, db } = world.monitor.app.parts
    const nameOf = (key: string) => hashes.get(ledger.getTransfer(key)?.main?.hash ?? '') ?? key
    expect(countAsked(db)).toBe(24)
    const told = world.told().map(({ kind, subject }) => ({ kind, name: nameOf(subject) }))
    const wrong = [
      'an inflated item',
      'an item more',
      'another recipient',
      'no detail, all to one',
      'no detail, inflated',
      'no detail, swapped',
      'swapped amounts',
    ]
    const batches = told.filter(({ kind }) => kind === 'batch.mismatch').map(({ name }) => name)
    expect(batches.sort()).toEqual(wrong)
    // Whatever else is told is told of the same.
    expect(new Set(told.map(({ name }) => name))).toEqual(new Set(wrong))
  })
})

/** How deployments may write a batch of token ids that is paid to one recipient, named once. */
const listsOfIds: Record<string, (to: string, items: readonly Counted[]) => object> = {
  'lists side by side': (to, items) => ({
    destination: to,
    tokenIds: items.map(({ id }) => id),
    amounts: items.map(({ amount }) => amount),
  }),
  'objects that repeat the token': (to, items) => ({
    destination: to,
    items: items.map(({ id, amount }) => ({ token, tokenId: id, amount })),
  }),
}

interface Counted {
  readonly id: string
  readonly amount: number
}

describe.each(Object.entries(listsOfIds))(
  'semantics.md 47: a batch of ids for one recipient, written as %s',
  (_, write) => {
    test('is told where more was paid than its action names, though its detail is empty', async () => {
      const hashes = new Map<string, string>()
      const put = (
        bare: Pick<BridgeWorld, 'withdraw' | 'zone' | 'main'>,
        name: string,
        { n, factor, ids }: { n: number; factor: number; ids: readonly string[] },
      ) => {
        const asked = ids.map((id, at) => ({ id, amount: 3 + at }))
        const paid = asked.map(({ id, amount }) => ({ id, amount: amount * factor }))
        const sum = String(paid.reduce((total, { amount }) => total + amount, 0))
        const record = bare.withdraw(n, {
          crossType: 'BatchWithdraw',
          tokenType: 'ERC1155',
          value: sum,
          valueRaw: sum,
          batchDetail: '',
        })
        bare.zone(record['zoneTxHash'] ?? '', {
          value: '',
          valueRaw: '',
          actionData: JSON.stringify(write(user(n), asked)),
        })
        bare.main(record['mainTxHash'] ?? '', {
          moves: paid.map(({ id, amount }) => ({
            token,
            from: escrow,
            to: user(n),
            amount: String(amount),
            tokenId: id,
          })),
        })
        hashes.set(record['mainTxHash'] ?? '', name)
      }
      const world = await createBridgeWorld({
        rules,
        config: { poll: calmPoll },
        prepare(bare) {
          for (let n = 10; n < 16; n += 1)
            put(bare, 'honest', { n, factor: 1, ids: ['4', '7', '9'].slice(0, 2 + (n % 2)) })
        },
      })
      await world.pass(150_000)
      put(world, 'a hundred times', { n: 20, factor: 100, ids: ['5', '8', '11'] })
      await world.pass(150_000)
      const { ledger } = world.monitor.app.parts
      const told = world
        .told()
        .map(({ subject }) => hashes.get(ledger.getTransfer(subject)?.main?.hash ?? ''))
      expect(told).toEqual(['a hundred times'])
    })
  },
)
