import { cleanText } from '../lib/text.ts'
import type { UnixMs } from '../lib/clock.ts'
import { type Actor, cleanActor } from './actor.ts'
import type { Database } from './database.ts'
import { instant, int, oneOf, type Read, table, text } from './table.ts'

/** What a change is about, beside which `aboutId` is its name. */
const about = oneOf('alert', 'case', 'silence', 'transfer', 'movement', 'outbox', 'list').orElse('alert')

const written = table('audit_log', {
  at: instant,
  who: text,
  via: oneOf('cli', 'page', 'api', 'slack').orElse('api'),
  address: text.orNull(),
  role: text.orNull(),
  session: text.orNull(),
  what: text,
  about,
  aboutId: text,
  detail: text,
})

const changes = table('audit_log', { id: int, ...written.shape })

/** One change that somebody made. */
export type Change = Read<typeof changes>

export interface NewChange {
  /** In the past tense: `acknowledged`. */
  readonly what: string
  readonly about: Change['about']
  readonly aboutId: string
  readonly detail: string
}

/** Writes down what somebody changed, in the transaction of the change. */
export function recordChange(db: Database, actor: Actor, change: NewChange, at: UnixMs): void {
  const { by, from } = cleanActor(actor)
  const row = {
    ...change,
    ...from,
    at,
    who: by,
    aboutId: cleanText(change.aboutId, 200),
    detail: cleanText(change.detail, 1_000),
  }
  db.prepare(`INSERT ${written.into}`).run(...written.values(row))
}

/** Newest first; `before` is the id of the last one that was seen. */
export function listChanges(
  db: Database,
  query: { readonly limit: number; readonly before?: number | null },
): Change[] {
  const sql = 'SELECT * FROM audit_log WHERE id < ? ORDER BY id DESC LIMIT ?'
  return changes.all(db, sql, query.before ?? Number.MAX_SAFE_INTEGER, query.limit)
}

/** Forgets the oldest of those from before a time, at most so many. */
export function purgeChanges(db: Database, before: UnixMs, limit: number): number {
  const sql = 'DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at < ? ORDER BY at LIMIT ?)'
  return Number(db.prepare(sql).run(before, limit).changes)
}

/** From where a change was made, in words: `page, 192.0.2.7, may act, session 4fZ1ab`. */
export function sayWhence({ via, address, role, session }: Pick<Change, keyof Actor['from']>): string {
  return [
    via,
    ...(address === null ? [] : [address]),
    ...(role === null ? [] : [role === 'act' ? 'may act' : role]),
    ...(session === null ? [] : [`session ${session}`]),
  ].join(', ')
}
