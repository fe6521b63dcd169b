import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, int, type Read, text } from '../../store/table.ts'

export interface ReroutedScope {
  readonly channel: string
  /** Everything unsent of the channel, only what could not be sent in time, or the items of one message. */
  readonly scope: 'all' | 'expired' | { readonly deliveryId: number }
  readonly fallback: string
}

/**
 * Copies unsent items to the fallback channel, each once; what was or will be sent to that channel anyway is left out. A
 * reminder of what it was not told of is told to it as what it is: it fires.
 */
export function copyToFallback(db: Database, rerouted: ReroutedScope, now: UnixMs): number {
  const { channel, scope, fallback } = rerouted
  const where =
    "channel = ?1 AND rerouted = 0 AND state = 'queued' AND (?2 IS NULL OR delivery_id = ?2)" +
    ' AND (?3 IS NULL OR (delivery_id IS NULL AND expires_at <= ?3))'
  const deliveryId = typeof scope === 'object' ? scope.deliveryId : null
  const expiredBy = scope === 'expired' ? now : null
  const { changes } = db
    .prepare(
      `INSERT INTO outbox (alert_id, channel, episode, what, group_key, critical, created_at, not_before, expires_at, case_id, state,
        rerouted) SELECT o.alert_id, ?4, o.episode, ${asToldTo('?4')}, o.group_key, o.critical, ?5, ?5,
        ?5 + MAX(o.expires_at - o.created_at, 3600000), o.case_id, 'queued', 0
        FROM outbox o WHERE ${where} AND o.what <> 'case' AND NOT EXISTS (SELECT 1 FROM outbox f WHERE f.alert_id = o.alert_id
          AND f.channel = ?4 AND f.episode = o.episode AND f.what = o.what AND f.state <> 'dead') ORDER BY o.id`,
    )
    .run(channel, deliveryId, expiredBy, fallback, now)
  db.prepare(`UPDATE outbox SET rerouted = 1 WHERE ${where}`).run(channel, deliveryId, expiredBy)
  return Number(changes)
}

const asToldTo = (channel: string) =>
  `CASE WHEN o.what = 'repeat' AND NOT EXISTS (SELECT 1 FROM outbox t WHERE t.alert_id = o.alert_id AND t.channel = ${channel}
    AND t.episode = o.episode AND t.what IN ('firing', 'joined') AND t.state <> 'dead') THEN 'firing' ELSE o.what END`

/** What is unsent is not given up before a time. */
export function extendExpiry(db: Database, until: UnixMs): void {
  db.prepare("UPDATE outbox SET expires_at = ?1 WHERE state = 'queued' AND expires_at < ?1").run(until)
  db.prepare('UPDATE deliveries SET expires_at = ?1 WHERE expires_at < ?1').run(until)
}

/** Channels with items that could not be sent for too long. */
export function listExpiring(db: Database, now: UnixMs): string[] {
  const sql =
    "SELECT DISTINCT channel FROM outbox WHERE state = 'queued' AND delivery_id IS NULL AND expires_at <= ?"
  return text.all(db, sql, now)
}

const expiringGroups = columns({ groupKey: text, channel: text })

/** The groups of those items. */
export function listExpiringGroups(db: Database, now: UnixMs): Read<typeof expiringGroups>[] {
  const sql = `SELECT DISTINCT group_key, channel FROM outbox
    WHERE state = 'queued' AND delivery_id IS NULL AND expires_at <= ? AND group_key IS NOT NULL`
  return expiringGroups.all(db, sql, now)
}

const expiredCounts = columns({ channel: text, count: int })

/** Items that could not be sent for too long. */
export function expireItems(db: Database, now: UnixMs): Read<typeof expiredCounts>[] {
  const where = "state = 'queued' AND delivery_id IS NULL AND expires_at <= ?"
  const sql = `SELECT channel, COUNT(*) AS count FROM outbox WHERE ${where} GROUP BY channel`
  const expired = expiredCounts.all(db, sql, now)
  if (expired.length > 0)
    db.prepare(`UPDATE outbox SET state = 'dead', sent_at = ?1 WHERE ${where}1`).run(now)
  return expired
}
