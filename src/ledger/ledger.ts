import type { UnixMs } from '../lib/clock.ts'
import type { Chain, Direction, Observation, ZoneTransaction } from '../bridge/observation.ts'
import { joinByAmount } from './joinByAmount.ts'
import type { Group, Sighting } from './sighting.ts'
import type { Transfer, TransferState } from '../bridge/transfer.ts'
import { transferState } from '../store/bridgeCodecs.ts'
import type { Database } from '../store/database.ts'
import { readMetaNumber } from '../store/meta.ts'
import { int, table, text } from '../store/table.ts'
import { askRecordAgain } from './disputes.ts'
import { type DueCheck, listDueChecks, maxPostponeMs, postponeCheck } from './dueChecks.ts'
import { deleteEvidence, type EvidenceReading, openEvidence, saveEvidence } from './evidence.ts'
import { dropQueuedHash, queueAgain, queueClaimed, type QueueSettings, queueLegs } from './evidenceQueue.ts'
import { createPendingList } from './pendingList.ts'
import {
  type RecordContext,
  type RecordResult,
  recordAnswer,
  refreshTransfer,
  type TransferChange,
  toTransfer,
} from './recordAnswer.ts'
import { listSlicesUnderWay } from './slicesUnderWay.ts'
import { listMatching, type TransferFilter } from './transferFilter.ts'
import { createRestingRecords } from './restingRecords.ts'
import { createTokenBook, type TokenSetting } from './tokenBook.ts'
import {
  byHash,
  forgetTransfer,
  formatKey,
  isOpenRow,
  listKeysSharing,
  parseKey,
  selectTransfers,
  type StoredTransfer,
} from './transferRows.ts'

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
  listTransfers(filter: TransferFilter): Transfer[]
  /** A transfer's sightings, oldest first: what was said of it, by which list, from when to when. */
  listSightings(key: string): readonly Sighting[]
  /** Slices of the transfers that were under way at some time of a window, each transfer once. */
  listUnderWay(window: { readonly from: UnixMs; readonly until: UnixMs }): Iterable<readonly Transfer[]>
  /** Transfers without a destination leg, oldest first. */
  listPending(filter: { direction: Direction | null; originAtOrBefore: UnixMs }): Iterable<Transfer>
  countByState(): Readonly<Record<TransferState, number>>
  /** Transfers that want to be read by hash, most urgent first. */
  listDueChecks(now: UnixMs, limit: number): DueCheck[]
  /** These were asked for and the answer did not hold them, or could not be had: ask again later, ever more rarely. */
  postponeChecks(keys: readonly string[], now: UnixMs, soughtAt?: UnixMs | null): void
  /** What was said of a transfer may be otherwise by now: has its record and its legs asked for again. */
  askAgain(transfer: Transfer, now: UnixMs): void
  /** Another transfer claims the origin of these: have what they brought verified, however long ago. */
  verifyClaimed(transfers: readonly Transfer[], now: UnixMs): void
  /** Zone hashes of records that are failed here and not in the ledger. */
  listUnconfirmed(records: readonly Observation[]): string[]
  /** Zone hashes of failed transfers since `since` that E9 said nothing of, and was not asked of for a while. */
  listWithoutEvidence(since: UnixMs, now: UnixMs, limit: number): string[]
  /** Forgets ended transfers whose value left before `before`, with their alerts, at most `limit`. @returns how many */
  purge(before: UnixMs, limit: number): number
  /** Transfers that bear a hash on this chain, oldest first, at most `limit`. */
  listSharing(chain: Chain, hash: string, limit: number): Transfer[]
  /**
   * The keys of the transfers that bear each of these hashes on this chain, oldest first; null when they are so many
   * that each hash has to be asked for by itself.
   */
  listKeysSharing(chain: Chain, hashes: readonly string[]): ReadonlyMap<string, readonly string[]> | null
  /** Whether it is the first transfer to its recipient. */
  isFirstTo(transfer: Transfer): boolean
  /** The other half of a transfer with one leg, told by amount and recipient alone: derived anew at each call. */
  joinedByAmount(transfer: Transfer): Transfer | null
  /** Whether the list ever showed a record, as far as the oldest transfers tell: the chains alone tell of some. */
  hasListed(): boolean
  /** When a transfer was last shown, as far as that is newer than what is stored of it; else null. */
  seenAt(key: string): UnixMs | null
  /** The highest block that any record named; a lower bound of the chain's head. */
  highestHeight(chain: Chain): number | null
}

