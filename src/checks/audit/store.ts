import type { Chain, Observation } from '../../bridge/observation.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { nameOfRecord } from '../../ledger/transfers/lacksRecord.ts'
import { newestTime } from './reads.ts'
import { z } from 'zod'
import { toSightings } from '../../ledger/sightings/toSightings.ts'
import { decodeSighting, encodeSighting } from '../../ledger/sightings/sightingCells.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import {
  codec,
  columns,
  instant,
  int,
  json,
  oneOf,
  parseJson,
  type Read,
  table,
  text,
} from '../../store/table.ts'
import { selectTransfers } from '../../ledger/transfers/transferRows.ts'

/**
 * What lacks. `list`: a record that an audit read and the ledger did not hold. `action`: a zone action that means a
 * withdrawal and has no record, before its absence is proven. `zone`, `event`: a transfer that the chains alone show.
 */
const source = oneOf('list', 'action', 'zone', 'event')

const observation = codec({
  type: 'TEXT',
  expected: 'an observation as JSON',
  read: (cell) => (cell === '' ? null : toObservation(parseJson(String(cell)))),
  write: (one: Observation | null) =>
    one === null ? '' : JSON.stringify(toSightings([one]).slice(0, 1).flatMap(encodeSighting)),
})

const lacks = table('audit_lacks', {
  /** A record's identity, or a transfer's key. */
  name: text,
  source,
  /** `suspected` until a re-read, `recorded` while second sources are asked of it, `told` once it is reported. */
  state: oneOf('suspected', 'recorded', 'told'),
  mainHash: text.orNull(),
  zoneHash: text.orNull(),
  mainHeight: int.orNull(),
  zoneHeight: int.orNull(),
  /** When its newest leg happened. */
  time: instant,
  foundAt: instant,
  dueAt: instant.orNull(),
  toldAt: instant.orNull(),
  transferKey: text.orNull(),
  reads: int,
  firstAt: instant.orNull(),
  lastAt: instant.orNull(),
  controlAt: instant.orNull(),
  /** The record or event as it was read; null for a transfer that the ledger holds. */
  observation: observation.from('body'),
})
export type Lack = Read<typeof lacks>

const newLack = {
  state: 'suspected',
  toldAt: null,
  transferKey: null,
  reads: 0,
  firstAt: null,
  lastAt: null,
  controlAt: null,
  observation: null,
} as const

/** A record, or a zone action, that is to be looked at again. */
export function toLack(observation: Observation, source: Lack['source'], now: UnixMs): Lack {
  const { mainHash, zoneHash, mainHeight, zoneHeight } = observation
  return {
    ...newLack,
    name: source === 'action' ? `action ${zoneHash ?? ''}` : nameOfRecord(observation),
    source,
    mainHash,
    zoneHash,
    mainHeight,
    zoneHeight,
    time: newestTime(observation),
    foundAt: now,
    dueAt: now,
    observation,
  }
}

/** A transfer that the chains alone show: it is watched until its record comes. */
export function toUnlistedLack({ key, direction, main, zone, originAt }: Transfer, now: UnixMs): Lack {
  return {
    ...newLack,
    name: key,
    source: direction === 'MainToZone' ? 'event' : 'zone',
    mainHash: main?.hash ?? null,
    zoneHash: zone?.hash ?? null,
    mainHeight: main?.height ?? null,
    zoneHeight: zone?.height ?? null,
    time: originAt,
    foundAt: now,
    dueAt: now,
    transferKey: key,
  }
}

/** More records at once are a list in trouble: what is beyond is found again by the next audit. Nobody finds the others again. */
const maxListLacks = 5_000

/** A new one; one that is known already stays as it is. @returns whether it is new */
export function addLack(db: Database, lack: Lack): boolean {
  if (getLack(db, lack.name) !== null) return false
  const listed = "SELECT count(*) FROM audit_lacks WHERE source = 'list'"
  if (lack.source === 'list' && (int.get(db, listed) ?? 0) >= maxListLacks) return false
  saveLack(db, lack)
  return true
}

export function saveLack(db: Database, lack: Lack): void {
  db.prepare(`INSERT OR REPLACE ${lacks.into}`).run(...lacks.values(lack))
}

function getLack(db: Database, name: string): Lack | null {
  return lacks.get(db, 'SELECT * FROM audit_lacks WHERE name = ?', name)
}

export function dropLack(db: Database, name: string): void {
  db.prepare('DELETE FROM audit_lacks WHERE name = ?').run(name)
}

export function listDueLacks(db: Database, now: UnixMs, limit: number): Lack[] {
  return lacks.all(db, 'SELECT * FROM audit_lacks WHERE due_at <= ? ORDER BY due_at LIMIT ?', now, limit)
}

