import { countAsked } from '../support/everyAnswer.ts'
import { describe, expect, test } from 'vitest'
import { type BridgeWorld, createBridgeWorld, otherToken, token, user } from '../support/bridgeWorld.ts'

const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: duplicate, on: transfer.duplicate, severity: critical }
`
const bundle = `0x${'2b'.repeat(32)}`
const raw = (amount: number) => String(BigInt(amount) * 1_000_000n)
const item = (n: number, overrides: object = {}) => ({
  asset: `zone-${token}`,
  quantity: raw(100 + n),
  beneficiary: user(n),
  ...overrides,
})

/** Single withdrawals whose actions match, in words of this deployment's own; they were seen before anything is wrong. */
function teach({ withdraw, zone }: Pick<BridgeWorld, 'withdraw' | 'zone'>, tokens = [token, otherToken]) {
  for (const [at, address] of tokens.entries())
    for (let n = 0; n < 4; n += 1) {
      const id = 50 + 10 * at + n
      const record = withdraw(id, { tokenContractAddress: address, sourceAddress: user(id + 500) })
      zone(record['zoneTxHash'] ?? '', {
        value: record['value'] ?? '',
        valueRaw: record['valueRaw'] ?? '',
        actionData: JSON.stringify({
          type: 'exit',
          ...item(id),
          asset: `zone-${address}`,
          nonce: 1_790_000_000_000 + n,
        }),
      })
    }
}

async function worldOf(actions: readonly object[], records: readonly [number, Record<string, string>][]) {
  const world = await createBridgeWorld({ rules, prepare: (bare) => teach(bare) })
  world.zone(bundle, { actionType: 'exit', actionData: JSON.stringify({ type: 'exit', exits: actions }) })
  for (const [n, overrides] of records) world.withdraw(n, { zoneTxHash: bundle, ...overrides })
  const count = () => countAsked(world.monitor.app.parts.db)
  await world.until(() => count() >= 16 + 1 + records.length, 'evidence of every leg')
  await world.pass(60_000)
  const recipientOf = (key: string) => world.monitor.app.parts.ledger.getTransfer(key)?.targetAddress
  return world
    .told()
    .map(({ kind, facts, subject }) => `${kind} ${String(facts['what'])} of ${recipientOf(subject)}`)
}

describe('several transfers of one zone transaction, each against its own item', () => {
  test('right ones are silent', async () => {
    expect(
      await worldOf(
        [item(1), item(2), item(3)],
        [
          [1, {}],
          [2, {}],
          [3, {}],
        ],
      ),
    ).toEqual([])
  })

  test('another amount is told of the one', async () => {
    const actions = [item(1), item(2, { quantity: raw(2) }), item(3)]
    expect(
      await worldOf(actions, [
        [1, {}],
        [2, {}],
        [3, {}],
      ]),
    ).toEqual([`transfer.mismatch amount of ${user(2)}`])
  })

  test('another recipient is told of the one', async () => {
    const actions = [item(1), item(2, { beneficiary: user(99) }), item(3)]
    expect(
      await worldOf(actions, [
        [1, {}],
        [2, {}],
        [3, {}],
      ]),
    ).toEqual([`transfer.mismatch recipient of ${user(2)}`])
  })

  test('another token is told of the one', async () => {
    const actions = [item(1), item(2, { asset: `zone-${otherToken}` }), item(3)]
    expect(
      await worldOf(actions, [
        [1, {}],
        [2, {}],
        [3, {}],
      ]),
    ).toEqual([`transfer.mismatch token of ${user(2)}`])
  })

  test('a payout that names an honest transaction which has no item for it is told', async () => {
    expect(
      await worldOf(
        [item(1)],
        [
          [1, {}],
          [2, {}],
        ],
      ),
    ).toEqual([`transfer.mismatch amount of ${user(2)}`])
  })
})

test('a credit to another account than the record names is told', async () => {
  const world = await createBridgeWorld({ rules })
  const credit = (n: number, beneficiary: string) => {
    const record = world.withdraw(n, {
      txType: 'MainToZone',
      crossType: 'Deposit',
      sourceAddress: user(n + 500),
    })
    world.zone(record['zoneTxHash'] ?? '', {
      actionType: 'credit',
      actionData: JSON.stringify({ type: 'credit', account: beneficiary, quantity: raw(100 + n) }),
    })
  }
  for (let n = 0; n < 4; n += 1) credit(n, user(n))
  credit(7, user(99))
  await world.until(() => world.told('transfer.mismatch').length > 0, 'the credit')
  expect(world.told()).toMatchObject([
    { facts: { what: 'recipient', leg: 'zone', expected: user(7), found: user(99) } },
  ])
})