const stateCounts = table('state_counts', { state: transferState, count: int })

const maxOfRecipient = 500
/** So many of the oldest transfers tell whether the list shows anything. */
const oldestLooked = 20

export function createLedger(
  db: Database,
  options: {
    readonly tokens: readonly TokenSetting[]
    readonly openIntervalMs: number
    /** Where movements of a record's token bear another address; left out, none do. */
    readonly movesAs?: (token: string) => string | null
    /** Whether a type of zone action means a withdrawal; left out, none does. */
    readonly meansWithdrawal?: (actionType: string) => boolean
    /** Which legs are asked of second sources by themselves; left out, none is. */
    readonly evidence?: QueueSettings
  },
): Ledger {
  const tokens = createTokenBook(db, options.tokens)
  const shared = {
    openIntervalMs: options.openIntervalMs,
    lookupToken(address: string) {
      const movedAs = options.movesAs?.(address) ?? null
      return { ...tokens.find(address), ...(movedAs !== null && { movedAs }) }
    },
    ...(options.meansWithdrawal && { meansWithdrawal: options.meansWithdrawal }),
    openEvidence: (sightings: readonly Sighting[]) => openEvidence(db, sightings),
    isSharedUnasked: (group: Group, transfer: Transfer) => isSharedUnasked(db, group, transfer),
    onChange: (before: Transfer | null, after: Transfer, now: UnixMs) => {
      if (options.evidence) queueLegs(db, options.evidence, { before, after }, now)
    },
  }
  // What second sources say changes nothing of what is at stake.
  const bare = { ...shared, openEvidence: () => () => [] }
  const resting = createRestingRecords(db)
  const pending = createPendingList(db, (row) => toTransfer(row, shared))
  const contextAt = (now: UnixMs): RecordContext => ({ ...shared, resting, now })
  const read = (row: StoredTransfer) => toTransfer(resting.withTimes(row), shared)
  const find = (key: string) => {
    const row = findRow(db, key)
    return row && resting.withTimes(row)
  }

  function recordEvidence(answer: readonly EvidenceReading[], now: UnixMs): TransferChange[] {
    if (answer.length > 0) pending.forget()
    return answer.flatMap((reading) => {
      const { hash } = reading
      const rows = selectTransfers(db, byHash, hash, hash, hash)
      const before = rows.map(read)
      // What a replaced payout is proven by has to be newer than the record that replaced it: then the time is news.
      const isOfReplaced = before.some(({ rewrites }) => rewrites.length > 0)
      if (!saveEvidence(db, reading) && !isOfReplaced) return []
      return rows.map((row, index) =>
        refreshTransfer(db, resting.withTimes(row), before[index] as Transfer, contextAt(now)),
      )
    })
  }

  return {
    recordAnswer(answer, now) {
      if (tokens.learn(answer, now)) pending.forget()
      raiseHeights(db, answer)
      return recordAnswer(db, answer, contextAt(now))
    },
    recordZoneTransactions: (answer, now) => recordEvidence(answer.map(toReading), now),
    recordEvidence,
    riskOf: (transfer) => options.evidence?.riskOf?.(transfer) ?? 0,
    getTransfer(key) {
      const row = find(key)
      return row ? read(row) : null
    },
    listSightings: (key) => [...(find(key)?.group.members ?? [])].sort((a, b) => a.firstAt - b.firstAt),
    listTransfers: (filter) => listMatching(db, filter).map(read),
    *listUnderWay(window) {
      for (const slice of listSlicesUnderWay(db, window)) yield slice.map(read)
    },
    listPending: (filter) => pending.list(filter),
    countByState() {
      const counts = { pending: 0, completed: 0, failed: 0, unbacked: 0 }
      for (const { state, count } of stateCounts.all(db, 'SELECT state, count FROM state_counts'))
        counts[state] = count
      return counts
    },
    listDueChecks: (now, limit) =>
      listDueChecks(db, now, limit, (row) => options.evidence?.riskOf?.(toTransfer(row, bare)) ?? 0),
    postponeChecks(keys, now, soughtAt = null) {
      for (const key of keys) {
        const row = find(key)
        if (row) postponeCheck(db, row, { now, soughtAt, openIntervalMs: options.openIntervalMs })
      }
    },
    askAgain(transfer, now) {
      if (options.evidence) queueAgain(db, options.evidence, transfer, now)
      askRecordAgain(db, parseKey(transfer.key) ?? 0, now)
    },
    verifyClaimed(transfers, now) {
      const settings = options.evidence
      if (settings) for (const transfer of transfers) queueClaimed(db, settings, transfer, now)
    },
    listUnconfirmed: (records) => {
      const hashes = records.flatMap((o) =>
        o.status === 'failed' && o.zoneHash !== null ? [o.zoneHash] : [],
      )
      const sql = "SELECT 1 FROM transfers WHERE zone_hash = ? AND state = 'failed' LIMIT 1"
      return [...new Set(hashes)].filter((hash) => db.prepare(sql).get(hash) === undefined)
    },
    listWithoutEvidence: (since, now, limit) =>
      text.all(
        db,
        `SELECT DISTINCT zone_hash FROM transfers INDEXED BY transfers_open
         WHERE ${isOpenRow} AND state = 'failed' AND origin_at >= ? AND zone_hash IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM leg_evidence e WHERE e.hash = zone_hash AND e.chain = 'zone' AND (e.status <> 'unknown' OR e.requested_at > ?))
         LIMIT ?`,
        since,
        now - maxPostponeMs,
        limit,
      ),
    purge(before, limit) {
      const sql = `SELECT key FROM transfers WHERE origin_at < ? AND state IN ('completed', 'failed') ORDER BY origin_at LIMIT ?`
      const keys = int.all(db, sql, before, limit)
      for (const key of keys) {
        forgetEvidence(db, key)
        forgetTransfer(db, key)
        resting.forget(key)
        db.prepare('DELETE FROM aliases WHERE transfer_key = ?').run(key)
        db.prepare('DELETE FROM alerts WHERE transfer_key = ?').run(formatKey(key))
      }
      return keys.length
    },
    listSharing: (chain, hash, limit) => {
      const column = chain === 'main' ? 'main_hash' : 'zone_hash'
      return selectTransfers(db, `WHERE ${column} = ? ORDER BY key LIMIT ?`, hash, limit).map(read)
    },
    listKeysSharing: (chain, hashes) => listKeysSharing(db, chain, hashes),
    isFirstTo: ({ key, targetAddress, originAt }) =>
      db
        .prepare(
          `SELECT 1 FROM transfers WHERE target_address = ?1 AND (origin_at < ?2 OR (origin_at = ?2 AND key < ?3)) LIMIT 1`,
        )
        .get(targetAddress, originAt, parseKey(key)) === undefined,
    joinedByAmount(transfer) {
      if ((transfer.main === null) === (transfer.zone === null) || transfer.targetAddress === '') return null
      const rows = selectTransfers(
        db,
        'WHERE target_address = ? ORDER BY origin_at DESC LIMIT ?',
        transfer.targetAddress,
        maxOfRecipient,
      )
      // Beyond the limit there may be others that fit: then none is the only one.
      return rows.length === maxOfRecipient ? null : joinByAmount(transfer, rows.map(read))
    },
    seenAt: (key) => resting.seenAt(parseKey(key) ?? -1),
    hasListed: () =>
      selectTransfers(db, 'ORDER BY origin_at LIMIT ?', oldestLooked)
        .map(read)
        .some(({ isListed }) => isListed),
    highestHeight: (chain) => readMetaNumber(db, `height_${chain}`),
  }
}

