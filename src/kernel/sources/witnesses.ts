import { createHash } from 'node:crypto'
import type { Chain, Observation } from '../../bridge/observation.ts'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import { mainBlockDetail, zoneBlocks } from '../../clients/explorer/endpoints/blocks.ts'
import { crossDetails } from '../../clients/explorer/endpoints/crossRecords.ts'
import { manyTransactionsTransfers } from '../../clients/explorer/endpoints/mainTransfers.ts'
import {
  type ZoneTransactionDetail,
  zoneTransactions,
} from '../../clients/explorer/endpoints/zoneTransactions.ts'
import type { Answer } from '../../clients/explorer/readAnswer.ts'
import type { Rpc } from '../../clients/rpc/createRpc.ts'
import { createBalanceReads, type Holding } from '../reads/balanceReads.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'

export interface ShownHead {
  readonly height: number
  /** Block time; null where it is not said. */
  readonly time: UnixMs | null
}

/** A line for each hash; null where it cannot tell. */
export type AskLines = (hashes: readonly string[], signal: AbortSignal) => Promise<(string | null)[]>

/** One source of a chain, and what it can be asked. Each throws when it could not ask. */
export interface Witness {
  readonly name: string
  /** @param known a block that another one has shown: `behind` where this one does not. Null where it cannot say. */
  head(known: number | null, signal: AbortSignal): Promise<ShownHead | 'behind' | null>
  /** The hash of a block; null where it shows none. */
  block(height: number, signal: AbortSignal): Promise<string | null>
  /** What it says of each transaction, of which one at least is known to be there. */
  readonly transactions: AskLines
  /** What it says of each record; null where it is not asked of records. */
  readonly records: AskLines | null
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
    records: null,
    async balance(holding, height, signal) {
      const found = await balances.readAt(holding, height, signal)
      return found === null ? null : String(found)
    },
  }
}

export function explorerWitness(name: string, explorer: Explorer, chain: Chain): Witness {
  // What is asked is there: throttling in disguise is no word of its own.
  const how = (signal: AbortSignal) => ({ priority: 'bulk', signal, attempts: 1, isKnown: true }) as const
  const read = async (height: number, signal: AbortSignal) => {
    const answer =
      chain === 'main'
        ? await explorer.callNonEmpty(mainBlockDetail, { height }, how(signal))
        : await explorer.callNonEmpty(zoneBlocks, { height }, how(signal))
    const found = answer.records.find((one) => one.height === height)
    if (found === undefined && !answer.beyondHead) throw without(`${name}: no block ${height}`)
    return found ?? null
  }
  return {
    name,
    async head(known, signal) {
      if (chain === 'zone') {
        const { records } = await explorer.callNonEmpty(zoneBlocks, { page: 1, limit: 20 }, how(signal))
        const [newest] = records.toSorted((a, b) => b.height - a.height)
        if (newest === undefined) throw without(`${name}: no newest block`)
        return { height: newest.height, time: newest.time }
      }
      // The main head has to be searched for: whether it shows a block that another one has shown is enough.
      if (known === null) return null
      return (await read(known, signal)) === null ? 'behind' : null
    },
    block: async (height, signal) => (await read(height, signal))?.hash ?? null,
    transactions: async (hashes, signal) =>
      chain === 'main'
        ? readMoved(
            await explorer.callNonEmpty(manyTransactionsTransfers, toMany(hashes), how(signal)),
            hashes,
          )
        : readStatus(
            await explorer.callNonEmpty(zoneTransactions, { txId: [...hashes] }, how(signal)),
            hashes,
          ),
    records:
      chain === 'main'
        ? null
        : async (hashes, signal) => {
            const isKnown = explorer.empties.hasAnswered('E12')
            const options = { ...how(signal), isKnown }
            const answer = await explorer.callNonEmpty(crossDetails, { txId: [...hashes] }, options)
            return readRecords(answer, hashes)
          },
    balance: null,
  }
}

const pageSize = 100

function toMany(hashes: readonly string[]) {
  return { txId: [...hashes], page: 1, limit: pageSize }
}

/** That it is shown is enough. Behind a full page there may be more. */
function readMoved(answer: Answer<{ readonly hash: string }>, hashes: readonly string[]): (string | null)[] {
  const isLast = (answer.totalPage ?? 1) <= 1 && answer.records.length < pageSize
  const shown = answer.records.map(({ hash }) => [hash, 'shown'] as const)
  return sayEach(hashes, new Map(shown), isLast && isWhole(answer))
}

function readStatus(answer: Answer<ZoneTransactionDetail>, hashes: readonly string[]): (string | null)[] {
  // An empty status says neither.
  const shown = answer.records.map(
    ({ hash, status }) => [hash, status === 'unknown' ? null : status] as const,
  )
  return sayEach(hashes, new Map(shown), isWhole(answer))
}

function readRecords(answer: Answer<Observation>, hashes: readonly string[]): (string | null)[] {
  const byHash = Map.groupBy(answer.records, ({ zoneHash }) => zoneHash ?? '')
  const shown = [...byHash].map(
    ([hash, records]) => [hash, records.map(sayRecord).sort().join('; ')] as const,
  )
  // Whoever never showed any has no data.
  return sayEach(hashes, new Map(shown), !answer.empty && isWhole(answer))
}

function sayRecord(one: Observation): string {
  const { status, direction, amountRaw, token, targetAddress, mainHash } = one
  return [status, direction, amountRaw, token, targetAddress, mainHash].join(' ')
}

/** A row that cannot be read may be of any of those that are not shown. */
function isWhole({ quarantined }: Pick<Answer<unknown>, 'quarantined'>): boolean {
  return quarantined.length === 0
}

function sayEach(
  hashes: readonly string[],
  shown: ReadonlyMap<string, string | null>,
  whole: boolean,
): (string | null)[] {
  const other = whole ? nothing : null
  return hashes.map((hash) => (shown.has(hash) ? (shown.get(hash) ?? null) : other))
}

/** An answer without what every chain has. */
function without(message: string): MonitorError {
  return new MonitorError('source.invalid', message)
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8)
}
