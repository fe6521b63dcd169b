import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { instant, int, oneOf, type Read, table, text } from '../../store/table.ts'

const heldEvents = table('held_events', {
  alertId: int,
  channel: text,
  what: oneOf('event', 'correction').orElse('event'),
  episode: int,
  heldAt: instant,
  until: instant,
  silenceId: int.orNull(),
})
/** Something about an event that is to be sent to a channel when a silence or a mute time ends. */
export type HeldEvent = Read<typeof heldEvents>

export function holdEvent(db: Database, held: HeldEvent): void {
  db.prepare(`INSERT OR REPLACE ${heldEvents.into}`).run(...heldEvents.values(held))
}

/** Those whose hold is to be looked at again. */
export function listDueHeld(db: Database, now: UnixMs, limit: number): HeldEvent[] {
  const sql = 'SELECT * FROM held_events WHERE until <= ? ORDER BY until, alert_id LIMIT ?'
  return heldEvents.all(db, sql, now, limit)
}

export function listHeldChannels(db: Database, alertId: number): string[] {
  return text.all(db, 'SELECT DISTINCT channel FROM held_events WHERE alert_id = ?', alertId)
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

/**
 * At start: has what a mute time holds looked at now, since it may be no more. Whether that holds a correction, or the
 * correction has to stand first, is not kept: it is looked at no sooner than it may have stood.
 */
export function resumeHeld(db: Database, longestSettleMs: number, now: UnixMs): void {
  db.prepare(
    `UPDATE held_events SET until = CASE what WHEN 'correction' THEN MIN(until, MIN(held_at, ?1) + ?2) ELSE ?1 END
      WHERE silence_id IS NULL`,
  ).run(now, longestSettleMs)
}

export function nextHeldDue(db: Database): UnixMs | null {
  return instant.orNull().get(db, 'SELECT MIN(until) FROM held_events')
}

/** Two alerts became one: what was held of the one is not sent a second time for the other. */
export function moveHeld(db: Database, fromAlertId: number, toAlertId: number): void {
  db.prepare('UPDATE OR IGNORE held_events SET alert_id = ?2 WHERE alert_id = ?1').run(fromAlertId, toAlertId)
  db.prepare('DELETE FROM held_events WHERE alert_id = ?').run(fromAlertId)
}

export function countHeld(db: Database): number {
  return int.get(db, 'SELECT COUNT(*) FROM held_events') ?? 0
}