/** Keys of the transfers that the chains alone show, as far as they are watched. */
export function listUnlistedNames(db: Database): string[] {
  return text.all(db, "SELECT name FROM audit_lacks WHERE source IN ('zone', 'event')")
}

const toldSums = columns({
  source,
  count: int,
  oldestAt: instant,
  toldAt: instant,
  firstMain: int.orNull(),
  lastMain: int.orNull(),
  firstZone: int.orNull(),
  lastZone: int.orNull(),
})

export interface ToldLacks extends Pick<Read<typeof toldSums>, 'source' | 'count' | 'oldestAt' | 'toldAt'> {
  readonly mainHeights: readonly [number, number] | null
  readonly zoneHeights: readonly [number, number] | null
  /** The oldest of them. */
  readonly hashes: readonly string[]
}

const named = 3
/** What is reported as `transfer.unbacked` is not reported a second time. */
const notUnbacked =
  "NOT EXISTS (SELECT 1 FROM alerts a WHERE a.transfer_key = l.transfer_key AND a.kind = 'transfer.unbacked')"

/** What is reported, by source. Reads no more than there is to report. */
export function summarizeTold(db: Database): ToldLacks[] {
  const sums = `SELECT source, count(*) AS count, min(time) AS oldest_at, coalesce(min(told_at), 0) AS told_at,
      min(main_height) AS first_main, max(main_height) AS last_main,
      min(zone_height) AS first_zone, max(zone_height) AS last_zone
    FROM audit_lacks l WHERE state = 'told' AND ${notUnbacked} GROUP BY source`
  const hashes = `SELECT coalesce(zone_hash, main_hash, name) FROM audit_lacks l
    WHERE state = 'told' AND source = ? AND ${notUnbacked} ORDER BY time LIMIT ${named}`
  return toldSums.all(db, sums).map(({ firstMain, lastMain, firstZone, lastZone, ...sum }) => ({
    ...sum,
    mainHeights: toSpan(firstMain, lastMain),
    zoneHeights: toSpan(firstZone, lastZone),
    hashes: text.all(db, hashes, sum.source),
  }))
}

function toSpan(first: number | null, last: number | null): readonly [number, number] | null {
  return first === null || last === null ? null : [first, last]
}

export function readAuditState(db: Database, name: string): unknown {
  return anyJson.get(db, 'SELECT value FROM audit_state WHERE name = ?', name)
}

const anyJson = json(z.unknown())

export function saveAuditState(db: Database, name: string, value: unknown): void {
  db.prepare('INSERT OR REPLACE INTO audit_state (name, value) VALUES (?, ?)').run(
    name,
    JSON.stringify(value),
  )
}

/** What `encodeSighting` wrote. */
function toObservation(cells: unknown): Observation | undefined {
  if (!Array.isArray(cells)) return undefined
  const { firstAt, lastAt: _, twin: __, besides: ___, ...content } = decodeSighting(cells)
  return { ...content, requestedAt: firstAt }
}

const heightColumn = { main: 'main_height', zone: 'zone_height' } as const

/** Where what is reported of the list lies: heights of one chain, or times. */
export function spansOfTold(db: Database, by: Chain | 'time'): { first: number; last: number }[] {
  const column = by === 'time' ? 'time' : heightColumn[by]
  const sql = `SELECT DISTINCT ${column} AS at FROM audit_lacks WHERE state = 'told' AND source = 'list' AND ${column} IS NOT NULL
    ORDER BY at LIMIT 100`
  return int.all(db, sql).map((at) => ({ first: at, last: at }))
}

/** What is reported stands for so long, ms: no audit that comes at once ends it before a tick judged it and its group was sent. */
const standsMs = 600_000

/** A span of the list was read whole since, and nothing in it lacked: what was reported of it is over. */
export function resolveTold(
  db: Database,
  span: { readonly by: Chain | 'time'; readonly first: number; readonly last: number },
  startedAt: UnixMs,
): void {
  const column = span.by === 'time' ? 'time' : heightColumn[span.by]
  db.prepare(
    `DELETE FROM audit_lacks WHERE state = 'told' AND source = 'list' AND told_at < ?
     AND (${column} IS NULL OR ${column} BETWEEN ? AND ?)`,
  ).run(startedAt - standsMs, span.first, span.last)
}

const oldestRead = 50

/** The lowest height that records of the oldest transfers since a time name; null without any. */
export function lowestHeightSince(db: Database, chain: Chain, since: UnixMs): number | null {
  const rows = selectTransfers(db, 'WHERE origin_at >= ? ORDER BY origin_at LIMIT ?', since, oldestRead)
  const heights = rows.flatMap(({ group }) =>
    group.members.flatMap((one) => (chain === 'main' ? one.mainHeight : one.zoneHeight) ?? []),
  )
  return heights.length === 0 ? null : Math.min(...heights)
}
