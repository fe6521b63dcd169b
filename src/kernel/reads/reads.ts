import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Finding } from '../../bridge/finding.ts'
import type { Observation, ZoneTransaction } from '../../bridge/observation.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import type { Explorer, NonEmptyOptions } from '../../clients/explorer/createExplorer.ts'
import { mainBlockDetail, zoneBlocks } from '../../clients/explorer/endpoints/blocks.ts'
import { crossDetails, crossTransactions } from '../../clients/explorer/endpoints/crossRecords.ts'
import { zoneTransactions } from '../../clients/explorer/endpoints/zoneTransactions.ts'
import { createPageFromNewest, type PageFromNewest } from '../../clients/explorer/newestFirst.ts'
import type { Answer } from '../../clients/explorer/readAnswer.ts'
import { type ErrorCode, MonitorError } from '../../lib/errors.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { markBesideUnread } from '../../ledger/sightings/sighting.ts'
import { mostOfTransaction } from '../../ledger/transfers/transferRows.ts'
import type { BlockListeners } from './mainBlocks.ts'
import { mayBeUnread } from './unreadRows.ts'
import { createZoneTransactionBy, type ZoneTransactionBy } from './zoneTransactionBy.ts'

/** How urgent a reading is; the client's pace serves the first ones first. */
export type ReadPriority = 'urgent' | 'open' | 'tail' | 'heads' | 'evidence' | 'sweep' | 'bulk'

export interface BadRecord {
  readonly endpoint: string
  readonly problem: string
  readonly raw: string
}

export interface Read<T> {
  readonly requestedAt: UnixMs
  readonly records: readonly T[]
  /** Rows that were set aside: with one of them what is not shown is not known to be absent. */
  readonly bad: readonly BadRecord[]
  /** Whether a filter let rows through that it should not have; false when left out. */
  readonly isUnfiltered?: boolean
}

/** One page of E3, counted from the newest record. A null number was not given by the answer. */
export interface FeedPage extends Read<Observation> {
  readonly totalPage: number | null
  readonly total: number | null
  readonly limit: number | null
}

export interface ReadOptions {
  readonly priority: ReadPriority
  readonly signal: AbortSignal
  /** Tries in all, the first included. */
  readonly attempts?: number
}

/** What the pollers ask of the explorer. Each throws when it could not ask; an empty list is an answer. */
export interface ExplorerReads {
  feedPage(page: number, options: ReadOptions): Promise<FeedPage>
  feedByHash(hash: string, options: ReadOptions): Promise<Read<Observation>>
  /** E3 by an address that transfers involve. */
  feedByAddress(address: string, page: number, options: ReadOptions): Promise<FeedPage>
  /** E12, at most 20 zone hashes. */
  details(zoneHashes: readonly string[], options: ReadOptions): Promise<Read<Observation>>
  /** E9, at most 20 zone hashes. */
  zoneTransactions(zoneHashes: readonly string[], options: ReadOptions): Promise<Read<ZoneTransaction>>
  zoneHead(options: ReadOptions): Promise<BlockRead | null>
  zoneTransactionBy(until: UnixMs, options: ReadOptions): ReturnType<ZoneTransactionBy>
  /** E11: a block, `beyond` the head, or `unknown` when the answer was empty. */
  mainBlock(height: number, options: ReadOptions): Promise<BlockRead | 'beyond' | 'unknown'>
}

interface BlockRead {
  readonly height: number
  readonly blockTime: UnixMs | null
  readonly requestedAt: UnixMs
  /** Null or left out where the answer does not say it. */
  readonly hash?: string | null
}

