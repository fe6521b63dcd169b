import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { instant, int, type Read, table, text } from '../../store/table.ts'

const written = table('stage_events', {
  contract: text,
  hash: text,
  place: text,
  stage: text,
  height: int,
  at: instant,
  /** The transfer that it is about; '' for none. */
  name: text,
  /** Up to where a proposal covers the zone, or from where one was removed. */
  zoneHeight: int.orNull(),
})
const stored = table('stage_events', { id: int, ...written.shape })
/** What a contract said of a stage. */
export type StageEvent = Read<typeof written>
export type StoredStageEvent = Read<typeof stored>

/** Inside a commit. What is known already, under whatever place, changes nothing. */
export function saveStageEvents(db: Database, events: readonly StageEvent[]): void {
  for (const event of events) db.prepare(`INSERT OR IGNORE ${written.into}`).run(...written.values(event))
}

const ofTransaction = 'FROM stage_events WHERE contract = ? AND hash = ?'

export function hasStageEvents(db: Database, contract: string, hash: string): boolean {
  return db.prepare(`SELECT 1 ${ofTransaction} LIMIT 1`).get(contract, hash) !== undefined
}

/** Inside a commit: what a contract said in a transaction that is in no block. @returns whether it said something */
export function dropStageEvents(db: Database, contract: string, hash: string): boolean {
  return db.prepare(`DELETE ${ofTransaction}`).run(contract, hash).changes > 0
}

/** Those that were saved after one, oldest first. */
export function listStageEvents(db: Database, afterId: number): StoredStageEvent[] {
  return stored.all(db, 'SELECT * FROM stage_events WHERE id > ? ORDER BY id', afterId)
}

/** Proposals and removals, oldest first. */
export function listProposals(db: Database): StoredStageEvent[] {
  return stored.all(db, "SELECT * FROM stage_events WHERE name = '' ORDER BY id")
}

/** What is said of one transfer by its name, up to an event, oldest first. */
export function listStagesOf(db: Database, name: string, uptoId: number): StoredStageEvent[] {
  const sql = "SELECT * FROM stage_events WHERE name = ? AND name <> '' AND id <= ? ORDER BY id"
  return stored.all(db, sql, name, uptoId)
}

export function newestStageId(db: Database): number {
  return int.orNull().get(db, 'SELECT max(id) FROM stage_events') ?? 0
}

/** Never the newest: the next one would get its number, and those are taken in by their number. */
export function purgeStageEvents(db: Database, before: UnixMs, limit: number): void {
  db.prepare(
    `DELETE FROM stage_events WHERE id IN (SELECT id FROM stage_events WHERE at < ? ORDER BY at LIMIT ?)
      AND id < (SELECT max(id) FROM stage_events)`,
  ).run(before, limit)
}
