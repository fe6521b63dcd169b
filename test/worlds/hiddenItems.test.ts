import { expect, test } from 'vitest'
import { createBridgeWorld, user } from '../support/bridgeWorld.ts'
import { countAsked } from '../support/everyAnswer.ts'

// semantics.md 12, of a bundle: a withdrawal of it that the list never shows.

const minute = 60_000
const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
`
const exit = (n: number, more: object = {}) => ({
  kind: 'exit',
  quantity: String(BigInt(100 + n) * 1_000_000n),
  beneficiary: user(n),
  ...more,
})
const bundleOf = (n: number) => `0x${String(n).padStart(64, '2b')}`

/** Not paid yet. */
const open = { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' }

/** A bridge whose withdrawals match their actions, and then bundles of which the list shows some. */
async function start(
  bundles: readonly { readonly exits: readonly object[]; readonly listed: readonly [number, object][] }[],
) {
  const world = await createBridgeWorld({
    rules,
    prepare({ withdraw, zone }) {
      for (let n = 50; n < 75; n += 1) {
        const { zoneTxHash = '', value = '', valueRaw = '' } = withdraw(n, { sourceAddress: user(n + 500) })
        zone(zoneTxHash, { value, valueRaw, actionData: JSON.stringify({ type: 'withdraw', ...exit(n) }) })
      }
    },
  })
  await world.until(() => countAsked(world.monitor.app.parts.db) >= 50, 'evidence of every leg')
  for (const [at, { exits, listed }] of bundles.entries()) {
    const blockTime = String(world.now())
    world.zone(bundleOf(at), { blockTime, actionData: JSON.stringify({ type: 'withdraw', exits }) })
    for (const [n, more] of listed)
      world.withdraw(n, { zoneTxHash: bundleOf(at), id: `0x${String(n).padStart(64, `${at}e`)}`, ...more })
  }
  return world
}

test('is told of one that has a record, where the list shows withdrawals before they are paid', async () => {
  const world = await start([
    {
      exits: [exit(1), exit(2), exit(3)],
      listed: [
        [1, {}],
        [3, open],
      ],
    },
    { exits: [exit(4), exit(4), exit(4)], listed: [[4, open]] },
    {
      exits: [exit(5), exit(6)],
      listed: [
        [5, open],
        [6, { status: '0x0' }],
      ],
    },
    { exits: [exit(7), exit(8, { kind: 'fee' })], listed: [[7, open]] },
    {
      exits: [exit(9), exit(10)],
      listed: [
        [9, open],
        [10, open],
      ],
    },
    { exits: [exit(11), exit(12)], listed: [[11, {}]] },
  ])
  await world.pass(8 * minute)
  const told = world.told('transfer.mismatch').map(({ facts }) => [facts['what'], facts['found']])
  expect(told).toEqual([
    ['amount', '306'],
    ['amount', '312'],
  ])
})

test('is taken back where its record comes after all', async () => {
  const world = await start([{ exits: [exit(1), exit(2)], listed: [[1, open]] }])
  await world.until(() => world.told('transfer.mismatch').length > 0, 'the hidden one')
  world.withdraw(2, { zoneTxHash: bundleOf(0) })
  await world.until(() => world.told('transfer.mismatch').every(({ isOver }) => isOver), 'its record')
})