/** What a reading found, to be committed as one: records, evidence, heads, and the events that follow from them. */
export interface ReadingResult {
  /** Each inner list is one answer: what stands in one answer is known to be separate. */
  readonly answers?: readonly (readonly Observation[])[]
  readonly zoneTransactions?: readonly ZoneTransaction[]
  /** What second sources said of legs. */
  readonly evidence?: readonly EvidenceReading[]
  /** Keys of transfers to be judged again although nothing of them changed: time has passed. */
  readonly judge?: readonly string[]
  readonly bad?: readonly BadRecord[]
  readonly heads?: readonly (BlockRead & { readonly chain: 'main' | 'zone' })[]
  /**
   * Runs last inside the commit: saves what a check learned in tables of its own, and returns the events that follow.
   * Rules on their kinds report them.
   */
  readonly apply?: (now: UnixMs) => readonly Finding[]
  /**
   * It shares its commit with what is read after it: it is read or judged again after a crash, and nothing in memory goes
   * by it. `without-news`: where no transfer changed by it and no event follows from it.
   */
  readonly mayWait?: boolean | 'without-news'
  /** More of it is committed at once: what is to be sent of it waits for that. */
  readonly goesOn?: true
}

export interface CommitResult {
  /** Records whose content the ledger did not hold. */
  readonly news: number
  /** Transfers that E12 should be asked of at once. */
  readonly hasUrgent: boolean
}

/** Commits durably unless it may wait, evaluates events, queues messages; synchronous, and all or nothing. */
export type Commit = (result: ReadingResult) => CommitResult

/** Rows asked for in one page; the service may give fewer. */
const pageSize = 100

/**
 * The pollers' questions in the client's words. What makes an empty answer a failure to ask is known here: a list
 * that had records, a page that its neighbours announced, a hash that a record named.
 */
export function createExplorerReads(of: {
  readonly explorer: Pick<Explorer, 'call' | 'callNonEmpty'>
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'hasListed'>
  readonly blockListeners: BlockListeners
}): ExplorerReads {
  const { explorer, clock, ledger } = of
  const feed: Feed = { announcedPages: 0, isListed: false, readPage: createPageFromNewest(crossTransactions) }
  const readZoneBlocks = createPageFromNewest(zoneBlocks)
  const readZoneShown = createZoneTransactionBy(explorer)
  return {
    async feedPage(page, options) {
      feed.isListed ||= ledger.hasListed()
      const answer = await feed.readPage(page, (at) => askFeedPage(explorer, feed, at, options))
      if (answer === null)
        return { requestedAt: clock.now(), records: [], bad: [], totalPage: null, total: null, limit: null }
      const { totalPage, total, limit } = answer
      return { ...toRead(answer), totalPage, total, limit }
    },
    async feedByHash(hash, options) {
      try {
        return await readByHash(explorer, hash, options)
      } catch (error) {
        // A filter that is refused is one that finds nothing: whoever asks tries it on a record that is known.
        if (isCode(error, 'source.refused')) return { requestedAt: clock.now(), records: [], bad: [] }
        return toUnfiltered(error, clock.now())
      }
    },
    async feedByAddress(address, page, options) {
      const params = { address, page, limit: pageSize }
      try {
        const answer = await explorer.callNonEmpty(crossTransactions, params, toHow(options, page > 1))
        const { totalPage, total, limit } = answer
        return { ...toRead(answer), totalPage, total, limit }
      } catch (error) {
        return { ...toUnfiltered(error, clock.now()), totalPage: null, total: null, limit: null }
      }
    },
    async details(zoneHashes, options) {
      const read = toRead(
        await explorer.callNonEmpty(crossDetails, { txId: [...zoneHashes] }, toHow(options, false)),
      )
      if (read.bad.length === 0) return read
      return { ...read, records: markBesideUnread(read.records, mayBeUnread(read.bad, zoneHashes)) }
    },
    async zoneTransactions(zoneHashes, options) {
      return toRead(
        await explorer.callNonEmpty(zoneTransactions, { txId: [...zoneHashes] }, toHow(options, false)),
      )
    },
    async zoneHead(options) {
      const answer = await readZoneBlocks(1, (page) =>
        explorer.callNonEmpty(zoneBlocks, { page, limit: 20 }, toHow(options, false)),
      )
      const [head] = (answer?.records ?? []).toSorted((a, b) => b.height - a.height)
      return head ? { height: head.height, blockTime: head.time, requestedAt: head.requestedAt } : null
    },
    zoneTransactionBy: (until, options) => readZoneShown(until, toHow(options, false)),
    async mainBlock(height, options) {
      const answer = await explorer.call(mainBlockDetail, { height }, options)
      if (answer.beyondHead) return 'beyond'
      const [block] = answer.records
      if (!block) return 'unknown'
      const { hash } = block
      if (hash !== null) show(of.blockListeners, block.height, hash)
      return { height: block.height, blockTime: block.time, requestedAt: answer.requestedAt, hash }
    },
  }
}

