import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { columns, instant, int, json, type Read, table, text, texts } from '../../store/table.ts'

const channels = table('case_channels', {
  caseId: int,
  channel: text,
  /** What the channel needs to find its thread again; null before its first acknowledgement, or where it needs nothing. */
  thread: text.orNull(),
  /** When the minute began in which tellings are counted. */
  windowAt: instant,
  /** Of the newest telling at once. */
  lastAt: instant,
  /** How often it was told at once in that minute. */
  tellings: int,
  /** When what waits is told; null when nothing does. */
  nextAt: instant.orNull(),
  /** How much was at risk at `lastAt`, by token: what alone is more than that waits for nothing. */
  money: json(z.record(z.string(), z.string())).orElse({}),
  /** The kinds of which something was told, or is queued. */
  kinds: texts.orElse([]),
})
export type CaseChannel = Read<typeof channels>

export function getCaseChannel(db: Database, caseId: number, channel: string): CaseChannel | null {
  return channels.get(db, 'SELECT * FROM case_channels WHERE case_id = ? AND channel = ?', caseId, channel)
}

export function listCaseChannels(db: Database, caseId: number): CaseChannel[] {
  return channels.all(db, 'SELECT * FROM case_channels WHERE case_id = ? ORDER BY channel', caseId)
}

const tellings = columns({
  channel: text,
  /** Of the newest message that the channel took; null while all of them wait. */
  at: instant.orNull(),
})

/**
 * The channels that took something of a case, or that something of it waits for. What was set aside told nobody. Of a
 * channel whose messages are kept no longer, `at` is when the newest of them was queued.
 */
export function listToldOfCase(db: Database, caseId: number): Read<typeof tellings>[] {
  const ofChannel = 'FROM outbox o WHERE o.case_id = k.case_id AND o.channel = k.channel'
  const sql = `SELECT channel, CASE WHEN EXISTS (SELECT 1 ${ofChannel})
      THEN (SELECT sent_at ${ofChannel} AND o.state = 'sent' ORDER BY o.id DESC LIMIT 1)
      ELSE nullif(last_at, -1) END AS at
    FROM case_channels k WHERE case_id = ?
      AND (NOT EXISTS (SELECT 1 ${ofChannel}) OR EXISTS (SELECT 1 ${ofChannel} AND o.state <> 'dead')) ORDER BY channel`
  return tellings.all(db, sql, caseId)
}

/** Of the cases that stand, what a channel gave back when it told of them. */
export function listStandingThreads(
  db: Database,
  channel: string,
): { readonly caseId: number; readonly thread: string }[] {
  const sql = `SELECT case_channels.* FROM case_channels JOIN cases ON cases.id = case_channels.case_id
    WHERE channel = ? AND thread IS NOT NULL AND cases.state IN ('open', 'acknowledged') ORDER BY cases.id`
  return channels
    .all(db, sql, channel)
    .flatMap(({ caseId, thread }) => (thread === null ? [] : [{ caseId, thread }]))
}

export function saveCaseChannel(db: Database, row: CaseChannel): void {
  db.prepare(`INSERT OR REPLACE ${channels.into}`).run(...channels.values(row))
}

export function setThread(
  db: Database,
  caseId: number,
  { channel, thread }: { readonly channel: string; readonly thread: string },
): void {
  db.prepare('UPDATE case_channels SET thread = ? WHERE case_id = ? AND channel = ?').run(
    thread,
    caseId,
    channel,
  )
}

/**
 * A channel that knows the one case alone goes on with its thread; one that knows both keeps both, to hear that they are
 * one. A case of which everything is still queued is not known. Before the outbox is moved.
 */
export function moveChannels(db: Database, from: number, to: number): void {
  db.prepare('UPDATE OR IGNORE case_channels SET case_id = ?2 WHERE case_id = ?1').run(from, to)
  db.prepare(
    `DELETE FROM case_channels WHERE case_id = ?1 AND thread IS NULL AND NOT EXISTS (SELECT 1 FROM outbox o
      WHERE o.case_id = ?1 AND o.channel = case_channels.channel AND (o.state <> 'queued' OR o.delivery_id IS NOT NULL))`,
  ).run(from)
}
