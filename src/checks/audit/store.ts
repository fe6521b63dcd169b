import type { Chain, Observation } from '../../bridge/observation.ts'
import { decodeSighting, encodeSighting, type Sighting, toSightings } from '../../ledger/sighting.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { selectTransfers } from '../../ledger/transferRows.ts'

/**
 * What lacks. `list`: a record that an audit read and the ledger did not hold. `action`: a zone action that means a
 * withdrawal and has no record, before its absence is proven. `zone`, `event`: a transfer that the chains alone tell of.
 */
type LackSource = 'list' | 'action' | 'zone' | 'event'

/** `suspected` until a re-read, `recorded` while second sources are asked of it, `told` at last. */
type LackState = 'suspected' | 'recorded' | 'told'

export interface Lack {
  /** A record's identity, or a transfer's key. */
  readonly name: string
  readonly source: LackSource
  readonly state: LackState
  readonly mainHash: string | null
  readonly zoneHash: string | null
  readonly mainHeight: number | null
  readonly zoneHeight: number | null
  /** When its newest leg happened. */
  readonly time: UnixMs
  readonly foundAt: UnixMs
  readonly dueAt: UnixMs | null
  readonly toldAt: UnixMs | null
  readonly transferKey: string | null
  readonly reads: number
  readonly firstAt: UnixMs | null
  readonly lastAt: UnixMs | null
  readonly controlAt: UnixMs | null
  /** The record or event as it was read; null for a transfer that the ledger holds. */
  readonly observation: Observation | null
}

/** More at once is a list in trouble: what is beyond is found again by the next audit. */
const maxLacks = 5_000

const columns =
  'name, source, state, main_hash, zone_hash, main_height, zone_height, time, found_at, due_at, told_at, transfer_key, reads, first_at, last_at, control_at, body'
const upsert = `INSERT OR REPLACE INTO audit_lacks (${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})`

/** A new one; one that is known already stays as it is. @returns whether it is new */
export function addLack(db: Database, lack: Lack): boolean {
  if (getLack(db, lack.name) !== null) return false
  if (Number(db.prepare('SELECT count(*) AS n FROM audit_lacks').get()?.['n']) >= maxLacks) return false
  saveLack(db, lack)
  return true
}

export function saveLack(db: Database, lack: Lack): void {
  db.prepare(upsert).run(
    lack.name,
    lack.source,
    lack.state,
    lack.mainHash,
    lack.zoneHash,
    lack.mainHeight,
    lack.zoneHeight,
    lack.time,
    lack.foundAt,
    lack.dueAt,
    lack.toldAt,
    lack.transferKey,
    lack.reads,
    lack.firstAt,
    lack.lastAt,
    lack.controlAt,
    lack.observation === null
      ? ''
      : JSON.stringify(encodeSighting(toSightings([lack.observation])[0] as Sighting)),
  )
}

function getLack(db: Database, name: string): Lack | null {
  const row = db.prepare('SELECT * FROM audit_lacks WHERE name = ?').get(name)
  return row ? toLack(row) : null
}

export function dropLack(db: Database, name: string): void {
  db.prepare('DELETE FROM audit_lacks WHERE name = ?').run(name)
}

export function listDueLacks(db: Database, now: UnixMs, limit: number): Lack[] {
  return db
    .prepare('SELECT * FROM audit_lacks WHERE due_at <= ? ORDER BY due_at LIMIT ?')
    .all(now, limit)
    .map(toLack)
}

/** Keys of the transfers that the chains alone tell of, as far as they are looked after. */
export function listUnlistedNames(db: Database): string[] {
  return db
    .prepare("SELECT name FROM audit_lacks WHERE source IN ('zone', 'event')")
    .all()
    .map((row) => String(row['name']))
}

export interface ToldLacks {
  readonly source: LackSource
  readonly count: number
  readonly oldestAt: UnixMs
  readonly toldAt: UnixMs
  readonly mainHeights: readonly [number, number] | null
  readonly zoneHeights: readonly [number, number] | null
  /** The oldest of them. */
  readonly hashes: readonly string[]
}

const named = 3
/** What is told as `transfer.unbacked` is not told a second time. */
const notUnbacked =
  "NOT EXISTS (SELECT 1 FROM alerts a WHERE a.transfer_key = l.transfer_key AND a.kind = 'transfer.unbacked')"

