import { describe, expect, test } from 'vitest'
import {
  type BridgeWorld,
  calmPoll,
  createBridgeWorld,
  escrow,
  otherToken,
  token,
  user,
} from '../support/bridgeWorld.ts'

// What happened before the bridge taught what it means is judged again once it did: semantics.md 48.

const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: batch, on: batch.mismatch, severity: critical }
`
const minute = 60_000
const thief = 66
const raw = (amount: number) => String(BigInt(amount) * 1_000_000n)

/** A withdrawal of 100 + n whose zone action says what is given. */
function leave(world: Pick<BridgeWorld, 'withdraw' | 'zone'>, n: number, said: object, of = token) {
  const record = world.withdraw(n, { tokenContractAddress: of, sourceAddress: user(n + 500) })
  const asked = { quantity: raw(100 + n), beneficiary: user(n), asset: of }
  world.zone(record['zoneTxHash'] ?? '', {
    value: '',
    valueRaw: '',
    actionData: JSON.stringify({ type: 'withdraw', ...asked, ...said }),
  })
}

const honest = (world: BridgeWorld, of = token, first = 10) => {
  for (let n = first; n < first + 24; n += 1) leave(world, n, {}, of)
}

const batchOf = ({ withdraw, zone, main }: BridgeWorld, n: number, factor: number) => {
  const ids = ['4', '7', '9']
  const sum = String(6 * factor)
  const record = withdraw(n, {
    crossType: 'BatchWithdraw',
    tokenType: 'ERC1155',
    value: sum,
    valueRaw: sum,
    batchDetail: '',
  })
  const actionData = JSON.stringify({
    type: 'leave',
    tokenIds: ids,
    amounts: [1, 2, 3],
    destination: user(n),
  })
  zone(record['zoneTxHash'] ?? '', { value: '', valueRaw: '', actionData })
  main(record['mainTxHash'] ?? '', {
    moves: ids.map((tokenId, at) => ({
      token,
      from: escrow,
      to: user(n),
      amount: String((at + 1) * factor),
      tokenId,
    })),
  })
}

const deposit = ({ withdraw, main }: BridgeWorld, n: number, to: string) => {
  const record = withdraw(n, { txType: 'MainToZone', crossType: 'Deposit' })
  main(record['mainTxHash'] ?? '', {
    moves: [{ token, from: user(n), to, amount: record['value'] ?? '' }],
  })
}

const cases: Record<
  string,
  {
    readonly before?: (world: BridgeWorld) => void
    readonly theft: (world: BridgeWorld) => void
    readonly after: (world: BridgeWorld) => void
  }
> = {
  'another amount': {
    theft: (world) => leave(world, thief, { quantity: raw(7) }),
    after: (world) => honest(world),
  },
  'another recipient': {
    theft: (world) => leave(world, thief, { beneficiary: user(7) }),
    after: (world) => honest(world),
  },
  'a tenth, of a token that the zone could count in a unit of its own': {
    before: (world) => honest(world),
    theft: (world) => leave(world, thief, { quantity: '16600000' }, otherToken),
    after: (world) => honest(world, otherToken, 100),
  },
  'another token': {
    theft: (world) => leave(world, thief, { asset: otherToken }),
    after: (world) => {
      honest(world)
      honest(world, otherToken, 100)
    },
  },
  'another kind of action': {
    theft: (world) => leave(world, thief, { type: 'order', quantity: '1', beneficiary: 'none' }),
    after: (world) => honest(world),
  },
  'other amounts of a batch': {
    theft: (world) => batchOf(world, thief, 100),
    after: (world) => {
      for (let n = 10; n < 34; n += 1) batchOf(world, n, 1)
    },
  },
  'a deposit that goes to somebody else': {
    theft: (world) => deposit(world, thief, user(7)),
    after: (world) => {
      for (let n = 10; n < 40; n += 1) deposit(world, n, escrow)
    },
  },
}

describe('semantics.md 48: judged again when what it rests on was learned', () => {
  test.each(Object.entries(cases))('%s', async (_, { before, theft, after }) => {
    const world = await createBridgeWorld({
      rules,
      config: { poll: calmPoll },
    })
    before?.(world)
    await world.pass(minute)
    theft(world)
    await world.pass(12 * minute)
    expect(world.told()).toEqual([])
    after(world)
    await world.pass(4 * minute)
    const { ledger } = world.monitor.app.parts
    const accused = world.told().map(({ subject }) => ledger.getTransfer(subject)?.targetAddress)
    expect(new Set(accused)).toEqual(new Set([user(thief)]))
  })
})
