import type { UnixMs } from '../lib/clock.ts'
import type { Chain, Direction, Observation, ZoneTransaction } from '../bridge/observation.ts'
import { joinByAmount } from './matching/joinByAmount.ts'
import type { Learned } from './lessons/learned.ts'
import type { Sighting } from './sightings/sighting.ts'
import type { Transfer, TransferState } from '../bridge/transfer.ts'
import { transferState } from '../store/bridgeCodecs.ts'
import type { Database } from '../store/database.ts'
import { isAddress, isHash } from '../store/hash.ts'
import { readMetaNumber } from '../store/meta.ts'
import { int, table } from '../store/table.ts'
import { askRecordAgain } from './evidence/disputes.ts'
import {
  type DueCheck,
  type DueTurns,
  type KnownRisks,
  listDueChecks,
  maxPostponeMs,
  postponeCheck,
} from './transfers/dueChecks.ts'
import { type EvidenceReading, listEvidence } from './evidence/evidence.ts'
import { type FailurePlace, listWithoutEvidence } from './transfers/listWithoutEvidence.ts'
import { queueAgain, queueClaimed, type QueueSettings } from './evidence/queueLegs.ts'
import { createPendingList } from './transfers/pendingList.ts'
import { type Past, purgeTransfers } from './purgeTransfers.ts'
import {
  formatKey,
  isOpenRow,
  parseKey,
  selectTransfers,
  type StoredTransfer,
} from './transfers/transferRows.ts'
import { listKeysSharing, listSharing } from './transfers/named.ts'
import {
  type LedgerState,
  readTransfers,
  recordAnswer,
  type RecordResult,
  toTransfer,
  type TransferChange,
} from './recordAnswer.ts'
import { type ArrivedFilter, listArrived } from './transfers/arrived.ts'
import { queueHistory } from './historyQueue.ts'
import { type CountedTransfer, listSlicesUnderWay, type OnAdvance } from './slicesUnderWay.ts'
import { listMatching, pageMatching, type TransferFilter } from './transfers/transferFilter.ts'
import { createRestingRecords, forgetResting, restingSeenAt, withTimes } from './transfers/restingRecords.ts'
import { createTokenBook, type TokenSetting } from './lessons/tokenBook.ts'
import { recordEvidence } from './recordEvidence.ts'

/** The ledger of transfers. Every function is synchronous; `recordAnswer` belongs inside `database.transaction`. */
export interface Ledger {
  recordAnswer(answer: readonly Observation[], now: UnixMs): RecordResult
  /** Evidence by E9 or E14. Returns the transfers that it changed. */
  recordZoneTransactions(answer: readonly ZoneTransaction[], now: UnixMs): TransferChange[]
  /** What second sources said of legs. Returns the transfers that it changed. */
  recordEvidence(answer: readonly EvidenceReading[], now: UnixMs): TransferChange[]
  getTransfer(key: string): Transfer | null
  /** What of an escrow's holdings a transfer is; 0 where that is not known. */
  riskOf(transfer: Transfer): number
  /** However many have to be looked at for it: the whole ledger where nothing fits. */
  listTransfers(filter: TransferFilter): Transfer[]
  /** The same a page at a time, each with a bounded amount of work. */
  pageTransfers(filter: Parameters<typeof pageMatching>[1]): ReturnType<typeof pageMatching>
  /** Completed transfers that arrived in a time, the newest first, found with a bounded amount of work. */
  listArrived(filter: ArrivedFilter): Transfer[]
  /** A transfer's sightings, oldest first: what was said of it, by which list, from when to when. */
  listSightings(key: string): readonly Sighting[]
  /** Slices of the transfers that were under way at some time of a window, each transfer once. */
  listUnderWay(
    window: { readonly from: UnixMs; readonly until: UnixMs },
    onAdvance?: OnAdvance,
  ): Iterable<readonly CountedTransfer[]>
  /** Transfers that are pending, oldest first: some name a destination leg that is not known to have arrived. */
  listPending(filter: { direction: Direction | null; originAtOrBefore: UnixMs }): Iterable<Transfer>
  countByState(): Readonly<Record<TransferState, number>>
  /** Transfers that want to be read by hash, most urgent first. */
  listDueChecks(now: UnixMs, turns: DueTurns): DueCheck[]
  /** These were asked for and the answer did not hold them, or could not be had: ask again later, ever more rarely. */
  postponeChecks(keys: readonly string[], now: UnixMs, soughtAt?: UnixMs | null): void
  /** What was said of a transfer may be otherwise by now: has its record and its legs asked for again. */
  askAgain(transfer: Transfer, now: UnixMs): void
  /** Another transfer claims the origin of these: have what they brought verified, however long ago. */
  verifyClaimed(transfers: readonly Transfer[], now: UnixMs, how?: Parameters<typeof queueClaimed>[4]): void
  /** Puts legs of so many transfers that were long over when they were first seen into the queue of questions. */
  queueHistory(count: number, now: UnixMs): void
  /** Zone hashes of records that are failed here and not in the ledger. */
  listUnconfirmed(records: readonly Observation[]): string[]
  /** Zone hashes of failed transfers since `since` that E9 said nothing of, and was not asked of for a while. */
  listWithoutEvidence(
    of: { readonly since: UnixMs; readonly after: FailurePlace | null; readonly limit: number },
    now: UnixMs,
  ): ReturnType<typeof listWithoutEvidence>
  /** Forgets ended transfers that are past their time, with their alerts. @returns how many */
  purge(past: Past): number
  /** Transfers that bear a hash on this chain, oldest first, at most `limit`. */
  listSharing(chain: Chain, hash: string, limit: number): Transfer[]
  /**
   * The keys of the transfers that bear each of these hashes on this chain, oldest first; null when they are so many
   * that each hash has to be asked for by itself.
   */
  listKeysSharing(chain: Chain, hashes: readonly string[]): ReadonlyMap<string, readonly string[]> | null
  /** Whether it is the first transfer to its recipient. */
  isFirstTo(transfer: Transfer): boolean
  /** The other half of a transfer with one leg, found by amount and recipient alone: derived anew at each call. */
  joinedByAmount(transfer: Transfer): Transfer | null
  /** Whether the list ever showed a record, as far as the oldest transfers show: the chains alone show some. */
  hasListed(): boolean
  /** When a transfer was last shown, as far as that is newer than what is stored of it; else null. */
  seenAt(key: string): UnixMs | null
  /** The highest block that any record named; a lower bound of the chain's head. */
  highestHeight(chain: Chain): number | null
}

