import type { Rpc } from '../../clients/rpc/createRpc.ts'
import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import type { Kernel } from '../kernel.ts'
import type { ReadOptions } from './reads.ts'

/** Who can say where a transaction of the main chain is. */
export type BlockSources = Pick<Kernel, 'contractReads' | 'log' | 'rpcs'>

interface Place {
  readonly hash: string
  readonly height: number
}

/** Whether the block that held a transaction is shown without it, and no other holds it. False where nobody can say. */
export async function isGone(of: BlockSources, place: Place, options: ReadOptions): Promise<boolean> {
  const { contractReads, log } = of
  const rpc = of.rpcs.canonical ?? of.rpcs.preconf
  try {
    return rpc === null
      ? await contractReads.isOutOfBlocks(place.hash, place.height, options)
      : await isGoneByNode(rpc, place, options.signal)
  } catch (error) {
    options.signal.throwIfAborted()
    log.warn({ txHash: place.hash, err: error }, 'whether a transaction still stands could not be asked')
    return false
  }
}

async function isGoneByNode(
  rpc: Pick<Rpc, 'callMany'>,
  { hash, height }: Place,
  signal: AbortSignal,
): Promise<boolean> {
  const [asked, receipt] = await rpc.callMany(
    [
      { method: 'eth_getBlockByNumber', params: [height, false] },
      { method: 'eth_getTransactionReceipt', params: [hash] },
    ],
    { signal },
  )
  if (!asked?.ok || !receipt?.ok || receipt.value !== null) return false
  const block = asked.value as RpcResult<'eth_getBlockByNumber'>
  return block !== null && block.unreadable.length === 0 && !block.hashes.includes(hash)
}
