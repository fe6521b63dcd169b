import { expect, onTestFinished, test } from 'vitest'
import { createRpc } from '../../../src/clients/rpc/createRpc.ts'
import { createSeat } from '../../../src/clients/seat.ts'
import { listNodeLacks, listUnreadOfNodes } from '../../../src/kernel/nodeLacks.ts'
import { answerEach, startRpcStub } from '../../support/rpcStub.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

const hashOf = (n: number) => `0x${n.toString(16).padStart(64, '0')}`
const plain = (hash: unknown) => ({ transactionHash: hash, transactionIndex: '0x0', status: '0x1', logs: [] })
const log = { address: `0x${'11'.repeat(20)}`, topics: [hashOf(1)], data: '0x' }

/** A node that answers each receipt as the last digit of its hash says. */
async function startNode() {
  const state = { bad: new Set<string>() }
  const receipt = (hash: unknown) => {
    if (state.bad.has(`no logs ${String(hash)}`)) return { ...plain(hash), logs: undefined }
    return state.bad.has(String(hash)) ? { ...plain(hash), logs: [log, { ...log, data: 5 }] } : plain(hash)
  }
  const stub = await startRpcStub((body) =>
    answerEach(body, ({ method, params }) => ({
      result:
        method === 'eth_getBlockReceipts' ? [1, 2, 3].map((n) => receipt(hashOf(n))) : receipt(params[0]),
    })),
  )
  const clock = createSteppedClock()
  const rpc = createRpc({ source: 'canonical', url: stub.url, clock })
  onTestFinished(async () => {
    await rpc.close()
    await stub[Symbol.asyncDispose]()
  })
  const seats = { canonical: createSeat([{ name: 'a', client: rpc }], clock), preconf: null }
  const askOf = (...hashes: number[]) =>
    rpc.callMany(
      hashes.map((n) => ({ method: 'eth_getTransactionReceipt' as const, params: [hashOf(n)] as const })),
    )
  return {
    clock,
    rpc,
    state,
    askOf,
    lacks: () =>
      listNodeLacks(seats).map(({ endpoint, problem, hashes, isStill }) => [
        endpoint,
        problem,
        hashes,
        isStill,
      ]),
    unread: () => listUnreadOfNodes(seats),
  }
}

const unseen = 'what these transactions moved and wrote is not seen here, and not taken for nothing'

test('receipts whose logs cannot be read are told by node, method, key, share and transaction', async () => {
  const { askOf, lacks, state } = await startNode()
  await askOf(1, 2)
  expect(lacks()).toEqual([])
  state.bad.add(hashOf(2))
  await askOf(1, 2, 3)
  const problem = `\`logs\` of 1 of 3 rows: logs.1.data: expected hex data, got a number; ${unseen}`
  expect(lacks()).toEqual([['canonical eth_getTransactionReceipt', problem, [hashOf(2)], true]])
  await askOf(3)
  expect(lacks()).toEqual([['canonical eth_getTransactionReceipt', problem, [hashOf(2)], false]])
})

test('so are those of a block, and those without logs, which is not the same as none', async () => {
  const { lacks, rpc, state } = await startNode()
  for (const bad of [hashOf(1), `no logs ${hashOf(3)}`]) {
    state.bad = new Set([bad])
    await rpc.call('eth_getBlockReceipts', [])
    expect(lacks()).toHaveLength(1)
    expect(lacks()[0]?.slice(0, 3)).toEqual([
      'canonical eth_getBlockReceipts',
      bad === hashOf(1)
        ? `\`logs\` of 1 of 3 rows: logs.1.data: expected hex data, got a number; ${unseen}`
        : `1 of 3 rows lacks \`logs\`; ${unseen}`,
      [bad.slice(-66)],
    ])
  }
})

test('where no receipt can be read the method does not answer, which is told as such', async () => {
  const { askOf, lacks, rpc, state, unread } = await startNode()
  for (const n of [1, 2]) state.bad.add(hashOf(n))
  await askOf(1, 2)
  expect([lacks(), rpc.health().endpoints[0]?.failingSince !== null]).toEqual([[], true])
  expect(unread()).toContain('canonical eth_getTransactionReceipt logs')
  await askOf(3)
  expect(unread()).not.toContain('canonical eth_getTransactionReceipt logs')
})
