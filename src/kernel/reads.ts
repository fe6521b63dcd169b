import type { UnixMs } from '../lib/clock.ts'
import type { Finding } from '../bridge/finding.ts'
import type { Observation, ZoneTransaction } from '../bridge/observation.ts'
import type { EvidenceReading } from '../ledger/evidence.ts'

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

/** One page of E3. A null number was not given by the answer. */
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
}

interface CommitResult {
  /** Records whose content the ledger did not hold. */
  readonly news: number
  /** Transfers that E12 should be asked of at once. */
  readonly hasUrgent: boolean
}

/** Commits durably, evaluates events, queues messages; synchronous, and all or nothing. */
export type Commit = (result: ReadingResult) => CommitResult
