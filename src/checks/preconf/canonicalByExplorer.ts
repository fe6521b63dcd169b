import type { Quarantined } from '../../clients/explorer/readAnswer.ts'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import { blockTransactions } from '../../clients/explorer/endpoints/mainTransactions.ts'
import { manyTransactionsTransfers } from '../../clients/explorer/endpoints/mainTransfers.ts'
import { readAll } from '../../clients/explorer/readAll.ts'
import type { Rpc } from '../../clients/rpc/createRpc.ts'
import type { CanonicalBlock, CanonicalTransaction, Found } from './receipt.ts'
import { readHeight } from '../../kernel/heads/heads.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { MonitorError } from '../../lib/errors.ts'
import { toTransaction } from './canonicalByRpc.ts'
import type { CanonicalSource } from './canonicalSource.ts'

interface ExplorerDeps {
  readonly clock: Clock
  readonly explorer: Pick<Explorer, 'call' | 'walk'>
  /** The preconfirmation RPC: what it says of a finished block completes what the explorer's lists leave out. */
  readonly rpc: Pick<Rpc, 'callMany'>
  readonly db: Database
}

interface ExplorerSource extends ExplorerDeps {
  /** A block of which E7 showed a transaction lately: it has to be in an answer that shows none of the blocks in question. */
  shownAt: number | null
}

/** A range is widened by no more to hold a block that is known. */
const mostWidened = 1_000

/**
 * The canonical chain as the explorer shows it, for deployments without a second RPC. Its lists say which block holds
 * a transaction and whether it failed; gas and logs are those that the preconfirmation RPC gives for the finished
 * block, of transactions that the explorer confirms to be in it. Readings are throttled, so that many blocks share one.
 */
export function canonicalByExplorer(given: ExplorerDeps): CanonicalSource {
  const deps: ExplorerSource = { ...given, shownAt: null }
  return {
    name: 'explorer',
    settleAfter: 3,
    // A hash missing from an otherwise full answer is one reading; three over half a minute make absence.
    absence: { reads: 3, spanMs: 30_000 },
    readingSize: 400,
    readsAhead: true,
    head: async () => readHeight(deps.db, 'main'),
    async blocks(heights, signal) {
      const [first, last] = [Math.min(...heights), Math.max(...heights)]
      const listed = await readRange(deps, first, last, signal)
      if (listed === null) return new Map()
      const receipts = await readReceipts(deps, heights, signal)
      return new Map(heights.map((height) => [height, toBlock(height, listed, receipts)]))
    },
    find: (hashes, signal) => findByHash(deps, hashes, signal),
  }
}

type Row = Awaited<ReturnType<typeof listRows>>[number]

interface Listed {
  readonly requestedAt: UnixMs
  readonly byHeight: ReadonlyMap<number, readonly Row[]>
}

/** E7 over a range; null when it was not read whole. */
async function readRange(
  deps: ExplorerSource,
  first: number,
  last: number,
  signal: AbortSignal,
): Promise<Listed | null> {
  const requestedAt = deps.clock.now()
  const asked = await listRows(deps, first, last, signal)
  const rows = asked.length > 0 ? asked : await listBesideShown(deps, { first, last }, signal)
  deps.shownAt = Math.min(...rows.map(({ height }) => height ?? Infinity))
  const byHeight = new Map<number, Row[]>()
  for (const row of rows) {
    if (row.height === null) return null
    const same = byHeight.get(row.height)
    if (same) same.push(row)
    else byHeight.set(row.height, [row])
  }
  return { requestedAt, byHeight }
}

/** What was preconfirmed there may be gone, or the list may be throttled and look empty: a block that is known decides. */
async function listBesideShown(
  deps: ExplorerSource,
  { first, last }: { readonly first: number; readonly last: number },
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const { shownAt } = deps
  const isNear = shownAt !== null && shownAt > first - mostWidened && shownAt < last + mostWidened
  const rows = isNear ? await listRows(deps, Math.min(first, shownAt), Math.max(last, shownAt), signal) : []
  if (rows.some(({ height }) => height === shownAt)) return rows
  throw new MonitorError('source.empty', 'E7: empty for a range of finished blocks')
}

