import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, int, type Read } from '../../store/table.ts'
import type { Lane } from './outboxItems.ts'

/**
 * Items of a lane that may be sent now, with numbered parameters. One of an alert of which something is being sent to the
 * channel at this moment waits; what only some recipients deferred keeps none from the others.
 */
const isDue = (at: string, channel: string, critical: string) =>
  `o.state = 'queued' AND o.delivery_id IS NULL AND o.channel = ${channel} AND o.critical = ${critical} AND o.not_before <= ${at}
    AND o.alert_id NOT IN (SELECT u.alert_id FROM deliveries d CROSS JOIN outbox u ON u.delivery_id = d.id
      WHERE d.channel = ${channel} AND d.recipients IS NULL AND u.state = 'queued')`

/** `found`: items that are no changes of the case as a whole. */
const dueCases = columns({ caseId: int.orNull(), found: int })
export type DueCase = Read<typeof dueCases>

/** The case of what a channel that refuses us is tried with next: what it never refused, then what it refused longest ago. */
export function findProbeCase(db: Database, lane: Lane, now: UnixMs): Read<typeof probeCases> | null {
  const sql = `SELECT o.case_id FROM outbox o WHERE ${isDue('?1', '?2', '?3')}
    ORDER BY o.not_before > o.created_at, o.not_before, o.id LIMIT 1`
  return probeCases.get(db, sql, now, lane.channel, lane.isCritical ? 1 : 0)
}

const probeCases = columns({ caseId: int.orNull() })

/** Of which cases something is due in a lane, null for what belongs to none: what was found before what is over, the most money first. */
export function listDueCases(db: Database, lane: Lane, now: UnixMs): DueCase[] {
  const given = [now, lane.channel, lane.isCritical ? 1 : 0]
  const due = isDue('?1', '?2', '?3')
  const counted = `SELECT o.case_id, SUM(o.what <> 'case') AS found FROM outbox o WHERE ${due} GROUP BY o.case_id`
  const cases = dueCases.all(db, counted, ...given)
  // A storm is one case, or none: then no alert has to be looked at.
  if (cases.length <= 1) return cases
  const ranked = `SELECT o.case_id, SUM(o.what <> 'case') AS found FROM outbox o JOIN alerts a ON a.id = o.alert_id
    WHERE ${due} GROUP BY o.case_id ORDER BY found = 0, MAX(a.amount_rank) DESC, MIN(o.id)`
  return dueCases.all(db, ranked, ...given)
}

/**
 * Puts what is due into a message, oldest first, and returns how many. No resolution overtakes its firing.
 */
export function claimItems(
  db: Database,
  claim: {
    readonly deliveryId: number
    readonly channel: string
    readonly isCritical: boolean
    readonly limit: number
    /** Only what is told within this case, or within none; left out, all that is due. */
    readonly only?: { readonly caseId: number | null }
  },
  now: UnixMs,
): number {
  // What happened to a case is told within that case.
  const ofCase = claim.only === undefined ? "AND o.what <> 'case'" : 'AND o.case_id IS ?6'
  const { changes } = db
    .prepare(
      `UPDATE outbox SET delivery_id = ?1 WHERE id IN (
        SELECT o.id FROM outbox o WHERE ${isDue('?4', '?2', '?3')} ${ofCase} ORDER BY o.id LIMIT ?5)`,
    )
    .run(
      claim.deliveryId,
      claim.channel,
      claim.isCritical ? 1 : 0,
      now,
      claim.limit,
      ...(claim.only === undefined ? [] : [claim.only.caseId]),
    )
  if (changes === 0) return 0
  const claimed = Number(changes) + pullOlder(db, claim)
  // What waited for long has no more time than when it was queued.
  db.prepare(
    'UPDATE deliveries SET expires_at = MIN(expires_at, (SELECT MAX(expires_at) FROM outbox WHERE delivery_id = ?1)) WHERE id = ?1',
  ).run(claim.deliveryId)
  tellUntold(db, claim.deliveryId)
  return claimed - collapse(db, claim.deliveryId) - dropPast(db, claim.deliveryId)
}

const superseded = columns({ id: int, deliveryId: int })