function toReading(transaction: ZoneTransaction): EvidenceReading {
  const { hash, source, requestedAt, status, errorMessage, height, time, actionType } = transaction
  const said = { status, errorMessage, height, time, actionType }
  return { chain: 'zone', hash, source, requestedAt, moves: null, ...said }
}

/** A leg that transfers share keeps its evidence until the last of them goes. */
function forgetEvidence(db: Database, key: number): void {
  for (const row of selectTransfers(db, 'WHERE key = ?', key)) {
    const hashes = new Set(
      row.group.members.flatMap((one) => [one.zoneHash ?? [], one.mainHash ?? []].flat()),
    )
    for (const hash of hashes) {
      if (selectTransfers(db, `${byHash} AND key <> ? LIMIT 1`, hash, hash, hash, key).length > 0) continue
      deleteEvidence(db, hash)
      dropQueuedHash(db, hash)
    }
  }
}

function isSharedUnasked(db: Database, group: Group, { key, direction, zone }: Transfer): boolean {
  if (direction !== 'ZoneToMain' || zone === null) return false
  if (group.members.some(({ source }) => source === 'E12')) return false
  const sql = 'SELECT 1 FROM transfers WHERE zone_hash = ? AND key <> ? LIMIT 1'
  return db.prepare(sql).get(zone.hash, parseKey(key)) !== undefined
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