async function listRows(deps: ExplorerSource, first: number, last: number, signal: AbortSignal) {
  const range = { startBlockHeight: first, endBlockHeight: last }
  const rows: { hash: string; height: number | null; time: UnixMs | null; state: string }[] = []
  const quarantined: Quarantined[] = []
  const result = await readAll(deps, blockTransactions, range, {
    priority: 'evidence',
    signal,
    onRecords: (records) => void rows.push(...records),
    quarantined,
  })
  if (!result.complete || quarantined.length > 0) {
    const why =
      quarantined.length > 0
        ? `${quarantined.length} ${quarantined.length === 1 ? 'record' : 'records'} cannot be read`
        : result.reasons.join('; ')
    throw new MonitorError('source.invalid', `E7: the list of a range of blocks is not whole: ${why}`)
  }
  return rows
}

/** Final receipts by hash, as far as the preconfirmation RPC gives them. */
async function readReceipts(
  { rpc }: ExplorerSource,
  heights: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CanonicalTransaction>> {
  const outcomes = await rpc.callMany(
    heights.map((height) => ({ method: 'eth_getBlockReceipts' as const, params: [height] as const })),
    { signal },
  )
  const receipts = outcomes.flatMap((outcome) => (outcome.ok ? (outcome.value?.items ?? []) : []))
  return new Map(receipts.map((receipt) => [receipt.transactionHash, toTransaction(receipt)]))
}

function toBlock(
  height: number,
  listed: Listed,
  receipts: ReadonlyMap<string, CanonicalTransaction>,
): CanonicalBlock {
  const rows = listed.byHeight.get(height) ?? []
  return {
    height,
    time: rows.find(({ time }) => time !== null)?.time ?? null,
    requestedAt: listed.requestedAt,
    transactions: new Map(
      rows.map(({ hash, state }): [string, CanonicalTransaction] => {
        const receipt = receipts.get(hash)
        return [
          hash,
          {
            hash,
            index: receipt?.index ?? null,
            isSystem: receipt?.isSystem ?? null,
            status: toStatus(state),
            gasUsed: receipt?.gasUsed ?? null,
            logs: receipt?.logs ?? null,
          },
        ]
      }),
    ),
  }
}

function toStatus(state: string): CanonicalTransaction['status'] {
  return state === 'success' ? 'success' : state === 'fail' ? 'failed' : null
}

/**
 * By hash: the explorer's token transfers of a transaction (E13), and the block that the preconfirmation RPC names, when
 * the explorer confirms that one. A transaction that moves no token is known to E7 alone.
 */
async function findByHash(
  deps: ExplorerSource,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>()
  await readAll(
    deps,
    manyTransactionsTransfers,
    { txId: hashes },
    {
      priority: 'evidence',
      signal,
      onRecords(records) {
        for (const { hash, height } of records)
          if (height !== null) found.set(hash, { at: 'block', height, transaction: bare(hash) })
      },
    },
  )
  const rest = hashes.filter((hash) => !found.has(hash))
  const receipts = await deps.rpc.callMany(
    rest.map((hash) => ({ method: 'eth_getTransactionReceipt' as const, params: [hash] as const })),
    { signal },
  )
  for (const [at, hash] of rest.entries()) {
    const outcome = receipts[at]
    const height = outcome?.ok ? (outcome.value?.blockNumber ?? null) : null
    found.set(hash, outcome?.ok ? await confirm(deps, { hash, height }, signal) : { at: 'unknown' })
  }
  return found
}

/** Whether the explorer shows a transaction in the block that the preconfirmation RPC names. */
async function confirm(
  deps: ExplorerSource,
  { hash, height }: { readonly hash: string; readonly height: number | null },
  signal: AbortSignal,
): Promise<Found> {
  if (height === null) return { at: 'nowhere' }
  const head = readHeight(deps.db, 'main')
  if (head === null || height > head) return { at: 'unknown' }
  const listed = await readRange(deps, height, height, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    if (error instanceof MonitorError) return null
    throw error
  })
  if (listed === null) return { at: 'unknown' }
  const row = listed.byHeight.get(height)?.find((one) => one.hash === hash)
  if (!row) return { at: 'nowhere' }
  return { at: 'block', height, transaction: { ...bare(hash), status: toStatus(row.state) } }
}

function bare(hash: string): CanonicalTransaction {
  return { hash, index: null, isSystem: null, status: null, gasUsed: null, logs: null }
}
