import type { Rpc } from '../../clients/rpc/createRpc.ts'
import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import type { CanonicalBlock, CanonicalTransaction, Found } from './receipt.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { CanonicalSource } from './canonicalSource.ts'
import { digestLogs, isSystem, type Receipt } from './reads.ts'

/** The canonical chain as a plain node shows it. */
export function canonicalByRpc(
  deps: { readonly rpc: Pick<Rpc, 'call' | 'callMany'>; readonly clock: Pick<Clock, 'now'> },
  options: { readonly confirmations: number },
): CanonicalSource {
  const memory: Memory = { withLogs: null }
  return {
    name: 'canonical',
    settleAfter: Math.max(3, options.confirmations),
    // Two readings apart: another node behind the same address may be further.
    absence: { reads: 2, spanMs: 2_000 },
    readingSize: 4_000,
    readsAhead: false,
    async head(signal) {
      // Of a block, not of `eth_blockNumber`: that one names the pending height on some nodes.
      const block = await deps.rpc.call('eth_getBlockByNumber', ['latest', false], { signal })
      return block?.number ?? null
    },
    blocks: (heights, signal) => readBlocks({ ...deps, memory }, heights, signal),
    async find(hashes, signal) {
      const receipts = await deps.rpc.callMany(
        hashes.map((hash) => ({ method: 'eth_getTransactionReceipt' as const, params: [hash] as const })),
        { signal },
      )
      const shown = receipts.flatMap((outcome) => (outcome.ok ? (outcome.value ?? []) : []))
      const hides = await hidesLogs({ ...deps, memory }, shown, signal)
      return new Map(
        receipts.map((outcome, at) => [
          hashes[at] ?? '',
          outcome.ok ? toFound(outcome.value, hides) : unknown,
        ]),
      )
    },
  }
}

/** The newest transaction that the node showed logs of. */
interface Memory {
  withLogs: string | null
}

/** Whether a node that shows no logs in all of an answer shows none of a transaction either that it showed some of before. */
async function hidesLogs(
  { memory, rpc }: { readonly memory: Memory; readonly rpc: Pick<Rpc, 'callMany'> },
  receipts: readonly Receipt[],
  signal: AbortSignal,
): Promise<boolean> {
  const newest = receipts.find(({ logs }) => (logs?.length ?? 0) > 0)
  if (newest) memory.withLogs = newest.transactionHash
  if (newest || receipts.length === 0 || memory.withLogs === null) return false
  const method = 'eth_getTransactionReceipt' as const
  const [known] = await rpc.callMany([{ method, params: [memory.withLogs] as const }], { signal })
  if (!known?.ok) return false
  // A reorganisation may have taken it.
  if (known.value === null) memory.withLogs = null
  return known.value?.logs?.length === 0
}

const unknown: Found = { at: 'unknown' }

function toFound(receipt: RpcResult<'eth_getTransactionReceipt'>, hides: boolean): Found {
  if (receipt === null) return { at: 'nowhere' }
  if (receipt.blockNumber === null) return unknown
  return { at: 'block', height: receipt.blockNumber, transaction: toTransaction(receipt, hides) }
}

/**
 * Blocks with the receipts of their transactions. What a block holds is said by the block itself; a receipt that is
 * missing leaves the outcome unknown, not the transaction absent.
 */
async function readBlocks(
  deps: {
    readonly rpc: Pick<Rpc, 'callMany'>
    readonly clock: Pick<Clock, 'now'>
    readonly memory: Memory
  },
  heights: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, CanonicalBlock>> {
  const requestedAt = deps.clock.now()
  // Both in one request: a head of every second is asked for often.
  const outcomes = await deps.rpc.callMany(
    heights.flatMap((height) => [
      { method: 'eth_getBlockByNumber' as const, params: [height, false] as const },
      { method: 'eth_getBlockReceipts' as const, params: [height] as const },
    ]),
    { signal },
  )
  const shown = heights.map((_, at) => {
    const list = outcomes[2 * at + 1]
    return list?.ok ? ((list.value as RpcResult<'eth_getBlockReceipts'>)?.items ?? []) : []
  })
  const hides = await hidesLogs(deps, shown.flat(), signal)
  const found = new Map<number, CanonicalBlock>()
  const left: number[] = []
  for (const [at, height] of heights.entries()) {
    const asked = outcomes[2 * at]
    if (!asked?.ok) {
      left.push(height)
      continue
    }
    const block = asked.value as ShownBlock
    const of = { receipts: shown[at] ?? [], hides, requestedAt }
    if (isReadable(block)) found.set(height, toBlock(height, block, of))
  }
  if (left.length === 0) return found
  // Receipts can be too large for an answer, or take too long: they must not keep back the block.
  const alone = await deps.rpc.callMany(
    left.map((height) => ({ method: 'eth_getBlockByNumber' as const, params: [height, false] as const })),
    { signal },
  )
  for (const [at, height] of left.entries()) {
    const asked = alone[at]
    if (asked?.ok && isReadable(asked.value))
      found.set(height, toBlock(height, asked.value, { receipts: [], hides, requestedAt }))
    if (asked?.ok === false && heights.length === 1) throw asked.error
  }
  return found
}

type ShownBlock = RpcResult<'eth_getBlockByNumber'>

function isReadable(block: ShownBlock): block is NonNullable<ShownBlock> {
  return block !== null && block.unreadable.length === 0
}

function toBlock(
  height: number,
  block: NonNullable<ShownBlock>,
  {
    receipts,
    hides,
    requestedAt,
  }: { readonly receipts: readonly Receipt[]; readonly hides: boolean; readonly requestedAt: UnixMs },
): CanonicalBlock {
  const byHash = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
  return {
    height,
    time: block.timestamp === null ? null : block.timestamp * 1_000,
    requestedAt,
    transactions: new Map(
      block.hashes.map((hash, index): [string, CanonicalTransaction] => {
        const receipt = byHash.get(hash)
        return [hash, receipt ? toTransaction(receipt, hides) : bareTransaction(hash, index)]
      }),
    ),
  }
}

function bareTransaction(hash: string, index: number): CanonicalTransaction {
  return { hash, index, isSystem: null, status: null, gasUsed: null, logs: null }
}

/** @param hides whether no logs say nothing */
export function toTransaction(receipt: Receipt, hides = false): CanonicalTransaction {
  const { transactionHash, transactionIndex, status, gasUsed, logs } = receipt
  return {
    hash: transactionHash,
    index: transactionIndex,
    isSystem: isSystem(receipt),
    status,
    gasUsed,
    logs: hides && logs?.length === 0 ? null : digestLogs(logs),
  }
}