/** What some recipients deferred of alerts of which a newer message goes to all of them. */
export function listSuperseded(db: Database, deliveryId: number): Read<typeof superseded>[] {
  const sql = `SELECT u.id, u.delivery_id FROM outbox c CROSS JOIN outbox u ON u.alert_id = c.alert_id JOIN deliveries d ON d.id = u.delivery_id
    WHERE c.delivery_id = ?1 AND u.channel = c.channel AND u.state = 'queued' AND d.recipients IS NOT NULL AND d.state = 'waiting'
    GROUP BY u.id`
  return superseded.all(db, sql, deliveryId)
}

/** The channel took it, though not each recipient. */
export function finishSuperseded(
  db: Database,
  { id, deliveryId }: Read<typeof superseded>,
  as: { readonly at: UnixMs; readonly messageId: string },
): void {
  const update = `UPDATE outbox SET state = 'sent', delivery_id = NULL, sent_at = ?2, message_id = ?3 WHERE id = ?1`
  db.prepare(update).run(id, as.at, as.messageId)
  db.prepare(
    "UPDATE alerts SET state = 'delivered' WHERE state = 'new' AND id = (SELECT alert_id FROM outbox WHERE id = ?)",
  ).run(id)
  db.prepare(
    'DELETE FROM deliveries WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM outbox WHERE delivery_id = ?1)',
  ).run(deliveryId)
}

/** What a condition has to say goes with what it had to say before, which may wait in the other lane: nothing overtakes. */
function pullOlder(
  db: Database,
  { deliveryId, channel }: { readonly deliveryId: number; readonly channel: string },
): number {
  const sql = `UPDATE outbox SET delivery_id = ?1 WHERE id IN (
    SELECT p.id FROM outbox c CROSS JOIN outbox p ON p.alert_id = c.alert_id
    WHERE c.delivery_id = ?1 AND p.id < c.id AND p.channel = ?2 AND p.state = 'queued' AND p.delivery_id IS NULL
      AND p.what IN ('firing', 'joined', 'repeat', 'resolved', 'both'))`
  return Number(db.prepare(sql).run(deliveryId, channel).changes)
}

/** What fires anew in the same message has not ended, as far as its reader is concerned. */
function dropPast(db: Database, deliveryId: number): number {
  const sql = `DELETE FROM outbox WHERE delivery_id = ?1 AND what IN ('repeat', 'resolved', 'both') AND EXISTS (SELECT 1 FROM outbox f
    WHERE f.alert_id = outbox.alert_id AND f.delivery_id = ?1 AND f.episode > outbox.episode AND f.what IN ('firing', 'joined'))`
  return Number(db.prepare(sql).run(deliveryId).changes)
}

/** Whose firing was refused, or dropped by hand, hears with its end that it fired. */
function tellUntold(db: Database, deliveryId: number): void {
  const told = `FROM outbox f WHERE f.alert_id = outbox.alert_id AND f.channel = outbox.channel
    AND f.episode = outbox.episode AND f.what IN ('firing', 'joined', 'repeat')`
  db.prepare(
    `UPDATE outbox SET what = 'both' WHERE delivery_id = ? AND what = 'resolved'
      AND EXISTS (SELECT 1 ${told} AND f.state = 'dead') AND NOT EXISTS (SELECT 1 ${told} AND f.state <> 'dead')`,
  ).run(deliveryId)
}

/** A firing and its resolution in one message are one item: fired and resolved. */
function collapse(db: Database, deliveryId: number): number {
  const { changes } = db
    .prepare(
      `UPDATE outbox SET what = 'both' WHERE delivery_id = ?1 AND what = 'resolved' AND EXISTS (SELECT 1 FROM outbox f
        WHERE f.alert_id = outbox.alert_id AND f.delivery_id = ?1 AND f.episode = outbox.episode AND f.what IN ('firing', 'joined'))`,
    )
    .run(deliveryId)
  if (changes === 0) return 0
  const removed = db
    .prepare(
      `DELETE FROM outbox WHERE delivery_id = ?1 AND what IN ('firing', 'joined', 'repeat') AND EXISTS (SELECT 1 FROM outbox b
        WHERE b.alert_id = outbox.alert_id AND b.delivery_id = ?1 AND b.episode = outbox.episode AND b.what = 'both')`,
    )
    .run(deliveryId)
  return Number(removed.changes)
}
