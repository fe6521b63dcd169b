import { expect, test } from 'vitest'
import { createBridgeWorld, token, user } from '../support/bridgeWorld.ts'
import { countAsked } from '../support/everyAnswer.ts'

// semantics.md 12, of a bundle: each withdrawal of it is one, whether the list shows it or not.

const minute = 60_000
const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: stalled, on: transfer.stalled, severity: critical, with: { after: 10m } }
  - { name: incomplete, on: ledger.incomplete, severity: critical }
`
const exit = (n: number, more: object = {}) => ({
  kind: 'exit',
  quantity: String(BigInt(100 + n) * 1_000_000n),
  beneficiary: user(n),
  ...more,
})
const bundleOf = (n: number) => `0x${String(n).padStart(64, '2b')}`

/** A bridge whose withdrawals match their actions, and then bundles of which the list shows some. */
async function start(
  bundles: readonly { readonly exits: readonly object[]; readonly listed: readonly [number, object][] }[],
) {
  const world = await createBridgeWorld({
    rules,
    prepare({ withdraw, zone }) {
      for (let n = 50; n < 54; n += 1) {
        const { zoneTxHash = '', value = '', valueRaw = '' } = withdraw(n, { sourceAddress: user(n + 500) })
        zone(zoneTxHash, { value, valueRaw, actionData: JSON.stringify({ type: 'withdraw', ...exit(n) }) })
      }
    },
  })
  await world.until(() => countAsked(world.monitor.app.parts.db) >= 8, 'evidence of every leg')
  for (const [at, { exits, listed }] of bundles.entries()) {
    const blockTime = String(world.now())
    world.zone(bundleOf(at), { blockTime, actionData: JSON.stringify({ type: 'withdraw', exits }) })
    for (const [n, more] of listed)
      world.withdraw(n, { zoneTxHash: bundleOf(at), id: `0x${String(n).padStart(64, `${at}e`)}`, ...more })
  }
  const listOf = (bundle: number) =>
    world.monitor.app.parts.ledger.listTransfers({ hash: bundleOf(bundle), limit: 100 })
  const hidden = (bundle: number) =>
    listOf(bundle)
      .filter(({ isListed }) => !isListed)
      .map((one) => [one.targetAddress, one.amountRaw, one.token.address, one.state])
  return { ...world, hidden, listOf }
}

test('is a transfer of its own, and told when nobody pays it', async () => {
  const world = await start([
    {
      exits: [exit(1), exit(2), exit(3)],
      listed: [
        [1, {}],
        [3, {}],
      ],
    },
    { exits: [exit(4), exit(4), exit(4)], listed: [[4, {}]] },
    {
      exits: [exit(5), exit(6)],
      listed: [
        [5, {}],
        [6, { status: '0x0' }],
      ],
    },
    { exits: [exit(7), exit(8, { kind: 'fee' })], listed: [[7, {}]] },
    {
      exits: [exit(9), exit(10)],
      listed: [
        [9, {}],
        [10, {}],
      ],
    },
  ])
  await world.pass(15 * minute)
  const four = [user(4), 104_000_000n, token, 'pending']
  expect([0, 1, 2, 3, 4].map(world.hidden)).toEqual([
    [[user(2), 102_000_000n, token, 'pending']],
    [four, four],
    [],
    [],
    [],
  ])
  const told = world.monitor.told().join('\n')
  expect([told.includes('102 USDC'), told.includes('104 USDC'), told.includes('mismatch')]).toEqual([
    true,
    true,
    false,
  ])
})

test('becomes its record where that comes after all', async () => {
  const world = await start([{ exits: [exit(1), exit(2)], listed: [[1, {}]] }])
  await world.until(() => world.hidden(0).length > 0, 'the hidden one')
  world.withdraw(2, { zoneTxHash: bundleOf(0) })
  await world.until(() => world.hidden(0).length === 0, 'its record')
  await world.pass(12 * minute)
  expect([world.listOf(0).length, world.monitor.told()]).toEqual([2, []])
})
