import { hash as digest } from 'node:crypto'
import type { Rpc } from '../../clients/rpc/createRpc.ts'
import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import type { BridgePlaces } from './payoutWatch.ts'
import type { BridgeReceipt, PendingBlock, SeenReceipt } from './receipt.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'

/** One look at the preconfirmation RPC. */
export interface PendingAnswer {
  readonly requestedAt: UnixMs
  /** Null is the node's answer that nothing is preconfirmed. */
  readonly pending: PendingBlock | null
  readonly latest: { readonly height: number; readonly time: UnixMs | null } | null
  /** Receipts that could not be read. */
  readonly unreadable: number
}

export type Receipt = NonNullable<RpcResult<'eth_getBlockReceipts'>>['items'][number]

/** The type of the chain's own transactions. */
const systemType = 0x7e

/**
 * Asks for the block being made with its receipts, and for the newest complete one, in one request where the server
 * takes batches. Heights are read from blocks: `eth_blockNumber` does not say whose height it means.
 * @throws MonitorError `source.*` when neither receipts nor transactions of the block being made could be had
 */
export async function readPending(
  deps: {
    readonly rpc: Pick<Rpc, 'callMany'>
    readonly clock: Pick<Clock, 'now'>
    readonly places: BridgePlaces
  },
  signal: AbortSignal,
): Promise<PendingAnswer> {
  const requestedAt = deps.clock.now()
  const [receipts, pending, latest] = await deps.rpc.callMany(
    [
      { method: 'eth_getBlockReceipts', params: ['pending'] },
      { method: 'eth_getBlockByNumber', params: ['pending', false] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ],
    { signal },
  )
  if (!receipts || !pending || !latest) throw new Error('a batch without its outcomes')
  if (!receipts.ok) throw receipts.error
  const list = receipts.value as RpcResult<'eth_getBlockReceipts'>
  const block = pending.ok ? (pending.value as RpcResult<'eth_getBlockByNumber'>) : null
  const head = latest.ok ? (latest.value as RpcResult<'eth_getBlockByNumber'>) : null
  // Without a single receipt only the block itself says which one it is.
  if (list !== null && list.items.length === 0 && !pending.ok) throw pending.error
  const height = list?.items.find(({ blockNumber }) => blockNumber !== null)?.blockNumber ?? block?.number
  return {
    requestedAt,
    pending:
      list === null || height === null || height === undefined
        ? null
        : toPending(
            { height, time: block?.number === height ? toMs(block.timestamp) : null },
            list.items,
            deps.places,
          ),
    latest:
      head === null || head.number === null ? null : { height: head.number, time: toMs(head.timestamp) },
    unreadable: list?.unreadable.length ?? 0,
  }
}

function toMs(seconds: number | null): UnixMs | null {
  return seconds === null ? null : seconds * 1_000
}

function toPending(
  { height, time }: Pick<PendingBlock, 'height' | 'time'>,
  items: readonly Receipt[],
  places: BridgePlaces,
): PendingBlock {
  return {
    height,
    time,
    receipts: items.filter((receipt) => !isSystem(receipt)).map((receipt) => toSeen(receipt, places.all)),
    system: items.filter(isSystem).map(({ transactionHash }) => transactionHash),
    bridge: items.flatMap((receipt) => toBridge(receipt, height, places) ?? []),
  }
}

/** What concerns the bridge in a receipt: its own events, and what tokens say of its escrows; null where nothing does. */
function toBridge(
  { transactionHash, blockNumber, status, logs }: Receipt,
  height: number,
  { all, escrowTopics }: BridgePlaces,
): BridgeReceipt | null {
  if (status === 'failed' || logs === null) return null
  const own = logs.filter(
    ({ address, topics }) =>
      all.has(address) || topics.some((topic, place) => place > 0 && escrowTopics.has(topic)),
  )
  return own.length === 0 ? null : { hash: transactionHash, height: blockNumber ?? height, logs: own }
}

/** Where a node leaves out the type, a transaction that pays nothing at all is the chain's own. */
export function isSystem({ type, effectiveGasPrice }: Receipt): boolean {
  return type === null ? effectiveGasPrice === 0n : type === systemType
}

function toSeen(receipt: Receipt, bridge: ReadonlySet<string>): SeenReceipt {
  const { transactionHash, blockNumber, transactionIndex, status, gasUsed, to, logs } = receipt
  const touches = (address: string | null) => address !== null && bridge.has(address)
  return {
    hash: transactionHash,
    height: blockNumber,
    index: transactionIndex,
    status,
    gasUsed,
    logs: digestLogs(logs),
    isBridge: touches(to) || (logs?.some(({ address }) => touches(address)) ?? false),
  }
}

/** What logs say, without their places in the block. Null where the node gives none. */
export function digestLogs(logs: Receipt['logs']): string | null {
  if (logs === null) return null
  if (logs.length === 0) return ''
  let text = ''
  for (const log of logs) text += `${log.address} ${log.topics.join(',')} ${log.data}\n`
  return digest('sha1', text, 'base64')
}
