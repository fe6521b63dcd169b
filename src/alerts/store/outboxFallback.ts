import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, int, type Read, text } from '../../store/table.ts'

export interface ReroutedScope {
  readonly channel: string
  /** Everything unsent of the channel, only what could not be sent in time, or the items of one message. */
  readonly scope: 'all' | 'expired' | { readonly deliveryId: number }
  readonly fallback: string
}

/** The condition that an item is about is not what it was then: it has ended. */
const isOver = "(a.nature = 'condition' AND (a.episode > o.episode OR a.state IN ('resolved', 'inactive')))"

const wasTold = `EXISTS (SELECT 1 FROM outbox t WHERE t.alert_id = o.alert_id AND t.channel = ?4
  AND t.episode = o.episode AND t.what IN ('firing', 'joined') AND t.state <> 'dead')`

/** What the fallback is told in the place of an item: a reminder of what it was not told of says that it fires. */
const toldAs = `CASE WHEN ${isOver} AND o.what IN ('firing', 'joined') THEN 'both'
  WHEN o.what = 'repeat' AND NOT ${wasTold} THEN 'firing' ELSE o.what END`

/**
 * Copies unsent items to the fallback channel, each once, as what they are by now; what was or will be sent to that
 * channel anyway is left out, and what is out of date.
 */
export function copyToFallback(db: Database, rerouted: ReroutedScope, now: UnixMs): number {
  const { channel, scope, fallback } = rerouted
  const isMeant = (o: string) =>
    `${o}.channel = ?1 AND ${o}.rerouted = 0 AND ${o}.state = 'queued' AND (?2 IS NULL OR ${o}.delivery_id = ?2)
      AND (?3 IS NULL OR (${o}.delivery_id IS NULL AND ${o}.expires_at <= ?3))`
  const where = isMeant('o')
  // An end that waits beside what it ends is said with that.
  const isEndBeside = `o.what = 'resolved' AND EXISTS (SELECT 1 FROM outbox g WHERE g.alert_id = o.alert_id AND g.episode = o.episode
    AND g.what IN ('firing', 'joined') AND ${isMeant('g')})`
  const deliveryId = typeof scope === 'object' ? scope.deliveryId : null
  const expiredBy = scope === 'expired' ? now : null
  const { changes } = db
    .prepare(
      `INSERT INTO outbox (alert_id, channel, episode, what, group_key, critical, created_at, not_before, expires_at, case_id, state,
        rerouted) SELECT o.alert_id, ?4, o.episode, ${toldAs}, o.group_key, o.critical, ?5, ?5,
        ?5 + MAX(o.expires_at - o.created_at, 3600000), o.case_id, 'queued', 0
        FROM outbox o CROSS JOIN alerts a ON a.id = o.alert_id
        WHERE ${where} AND o.what <> 'case' AND NOT (o.what = 'repeat' AND ${isOver}) AND NOT (${isEndBeside})
          AND NOT EXISTS (SELECT 1 FROM outbox f WHERE f.alert_id = o.alert_id AND f.channel = ?4 AND f.state <> 'dead'
            AND ((f.episode = o.episode AND f.what IN (o.what, 'both')) OR (${isOver} AND f.episode > o.episode)))
        ORDER BY o.id`,
    )
    .run(channel, deliveryId, expiredBy, fallback, now)
  db.prepare(`UPDATE outbox AS o SET rerouted = 1 WHERE ${where}`).run(channel, deliveryId, expiredBy)
  return Number(changes)
}

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