const stateCounts = table('state_counts', { state: transferState, count: int })

/** Anybody can send a recipient dust: what fits one of his withdrawals is looked for among so many. */
const maxOfRecipient = 5_000

/** How many of the oldest transfers are looked at for whether the list shows anything. */
const oldestLooked = 20

export function createLedger(
  db: Database,
  options: {
    readonly tokens: readonly TokenSetting[]
    readonly openIntervalMs: number
    /** What transfers taught of tokens and zone actions; left out, nothing. */
    readonly learned?: Learned
    /** Which legs are asked of second sources by themselves; left out, none is. */
    readonly evidence?: QueueSettings
  },
): Ledger {
  const { openIntervalMs, evidence = null, learned = null } = options
  const resting = createRestingRecords(db)
  const risks: KnownRisks = new Map()
  const tokens = createTokenBook(db, options.tokens)
  const state: LedgerState = { db, tokens, learned, openIntervalMs, evidence, resting }
  const pending = createPendingList(db, (row) => toTransfer(state, row, listEvidence(db, row.group.members)))
  const read = (rows: readonly StoredTransfer[]) => readTransfers(state, rows)
  const readNewer = (answer: readonly EvidenceReading[], now: UnixMs) => {
    if (answer.length > 0) pending.forget()
    return answer.length > 0 ? recordEvidence(state, answer, now) : []
  }
  return {
    recordAnswer(answer, now) {
      if (tokens.learn(answer, now)) pending.forget()
      raiseHeights(db, answer)
      return recordAnswer(state, answer, now)
    },
    recordZoneTransactions: (answer, now) => readNewer(answer.map(toReading), now),
    recordEvidence: readNewer,
    riskOf: (transfer) => evidence?.riskOf?.(transfer) ?? 0,
    getTransfer(key) {
      const row = findRow(db, key)
      return row && (read([row])[0] ?? null)
    },
    listSightings: (key) => listSightings(state, key),
    listTransfers: (filter) => listMatching(db, filter, { tokens: options.tokens, read }),
    pageTransfers: (filter) => pageMatching(db, filter, { tokens: options.tokens, read }),
    listArrived: (filter) => read(listArrived(db, filter)),
    listUnderWay: (window, onAdvance) => listSlicesUnderWay(state, window, onAdvance),
    listPending: (filter) => pending.list(filter),
    countByState: () => countByState(db),
    listDueChecks: (now, turns) =>
      // What second sources say changes nothing of what is at stake.
      listDueChecks(db, now, turns, {
        known: risks,
        of: (row) => evidence?.riskOf?.(toTransfer(state, row, [])) ?? 0,
      }),
    postponeChecks: (keys, now, soughtAt = null) => postponeChecks(state, keys, { now, soughtAt }),
    askAgain(transfer, now) {
      if (evidence) queueAgain(db, evidence, transfer, now)
      const key = parseKey(transfer.key) ?? 0
      askRecordAgain(db, key, now)
      // What the list shows next of it is judged, although it says nothing new.
      forgetResting(resting, key)
    },
    verifyClaimed(transfers, now, how) {
      if (evidence) for (const transfer of transfers) queueClaimed(db, evidence, transfer, now, how)
    },
    queueHistory: (count, now) => queueHistory(state, count, now),
    listUnconfirmed: (records) => listUnconfirmed(db, records),
    listWithoutEvidence: (of, now) => listWithoutEvidence(db, { ...of, askedSince: now - maxPostponeMs }),
    purge: (past) => purgeTransfers(state, past),
    listSharing: (chain, hash, limit) => read(listSharing(db, chain, hash, limit)),
    listKeysSharing: (chain, hashes) => listKeysSharing(db, chain, hashes),
    isFirstTo: (transfer) => isFirstTo(db, transfer),
    joinedByAmount: (transfer) => findJoined(state, transfer),
    seenAt: (key) => restingSeenAt(resting, parseKey(key) ?? -1),
    hasListed: () => hasListed(state),
    highestHeight: (chain) => readMetaNumber(db, `height_${chain}`),
  }
}

