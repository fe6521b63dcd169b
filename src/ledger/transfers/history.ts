import type { Sighting } from '../sightings/sighting.ts'
import type { LegEvidence } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { hash, indexOfHash, textOfHash } from '../../store/hash.ts'
import { isName } from '../../store/names.ts'
import { int } from '../../store/table.ts'
import { listEvidence } from '../evidence/evidence.ts'
import { isToldOf } from '../evidence/legAnswers.ts'
import { storedColumns, type StoredTransfer, toStored } from './transferRows.ts'

/** Which well transfers have to be looked at all the same; everything else about them says that no rule finds anything. */
export interface HistoryFilter {
  readonly until: UnixMs
  /** What ended before this, and did not change since, is left out. */
  readonly since: UnixMs
  /** Every transfer, whatever it is. */
  readonly all: boolean
  /** Those that took at least so long and were read afterwards; null: none. */
  readonly slowMs: number | null
  readonly outOfOrder: boolean
  readonly batches: boolean
  /** Those of other tokens, or whose record gives its amount in other decimals; null: none. */
  readonly tokens: readonly { readonly address: string; readonly decimals: number }[] | null
  /** Those of which a second source said more than that a leg succeeded. */
  readonly evidence: boolean
  /** Those that share a hash with another one. */
  readonly shared: ReadonlySet<string>
}

/** What is first seen later than this after its newest block was read afterwards. */
const historyMs = 600_000

/** The transfers that a filter does not pass over, one at a time, in the order in which they were first named. */
export function* walkHistory(db: Database, filter: HistoryFilter): Generator<StoredTransfer> {
  const values: (string | number)[] = [filter.until, filter.since, filter.since]
  const where = ["first_seen_at < ? AND (changed_at >= ? OR state = 'pending' OR destination_at >= ?)"]
  if (!filter.all) {
    const plain = listPlain(filter, values)
    where.push(`NOT (${plain.join(' AND ')})`)
  }
  const select = db.prepare(
    `SELECT ${storedColumns} FROM transfers WHERE ${where.join(' AND ')} ORDER BY key`,
  )
  for (const row of select.iterate(...values)) yield toStored(db, row)
}

/** What holds of a transfer that was seen once, whole and well, and that nothing more is to be said of. */
function listPlain(filter: HistoryFilter, values: (string | number)[]): string[] {
  const plain = [
    "state = 'completed' AND first_seen_at = changed_at AND zone_hash IS NOT NULL AND main_hash IS NOT NULL",
    'destination_at IS NOT NULL AND plain IS NOT NULL',
  ]
  if (filter.slowMs !== null) {
    plain.push('NOT (first_seen_at - destination_at > ? AND destination_at - origin_at >= ?)')
    values.push(historyMs, filter.slowMs)
  }
  if (filter.outOfOrder)
    plain.push(
      'destination_at >= origin_at AND destination_at <= first_seen_at AND origin_at < first_seen_at',
    )
  if (filter.tokens !== null) plain.push(plainToken(filter.tokens, values))
  if (filter.batches) plain.push('plain >= 0')
  if (filter.shared.size > 0) {
    plain.push(
      ...['zone_hash', 'main_hash'].map(
        (name) => `${textOfHash(name)} NOT IN (SELECT value FROM json_each(?))`,
      ),
    )
    const hashes = JSON.stringify([...filter.shared])
    values.push(hashes, hashes)
  }
  if (filter.evidence)
    plain.push(...['zone_hash', 'main_hash'].map((name) => `NOT ${isToldOf(`transfers.${name}`)}`))
  return plain
}

/** The token is listed, and the record's two amounts agree on its decimals: what does not is looked at. */
function plainToken(
  tokens: readonly { readonly address: string; readonly decimals: number }[],
  values: (string | number)[],
): string {
  if (tokens.length === 0) return '1'
  const each = tokens.map(({ address, decimals }) => {
    values.push(address.toLowerCase(), address.toLowerCase(), decimals)
    return `(${isName('token', '?')} AND plain = ?)`
  })
  return `(coalesce(${each.join(' OR ')}, 0))`
}

/** How many transfers were known before a time. */
export function countHistory(db: Database, until: UnixMs): number {
  return int.get(db, 'SELECT count(*) FROM transfers WHERE first_seen_at < ?', until) ?? 0
}

/** The number of the transfer that was named last; 0 when there is none. */
export function newestKey(db: Database): number {
  return int.orNull().get(db, 'SELECT max(key) FROM transfers') ?? 0
}

/** Hashes that more than one transfer bears, on either chain. */
export function listSharedHashes(db: Database): Set<string> {
  const of = (column: string) => {
    const index = indexOfHash(column)
    return hash.all(
      db,
      `SELECT ${column} FROM transfers WHERE ${index} IN (
        SELECT ${index} FROM transfers WHERE ${column} IS NOT NULL GROUP BY 1 HAVING count(*) > 1
      ) AND ${column} IS NOT NULL GROUP BY ${column} HAVING count(*) > 1`,
    )
  }
  return new Set([...of('zone_hash'), ...of('main_hash')])
}

/** What is known of every leg that these sightings name. */
export function listEvidenceOf(db: Database, sightings: readonly Sighting[]): LegEvidence[] {
  return listEvidence(db, sightings)
}