/** All records of one transaction: what stands on a page that was not read would be called missing. */
async function readByHash(
  explorer: Pick<Explorer, 'callNonEmpty'>,
  hash: string,
  options: ReadOptions,
): Promise<Read<Observation>> {
  let found: Read<Observation> | null = null
  let announced = 0
  for (let page = 1; ; page += 1) {
    const question = { txid: hash, limit: pageSize, ...(page > 1 && { page }) }
    const answer = await explorer.callNonEmpty(crossTransactions, question, toHow(options, page <= announced))
    const read = toRead(answer)
    found = found === null ? read : joinPages(found, read)
    const { totalPage, limit, records, quarantined } = answer
    announced = totalPage ?? 0
    const isLast =
      totalPage === null ? records.length + quarantined.length < (limit ?? pageSize) : page >= totalPage
    // A filter that is ignored gives pages without end, and no block holds more.
    if (isLast || found.isUnfiltered === true || found.records.length >= mostOfTransaction) return found
  }
}

/** As old as the first of them. */
function joinPages(first: Read<Observation>, next: Read<Observation>): Read<Observation> {
  return {
    requestedAt: first.requestedAt,
    records: [...first.records, ...next.records],
    bad: [...first.bad, ...next.bad],
    isUnfiltered: first.isUnfiltered === true || next.isUnfiltered === true,
  }
}

function show(listeners: BlockListeners, height: number, hash: string): void {
  for (const listen of listeners) listen({ source: 'explorer', height, hash, parentHash: null })
}

interface Feed {
  announcedPages: number
  /** The list showed records. */
  isListed: boolean
  readonly readPage: PageFromNewest<Observation>
}

/** A page by the number that the service gives it. */
async function askFeedPage(
  explorer: Pick<Explorer, 'callNonEmpty'>,
  feed: Feed,
  page: number,
  options: ReadOptions,
): Promise<Answer<Observation>> {
  const isKnown = page === 1 ? feed.isListed : page <= feed.announcedPages
  const ask = (how: NonEmptyOptions) =>
    explorer.callNonEmpty(crossTransactions, { page, limit: pageSize }, how)
  let answer = await ask(toHow(options, isKnown))
  // An end that nothing announced is believed when the first page, asked between, still answers.
  if (answer.empty && page > 1) {
    await explorer.callNonEmpty(crossTransactions, { page: 1, limit: 1 }, toHow(options, feed.isListed))
    answer = await ask(toHow(options, false))
  }
  if (!answer.empty && answer.totalPage !== null) feed.announcedPages = answer.totalPage
  return answer
}

function toHow(options: ReadOptions, isKnown: boolean): NonEmptyOptions {
  // One attempt means that the caller has no time: an empty answer is then not read again either.
  return { ...options, isKnown, ...(options.attempts === 1 && { rereads: 0 }) }
}

function isCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof MonitorError && error.code === code
}

/** Rows, of which none passes the filter. */
function toUnfiltered(error: unknown, requestedAt: UnixMs): Read<never> {
  if (!isCode(error, 'source.mismatched')) throw error
  return { requestedAt, records: [], bad: [], isUnfiltered: true }
}

function toRead<T>(answer: Answer<T>): Read<T> {
  return {
    requestedAt: answer.requestedAt,
    records: answer.records,
    bad: answer.quarantined.map(({ raw, problem }) => ({ endpoint: answer.endpoint, problem, raw })),
    isUnfiltered: answer.misfits.length > 0,
  }
}
