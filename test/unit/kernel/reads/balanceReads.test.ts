import { expect, test } from 'vitest'
import { createBalanceReads } from '../../../../src/kernel/reads/balanceReads.ts'
import type { Rpc } from '../../../../src/clients/rpc/createRpc.ts'
import { createSystemClock } from '../../../../src/lib/clock.ts'

const holding = { address: `0x${'e5'.repeat(20)}`, token: '' }

/** A node that knows the present alone, of which it tells these heights one after the other. */
function read(...heights: number[]) {
  const asked: string[] = []
  const rpc = {
    host: 'node.example',
    callMany: (calls: readonly { method: string; params: readonly unknown[] }[]) => {
      asked.push(
        calls
          .map(
            ({ method, params }) =>
              `${method} ${String(params.find((one) => one === 'latest' || one === 100))}`,
          )
          .join(', '),
      )
      return Promise.resolve(
        calls.map(({ method, params }) => {
          if (method === 'eth_getBlockByNumber') return { ok: true, value: { number: heights.shift() } }
          return params[1] === 'latest' ? { ok: true, value: 7n } : { ok: false }
        }),
      )
    },
    session: () => rpc,
  } as unknown as Rpc
  const balances = createBalanceReads({ rpc, clock: createSystemClock() })
  return { asked, found: balances.read([holding], 100, AbortSignal.timeout(1_000)) }
}

test('a balance that a node does not know of a height is read between two heights, all by one request, so that one node behind an address answers (semantics 22)', async () => {
  const { asked, found } = read(105, 105)
  expect(await found).toMatchObject({ low: 105, high: 105, balances: [7n] })
  expect(asked).toEqual([
    'eth_getBalance 100',
    'eth_getBlockByNumber latest, eth_getBalance latest, eth_getBlockByNumber latest',
  ])
})

test('a chain that is faster than the reading leaves it between the two, and one that steps back refuses it', async () => {
  expect(await read(1, 2, 3, 4, 5, 6, 7, 9).found).toMatchObject({ low: 7, high: 9 })
  await expect(read(1, 2, 3, 4, 5, 6, 8, 7).found).rejects.toThrow('its height stepped back')
})
