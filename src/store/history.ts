import type { Chain, Direction } from '../domain/observation.ts'
import type { Sighting } from '../domain/sighting.ts'
import type { LegEvidence, TransferState } from '../domain/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from './database.ts'
import { listEvidence } from './evidence.ts'
import { selectTransfers, type StoredTransfer, toStored } from './transferRows.ts'

/** A transfer's row, its sightings still as text: most rows are passed over by what stands in the columns. */
export interface HistoryRow {
  readonly key: number
  readonly state: TransferState
  readonly direction: Direction
  readonly token: string
  readonly originAt: UnixMs
  readonly destinationAt: UnixMs | null
  readonly firstSeenAt: UnixMs
  readonly changedAt: UnixMs
  readonly zoneHash: string | null
  readonly mainHash: string | null
  readonly body: string
}

const columns =
  'key, state, direction, token, origin_at, destination_at, first_seen_at, changed_at, zone_hash, main_hash, body'

/** Every transfer that was known before `until`, one at a time, in the order in which they were first named. */
export function* walkHistory(db: Database, until: UnixMs): Generator<HistoryRow> {
  const select = db.prepare(`SELECT ${columns} FROM transfers WHERE first_seen_at < ? ORDER BY key`)
  for (const row of select.iterate(until)) {
    yield {
      key: Number(row['key']),
      // Written by transferRows.ts.
      state: row['state'] as TransferState,
      direction: row['direction'] as Direction,
      token: row['token'] as string,
      originAt: row['origin_at'] as number,
      destinationAt: row['destination_at'] as number | null,
      firstSeenAt: row['first_seen_at'] as number,
      changedAt: row['changed_at'] as number,
      zoneHash: row['zone_hash'] as string | null,
      mainHash: row['main_hash'] as string | null,
      body: row['body'] as string,
    }
  }
}

/** A row's transfer as it is stored. */
export function openHistoryRow({ key, body }: HistoryRow): StoredTransfer {
  return toStored({ key, check_at: null, body })
}

/** Hashes that more than one transfer bears, on either chain. */
export function listSharedHashes(db: Database): Set<string> {
  const of = (column: string) =>
    db
      .prepare(
        `SELECT ${column} AS hash FROM transfers WHERE ${column} IS NOT NULL GROUP BY ${column} HAVING count(*) > 1`,
      )
      .all()
      .map((row) => String(row['hash']))
  return new Set([...of('zone_hash'), ...of('main_hash')])
}

/** Whether any second source was ever asked; without, no leg has to be looked up. */
export function hasEvidence(db: Database): boolean {
  return db.prepare('SELECT 1 FROM leg_evidence LIMIT 1').get() !== undefined
}

/** Whether a second source said more of this leg than that it succeeded: another status, or what moved. */
export function isLegDoubted(db: Database, hash: string): boolean {
  const sql = `SELECT 1 FROM leg_evidence WHERE hash = ? AND (status <> 'success' OR instr(body, '"moves"') OR instr(body, '"amount')) LIMIT 1`
  return db.prepare(sql).get(hash) !== undefined
}

/** What is known of every leg that these sightings name. */
export function listEvidenceOf(db: Database, sightings: readonly Sighting[]): LegEvidence[] {
  return listEvidence(db, sightings)
}

export function listStoredSharing(db: Database, chain: Chain, hash: string, limit: number): StoredTransfer[] {
  const column = chain === 'main' ? 'main_hash' : 'zone_hash'
  return selectTransfers(db, `WHERE ${column} = ? ORDER BY key LIMIT ?`, hash, limit)
}
