import { createPublicClient, createWalletClient, http, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRpc, type Rpc } from '../../../src/clients/rpc/createRpc.ts'
import type { RpcMethodName, RpcParams } from '../../../src/clients/rpc/rpcMethods.ts'
import { type Anvil, hasAnvil, startAnvil } from '../../support/anvil.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'
import { startStepped, type SteppedSandbox } from '../sandbox/steppedSandbox.ts'

// A real EVM node says whether the client's idea of the RPC, and the sandbox's, are right.

/** Emits one log with one topic and returns 42, whatever it is called with. */
const topic = '7'.padStart(64, '0')
const emitter: Hex = `0x603080600b6000396000f37f${topic}60006000a1602a60005260206000f3`
const account = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const unknownHash = `0x${'ab'.repeat(32)}`

/** One node and what is known to be on it. */
interface Node {
  readonly rpc: Rpc
  readonly url: string
  readonly contract: string
  readonly person: string
  readonly call: { readonly to: string; readonly data: string }
  readonly block: { readonly hash: string; readonly number: number }
  readonly transaction: string
}

describe.runIf(hasAnvil())('against a real EVM node', () => {
  let anvil: Anvil
  let world: SteppedSandbox
  let real: Node
  let simulated: Node

  beforeAll(async () => {
    anvil = await startAnvil()
    world = await startStepped('{ name: test, traffic: { transfersPerMinute: 600, blockTransactions: 12 } }')
    world.step(10_900)
    real = await prepareReal(anvil.url)
    simulated = await prepareSimulated(world)
  })
  afterAll(async () => {
    await real.rpc.close()
    await simulated.rpc.close()
    await world[Symbol.asyncDispose]()
    await anvil[Symbol.asyncDispose]()
  })

  test.each<[RpcMethodName, (node: Node) => readonly unknown[]]>([
    ['eth_blockNumber', () => []],
    ['eth_call', ({ call }) => [call]],
    ['eth_estimateGas', ({ call }) => [call]],
    ['eth_getBalance', ({ person }) => [person]],
    ['eth_getTransactionCount', ({ person }) => [person]],
    ['eth_getCode', ({ contract }) => [contract]],
    ['eth_getCode', ({ person }) => [person]],
    ['eth_getStorageAt', ({ contract }) => [contract, 0]],
    ['eth_getBlockByHash', ({ block }) => [block.hash]],
    ['eth_getBlockByHash', ({ block }) => [block.hash, true]],
    ['eth_getBlockByHash', () => [unknownHash]],
    ['eth_getBlockByNumber', () => []],
    ['eth_getBlockByNumber', ({ block }) => [block.number, true]],
    ['eth_getBlockByNumber', () => [0xff_ff_ff_ff]],
    ['eth_getBlockReceipts', ({ block }) => [block.number]],
    ['eth_getBlockReceipts', () => [0xff_ff_ff_ff]],
    ['eth_getBlockTransactionCountByNumber', ({ block }) => [block.number]],
    ['eth_getBlockTransactionCountByHash', ({ block }) => [block.hash]],
    ['eth_getBlockTransactionCountByHash', () => [unknownHash]],
    ['eth_getTransactionByHash', ({ transaction }) => [transaction]],
    ['eth_getTransactionByHash', () => [unknownHash]],
    ['eth_getRawTransactionByHash', ({ transaction }) => [transaction]],
    ['eth_getRawTransactionByHash', () => [unknownHash]],
    ['eth_getTransactionReceipt', ({ transaction }) => [transaction]],
    ['eth_getTransactionReceipt', () => [unknownHash]],
    ['eth_getTransactionByBlockNumberAndIndex', ({ block }) => [block.number, 0]],
    ['eth_getTransactionByBlockNumberAndIndex', ({ block }) => [block.number, 999]],
    ['eth_getTransactionByBlockHashAndIndex', ({ block }) => [block.hash, 0]],
  ])('%s has one form on both, call %#', async (method, paramsOf) => {
    // Each method's own parameters stand beside its name above.
    const ask = (node: Node) => node.rpc.call(method, paramsOf(node) as RpcParams<RpcMethodName>)
    expect(formOf(await ask(simulated))).toEqual(formOf(await ask(real)))
  })

  test.each([
    ['a method that is not there', { jsonrpc: '2.0', id: 1, method: 'eth_nope', params: [] }, -32601],
    [
      'parameters that are none',
      { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['0x12', 'latest'] },
      -32602,
    ],
    ['a request that is none', { id: 1 }, -32600],
  ])('%s has the same error number on both', async (_, body, code) => {
    for (const { url } of [real, simulated]) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(await response.json()).toMatchObject({ error: { code } })
    }
  })

  test('a batch is answered by both, nulls told apart', async () => {
    for (const { rpc, transaction } of [real, simulated]) {
      const outcomes = await rpc.callMany(
        [transaction, unknownHash].map((hash) => ({
          method: 'eth_getTransactionReceipt' as const,
          params: [hash] as [string],
        })),
      )
      expect(outcomes).toMatchObject([
        { ok: true, value: { transactionHash: transaction, status: 'success' } },
        { ok: true, value: null },
      ])
    }
  })

  test.each([
    ['eth_getBlockByNumber', ({ block }: Node) => [`0x${block.number.toString(16)}`, false]],
    ['eth_getTransactionByHash', ({ transaction }: Node) => [transaction]],
    ['eth_getTransactionReceipt', ({ transaction }: Node) => [transaction]],
  ])('%s of the sandbox names no field that a real node does not', async (method, paramsOf) => {
    const [known, given] = [
      await fieldsOf(real, method, paramsOf),
      await fieldsOf(simulated, method, paramsOf),
    ]
    expect(given.filter((field) => !known.includes(field))).toEqual([])
    expect(given.length).toBeGreaterThan(10)
  })

  test("the node's own log, amount and return value are read exactly", async () => {
    const { rpc, transaction, contract, call } = real
    const receipt = await rpc.call('eth_getTransactionReceipt', [transaction])
    expect(receipt?.logs).toMatchObject([{ address: contract, topics: [`0x${topic}`], data: '0x' }])
    expect(BigInt(await rpc.call('eth_call', [call]))).toBe(42n)
    const client = createPublicClient({ transport: http(real.url) })
    expect(await rpc.call('eth_getBalance', [account, 'latest'])).toBe(
      await client.getBalance({ address: account }),
    )
  })
})

