import {
  type Abi,
  type Address,
  type Block,
  createPublicClient,
  createWalletClient,
  type Hash,
  http,
  type TransactionReceipt,
  type Transaction,
} from 'viem'
import { type Anvil, startAnvil } from '../anvil.ts'
import type { Compiled } from './compile.ts'

export interface Contract {
  readonly name: string
  readonly address: Address
  readonly abi: Abi
}

/** A call within a transaction, as the node traced it. */
interface InnerCall {
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly operation: string
}

export interface MinedTransaction {
  readonly sent: Transaction<bigint, number, false>
  readonly receipt: TransactionReceipt
  readonly calls: readonly InnerCall[]
}

export interface MinedBlock {
  readonly block: Block<bigint, true, 'latest'>
  readonly timeMs: number
  readonly transactions: readonly MinedTransaction[]
}

/** A real node whose blocks a test makes, dated in the world's time, with what they hold. */
export interface TestNode extends AsyncDisposable {
  readonly url: string
  readonly client: ReturnType<typeof createPublicClient>
  readonly accounts: readonly Address[]
  /** From the first that was made here on. */
  readonly blocks: MinedBlock[]
  mine(timeMs: number): Promise<MinedBlock>
  /** Replaces the newest blocks by as many others; the first has all transactions, but for one. */
  reorganise(depth: number, without?: Hash): Promise<void>
  /** @returns the hash; it is mined with the next block */
  send(from: Address, contract: Contract, functionName: string, args: readonly unknown[]): Promise<Hash>
  read(contract: Contract, functionName: string, args: readonly unknown[]): Promise<unknown>
  /** In a block of its own, at that time. */
  deploy(from: Address, compiled: Compiled, args: readonly unknown[], timeMs: number): Promise<Contract>
}

interface Trace {
  readonly action: { readonly from: string; readonly to?: string; readonly value: string; callType?: string }
  readonly traceAddress: readonly number[]
  readonly transactionHash: string
}

export async function startNode(chainId: number, firstHeight: number, timeMs: number): Promise<TestNode> {
  const anvil: Anvil = await startAnvil([
    '--no-mining',
    `--chain-id=${chainId}`,
    `--number=${firstHeight}`,
    `--timestamp=${toSeconds(timeMs)}`,
  ])
  const transport = http(anvil.url, { retryCount: 0 })
  const client = createPublicClient({ transport, cacheTime: 0 })
  const wallet = createWalletClient({ transport })
  const ask = <T>(method: string, params: readonly unknown[]) =>
    // viem knows no methods of test nodes; what they answer is theirs to say.
    (client.request as (request: object) => Promise<T>)({ method, params })
  const blocks: MinedBlock[] = []
  let last: Promise<unknown> = Promise.resolve()
  /** One at a time: the node gives two transactions that come at once the same nonce. */
  function queue<T>(job: () => Promise<T>): Promise<T> {
    const done = last.then(job)
    last = done.catch(() => undefined)
    return done
  }

  async function mineNow(atMs: number): Promise<MinedBlock> {
    await ask('evm_mine', [{ timestamp: toSeconds(atMs) }])
    const block = await client.getBlock({ includeTransactions: true })
    const traces =
      block.transactions.length === 0 ? [] : await ask<Trace[]>('trace_block', [toHex(block.number)])
    const transactions = await Promise.all(
      block.transactions.map(async (sent) => ({
        sent,
        receipt: await client.getTransactionReceipt({ hash: sent.hash }),
        calls: traces
          .filter(
            ({ transactionHash, traceAddress }) => transactionHash === sent.hash && traceAddress.length > 0,
          )
          .map(({ action }) => ({
            from: action.from,
            to: action.to ?? '',
            value: BigInt(action.value),
            operation: action.callType ?? 'create',
          })),
      })),
    )
    const mined = { block, timeMs: Number(block.timestamp) * 1_000, transactions }
    blocks.push(mined)
    return mined
  }

  async function reorganiseNow(depth: number, without?: Hash): Promise<void> {
    const replaced = blocks.slice(-depth)
    const kept = replaced
      .flatMap(({ transactions }) => transactions)
      .filter(({ sent }) => sent.hash !== without)
    const raw = await Promise.all(
      kept.map(({ sent }) => ask<string>('eth_getRawTransactionByHash', [sent.hash])),
    )
    await ask('anvil_rollback', [depth])
    blocks.splice(-depth)
    for (const transaction of raw) await ask('eth_sendRawTransaction', [transaction])
    // A second later than what they replace: other blocks.
    for (const { timeMs: before } of replaced) await mineNow(before + 1_000)
  }

  return {
    url: anvil.url,
    client,
    accounts: await wallet.getAddresses(),
    blocks,
    mine: (atMs) => queue(() => mineNow(atMs)),
    reorganise: (depth, without) => queue(() => reorganiseNow(depth, without)),
    send: (account, { address, abi }, functionName, args) =>
      // With its gas given it is mined even if it fails.
      queue(() =>
        wallet.writeContract({ account, address, abi, functionName, args, chain: null, gas: 1_000_000n }),
      ),
    read: ({ address, abi }, functionName, args) => client.readContract({ address, abi, functionName, args }),
    async deploy(account, { name, abi, bytecode }, args, atMs) {
      const hash = await wallet.deployContract({ account, abi, bytecode, args, chain: null })
      const { transactions } = await queue(() => mineNow(atMs))
      const address = transactions.find(({ sent }) => sent.hash === hash)?.receipt.contractAddress
      if (!address) throw new Error(`${name} was not deployed`)
      return { name, abi, address }
    },
    [Symbol.asyncDispose]: () => anvil[Symbol.asyncDispose](),
  }
}

const toSeconds = (timeMs: number) => Math.floor(timeMs / 1_000)
const toHex = (height: bigint) => `0x${height.toString(16)}`
