import type { UnixMs } from '../../lib/clock.ts'
import { numberOrNull } from './alertRows.ts'
import type { Database } from '../../store/database.ts'

/** Something about an event that a channel is to hear of when a silence or a mute time ends. */
export interface HeldEvent {
  readonly alertId: number
  readonly channel: string
  readonly what: 'event' | 'correction'
  readonly episode: number
  readonly heldAt: UnixMs
  readonly until: UnixMs
  readonly silenceId: number | null
}

export function holdEvent(db: Database, held: HeldEvent): void {
  db.prepare('INSERT OR REPLACE INTO held_events VALUES (?, ?, ?, ?, ?, ?, ?)').run(
    held.alertId,
    held.channel,
    held.what,
    held.episode,
    held.heldAt,
    held.until,
    held.silenceId,
  )
}

/** Those whose hold is to be looked at again. */
export function listDueHeld(db: Database, now: UnixMs, limit: number): HeldEvent[] {
  return db
    .prepare('SELECT * FROM held_events WHERE until <= ? ORDER BY until, alert_id LIMIT ?')
    .all(now, limit)
    .map((row) => ({
      alertId: Number(row['alert_id']),
      channel: String(row['channel']),
      what: row['what'] === 'correction' ? 'correction' : 'event',
      episode: Number(row['episode']),
      heldAt: Number(row['held_at']),
      until: Number(row['until']),
      silenceId: numberOrNull(row['silence_id']),
    }))
}

export function listHeldChannels(db: Database, alertId: number): string[] {
  return db
    .prepare('SELECT DISTINCT channel FROM held_events WHERE alert_id = ?')
    .all(alertId)
    .map((row) => String(row['channel']))
}

export function releaseHeld(db: Database, held: HeldEvent): void {
  db.prepare('DELETE FROM held_events WHERE alert_id = ? AND channel = ? AND what = ? AND episode = ?').run(
    held.alertId,
    held.channel,
    held.what,
    held.episode,
  )
}

/** Has what a silence holds looked at now. */
export function hastenHeld(db: Database, silenceId: number, now: UnixMs): void {
  db.prepare('UPDATE held_events SET until = ? WHERE silence_id = ?').run(now, silenceId)
}

export function nextHeldDue(db: Database): UnixMs | null {
  return numberOrNull(db.prepare('SELECT MIN(until) AS at FROM held_events').get()?.['at'])
}

/** Two alerts became one: what was held of the one is not told of the other twice. */
export function moveHeld(db: Database, fromAlertId: number, toAlertId: number): void {
  db.prepare('UPDATE OR IGNORE held_events SET alert_id = ?2 WHERE alert_id = ?1').run(fromAlertId, toAlertId)
  db.prepare('DELETE FROM held_events WHERE alert_id = ?').run(fromAlertId)
}

export function countHeld(db: Database): number {
  return Number(db.prepare('SELECT COUNT(*) AS count FROM held_events').get()?.['count'])
}
