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
  let sending: Promise<unknown> = Promise.resolve()

  async function mine(atMs: number): Promise<MinedBlock> {
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

  return {
    url: anvil.url,
    client,
    accounts: await wallet.getAddresses(),
    blocks,
    mine,
    send(account, { address, abi }, functionName, args) {
      // One at a time: the node gives two that come at once the same nonce.
      const hash = sending.then(() =>
        // With its gas given it is mined even if it fails.
        wallet.writeContract({ account, address, abi, functionName, args, chain: null, gas: 1_000_000n }),
      )
      sending = hash.catch(() => undefined)
      return hash
    },
    read: ({ address, abi }, functionName, args) => client.readContract({ address, abi, functionName, args }),
    async deploy(account, { name, abi, bytecode }, args, atMs) {
      const hash = await wallet.deployContract({ account, abi, bytecode, args, chain: null })
      const { transactions } = await mine(atMs)
      const address = transactions.find(({ sent }) => sent.hash === hash)?.receipt.contractAddress
      if (!address) throw new Error(`${name} was not deployed`)
      return { name, abi, address }
    },
    [Symbol.asyncDispose]: () => anvil[Symbol.asyncDispose](),
  }
}

const toSeconds = (timeMs: number) => Math.floor(timeMs / 1_000)
const toHex = (height: bigint) => `0x${height.toString(16)}`