async function prepareReal(url: string): Promise<Node> {
  const rpc = createRpc({ source: 'canonical', url, clock: createSteppedClock() })
  const wallet = createWalletClient({ transport: http(url), account })
  const client = createPublicClient({ transport: http(url), pollingInterval: 20 })
  const deployed = await client.waitForTransactionReceipt({
    hash: await wallet.sendTransaction({ data: emitter, chain: null }),
  })
  const contract = deployed.contractAddress ?? '0x'
  const { transactionHash, blockHash, blockNumber } = await client.waitForTransactionReceipt({
    hash: await wallet.sendTransaction({ to: contract, chain: null }),
  })
  const block = { hash: blockHash, number: Number(blockNumber) }
  const call = { to: contract, data: '0x' }
  return { rpc, url, contract, person: account, call, block, transaction: transactionHash }
}

async function prepareSimulated({ sandbox }: SteppedSandbox): Promise<Node> {
  const url = sandbox.rpcUrl
  const rpc = createRpc({ source: 'preconf', url, clock: createSteppedClock() })
  const { contracts, tokens } = sandbox.world
  const block = await rpc.call('eth_getBlockByNumber', ['latest', true])
  // A plain transaction, not the chain's own: those have no signature and no price.
  const transaction = block?.full?.find(({ type }) => type === 2)
  if (!block?.hash || block.number === null || !transaction) throw new Error('expected a block')
  return {
    rpc,
    url,
    contract: contracts.bridge,
    person: contracts.relayer,
    call: { to: tokens[0]?.address ?? '', data: '0x313ce567' },
    block: { hash: block.hash, number: block.number },
    transaction: transaction.hash,
  }
}

async function fieldsOf(
  node: Node,
  method: string,
  paramsOf: (node: Node) => readonly unknown[],
): Promise<readonly string[]> {
  const response = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: paramsOf(node) }),
  })
  const { result } = (await response.json()) as { result: Record<string, unknown> }
  return Object.keys(result)
}

/** The kinds of all values: of lists the first item's, and of hex text only what it is used for. */
function formOf(value: unknown): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'object') return typeof value
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    optional.has(name) ? 'any' : formOf(field),
  ])
  return Object.fromEntries(fields)
}

/** What differs between transactions, not between nodes. */
const optional = new Set(['to', 'contractAddress', 'maxFeePerGas', 'maxPriorityFeePerGas', 'chainId', 'full'])