/** What is told, by source. Reads no more than there is to tell. */
export function summarizeTold(db: Database): ToldLacks[] {
  return db
    .prepare(
      `SELECT source, count(*) AS n, min(time) AS oldest, min(told_at) AS told, min(main_height) AS m0, max(main_height) AS m1,
         min(zone_height) AS z0, max(zone_height) AS z1
       FROM audit_lacks l WHERE state = 'told' AND ${notUnbacked} GROUP BY source`,
    )
    .all()
    .map((row) => {
      // Written by saveLack.
      const source = String(row['source']) as LackSource
      return {
        source,
        count: Number(row['n']),
        oldestAt: Number(row['oldest']),
        toldAt: Number(row['told']),
        mainHeights: toSpan(row['m0'], row['m1']),
        zoneHeights: toSpan(row['z0'], row['z1']),
        hashes: db
          .prepare(
            `SELECT coalesce(zone_hash, main_hash) AS hash FROM audit_lacks l
             WHERE state = 'told' AND source = ? AND ${notUnbacked} ORDER BY time LIMIT ${named}`,
          )
          .all(source)
          .map((one) => String(one['hash'])),
      }
    })
}

function toSpan(first: unknown, last: unknown): readonly [number, number] | null {
  return first === null || last === null ? null : [Number(first), Number(last)]
}

export function readAuditState(db: Database, name: string): unknown {
  const row = db.prepare('SELECT value FROM audit_state WHERE name = ?').get(name)
  return row ? (JSON.parse(String(row['value'])) as unknown) : null
}

export function saveAuditState(db: Database, name: string, value: unknown): void {
  db.prepare('INSERT OR REPLACE INTO audit_state (name, value) VALUES (?, ?)').run(
    name,
    JSON.stringify(value),
  )
}

function toLack(row: Record<string, unknown>): Lack {
  const number = (name: string) => (row[name] === null ? null : Number(row[name]))
  const text = (name: string) => {
    const value = row[name]
    return typeof value === 'string' ? value : null
  }
  const body = String(row['body'])
  return {
    name: String(row['name']),
    // Written by saveLack.
    source: String(row['source']) as LackSource,
    state: String(row['state']) as LackState,
    mainHash: text('main_hash'),
    zoneHash: text('zone_hash'),
    mainHeight: number('main_height'),
    zoneHeight: number('zone_height'),
    time: Number(row['time']),
    foundAt: Number(row['found_at']),
    dueAt: number('due_at'),
    toldAt: number('told_at'),
    transferKey: text('transfer_key'),
    reads: Number(row['reads']),
    firstAt: number('first_at'),
    lastAt: number('last_at'),
    controlAt: number('control_at'),
    observation: body === '' ? null : toObservation(body),
  }
}

function toObservation(body: string): Observation {
  const {
    firstAt,
    lastAt: _,
    twin: __,
    besides: ___,
    ...content
  } = decodeSighting(
    // Written by saveLack.
    JSON.parse(body) as Parameters<typeof decodeSighting>[0],
  )
  return { ...content, requestedAt: firstAt }
}

const heightColumn = { main: 'main_height', zone: 'zone_height' } as const

/** Where what is told of the list lies: heights of one chain, or times. */
export function spansOfTold(db: Database, by: Chain | 'time'): { first: number; last: number }[] {
  const column = by === 'time' ? 'time' : heightColumn[by]
  return db
    .prepare(
      `SELECT DISTINCT ${column} AS at FROM audit_lacks WHERE state = 'told' AND source = 'list' AND ${column} IS NOT NULL
       ORDER BY at LIMIT 100`,
    )
    .all()
    .map((row) => ({ first: Number(row['at']), last: Number(row['at']) }))
}

/** A span of the list was read whole since, and nothing in it lacked: what was told of it is over. */
export function resolveTold(
  db: Database,
  span: { readonly by: Chain | 'time'; readonly first: number; readonly last: number },
  startedAt: UnixMs,
): void {
  const column = span.by === 'time' ? 'time' : heightColumn[span.by]
  db.prepare(
    `DELETE FROM audit_lacks WHERE state = 'told' AND source = 'list' AND told_at < ?
     AND (${column} IS NULL OR ${column} BETWEEN ? AND ?)`,
  ).run(startedAt, span.first, span.last)
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
