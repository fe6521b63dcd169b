import { createHash } from 'node:crypto'
import type { Chain } from '../bridge/observation.ts'
import type { Explorer } from '../clients/explorer/createExplorer.ts'
import { mainBlockDetail, zoneBlocks } from '../clients/explorer/endpoints/blocks.ts'
import { crossDetails } from '../clients/explorer/endpoints/crossRecords.ts'
import type { Rpc } from '../clients/rpc/createRpc.ts'
import { createBalanceReads, type Holding } from './balanceReads.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'

export interface ShownHead {
  readonly height: number
  /** Block time; null where it is not said. */
  readonly time: UnixMs | null
}

/** One source of a chain, and what it can be asked. Each throws when it could not ask. */
export interface Witness {
  readonly name: string
  /** @param known a block that another one has shown: `behind` where this one does not. Null where it cannot say. */
  head(known: number | null, signal: AbortSignal): Promise<ShownHead | 'behind' | null>
  /** The hash of a block; null where it shows none. */
  block(height: number, signal: AbortSignal): Promise<string | null>
  /** What it says of each transaction, in one line; null where it is not asked of transactions. */
  readonly transactions: ((hashes: readonly string[], signal: AbortSignal) => Promise<string[]>) | null
  readonly balance: ((holding: Holding, height: number, signal: AbortSignal) => Promise<string | null>) | null
}

const nothing = 'nothing'

export function nodeWitness(name: string, rpc: Rpc, clock: Clock): Witness {
  const balances = createBalanceReads({ rpc, clock })
  return {
    name,
    async head(_, signal) {
      const block = await rpc.call('eth_getBlockByNumber', ['latest', false], { signal })
      if (block === null || block.number === null) throw without(`${name}: no newest block`)
      return { height: block.number, time: block.timestamp === null ? null : block.timestamp * 1_000 }
    },
    async block(height, signal) {
      const block = await rpc.call('eth_getBlockByNumber', [height, false], { signal })
      return block?.hash ?? null
    },
    async transactions(hashes, signal) {
      const calls = hashes.map((hash) => ({
        method: 'eth_getTransactionReceipt' as const,
        params: [hash] as [string],
      }))
      const outcomes = await rpc.callMany(calls, { signal })
      return outcomes.map((outcome) => {
        if (!outcome.ok) throw outcome.error
        if (outcome.value === null) return nothing
        const { status, logs } = outcome.value
        const told = (logs ?? []).map(({ address, topics, data }) => [address, topics, data])
        return `${status}, ${told.length} logs ${digestOf(told)}`
      })
    },
    async balance(holding, height, signal) {
      const found = await balances.readAt(holding, height, signal)
      return found === null ? null : String(found)
    },
  }
}

export function explorerWitness(name: string, explorer: Explorer, chain: Chain): Witness {
  const how = (signal: AbortSignal) => ({ priority: 'bulk', signal, attempts: 1 }) as const
  const read = async (height: number, signal: AbortSignal) => {
    const answer =
      chain === 'main'
        ? await explorer.call(mainBlockDetail, { height }, how(signal))
        : await explorer.call(zoneBlocks, { height }, how(signal))
    const found = answer.records.find((one) => one.height === height)
    if (found === undefined && !answer.beyondHead) throw without(`${name}: no block ${height}`)
    return found ?? null
  }
  return {
    name,
    async head(known, signal) {
      if (chain === 'zone') {
        const { records } = await explorer.call(zoneBlocks, { page: 1, limit: 20 }, how(signal))
        const [newest] = records.toSorted((a, b) => b.height - a.height)
        if (newest === undefined) throw without(`${name}: no newest block`)
        return { height: newest.height, time: newest.time }
      }
      // The main head has to be searched for: whether it shows a block that another one has shown is enough.
      if (known === null) return null
      return (await read(known, signal)) === null ? 'behind' : null
    },
    block: async (height, signal) => (await read(height, signal))?.hash ?? null,
    transactions:
      chain === 'main'
        ? null
        : async (hashes, signal) => {
            const { records } = await explorer.call(crossDetails, { txId: [...hashes] }, how(signal))
            return hashes.map((hash) => {
              const own = records.filter((one) => one.zoneHash === hash)
              const lines = own.map((one) =>
                [one.status, one.direction, one.amountRaw, one.token, one.targetAddress, one.mainHash].join(
                  ' ',
                ),
              )
              return lines.length === 0 ? nothing : lines.sort().join('; ')
            })
          },
    balance: null,
  }
}

/** An answer without what every chain has. */
function without(message: string): MonitorError {
  return new MonitorError('source.invalid', message)
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8)
}