function listSightings({ db, resting }: LedgerState, key: string): Sighting[] {
  const row = findRow(db, key)
  const members = row ? withTimes(resting, row).group.members : []
  return members.toSorted((a, b) => a.firstAt - b.firstAt)
}

function countByState(db: Database): Record<TransferState, number> {
  const counts = { pending: 0, completed: 0, failed: 0, unbacked: 0 }
  for (const { state, count } of stateCounts.all(db, 'SELECT state, count FROM state_counts'))
    counts[state] = count
  return counts
}

function postponeChecks(
  { db, openIntervalMs, resting }: LedgerState,
  keys: readonly string[],
  when: { readonly now: UnixMs; readonly soughtAt: UnixMs | null },
): void {
  for (const key of keys) {
    const row = findRow(db, key)
    if (row) postponeCheck(db, withTimes(resting, row), { ...when, openIntervalMs })
  }
}

function listUnconfirmed(db: Database, records: readonly Observation[]): string[] {
  const hashes = records.flatMap((o) => (o.status === 'failed' && o.zoneHash !== null ? [o.zoneHash] : []))
  const sql = `SELECT 1 FROM transfers WHERE ${isHash('zone_hash', '?1')} AND state = 'failed' LIMIT 1`
  return [...new Set(hashes)].filter((hash) => db.prepare(sql).get(hash) === undefined)
}

function isFirstTo(db: Database, { key, targetAddress, originAt }: Transfer): boolean {
  const sql = `SELECT 1 FROM transfers WHERE ${isAddress('target_address', '?1')} AND (origin_at < ?2 OR (origin_at = ?2 AND key < ?3)) LIMIT 1`
  return db.prepare(sql).get(targetAddress, originAt, parseKey(key)) === undefined
}

function findJoined(state: LedgerState, transfer: Transfer): Transfer | null {
  const { main, zone, targetAddress } = transfer
  if ((main === null) === (zone === null) || targetAddress === '') return null
  // A transfer of which one leg alone is known is open, however many others its recipient got.
  const where = `INDEXED BY transfers_open_to WHERE ${isOpenRow} AND ${isAddress('target_address', '?1')} LIMIT ?2`
  const rows = selectTransfers(state.db, where, targetAddress, maxOfRecipient)
  // Beyond the limit there may be others that fit: then none is the only one.
  if (rows.length === maxOfRecipient) return null
  return joinByAmount(transfer, readTransfers(state, rows))
}

function hasListed(state: LedgerState): boolean {
  const oldest = selectTransfers(state.db, 'ORDER BY origin_at LIMIT ?', oldestLooked)
  return readTransfers(state, oldest).some(({ isListed }) => isListed)
}

function toReading(transaction: ZoneTransaction): EvidenceReading {
  const { hash, source, requestedAt, status, errorMessage, height, time, actionType } = transaction
  const said = { status, errorMessage, height, time, actionType }
  return { chain: 'zone', hash, source, requestedAt, moves: null, ...said }
}

function findRow(db: Database, key: string): StoredTransfer | null {
  const number = parseKey(key)
  if (number === null) return null
  const direct = selectTransfers(db, 'WHERE key = ?', number)[0]
  if (direct) return direct
  const alias = int.get(db, 'SELECT transfer_key FROM aliases WHERE key = ?', number)
  return alias === null ? null : findRow(db, formatKey(alias))
}

function raiseHeights(db: Database, answer: readonly Observation[]): void {
  for (const chain of ['main', 'zone'] as const) {
    const heights = answer.map((o) => (chain === 'main' ? o.mainHeight : o.zoneHeight) ?? 0)
    const highest = Math.max(0, ...heights)
    if (highest === 0) continue
    db.prepare(
      `INSERT INTO meta (name, value) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE CAST(value AS INTEGER) < CAST(excluded.value AS INTEGER)`,
    ).run(`height_${chain}`, String(highest))
  }
}
