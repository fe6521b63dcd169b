import type { Database } from '../../store/database.ts'
import { columns, flag, instant, int, packed, type Read, table, text } from '../../store/table.ts'

/** Its newest finding, and what is asked of many at once. All but the first are null in rows of before. */
export const found = table('alerts', {
  /** See alerts/findingJson.ts. */
  finding: packed,
  sinceAt: instant.orNull(),
  direction: text.orNull(),
  error: text.orNull(),
  /** Null as well where it is not. */
  isOver: flag.orNull(),
})
export type StoredFinding = Read<typeof found>

/** In SQL: what `alerts a` says of its finding, that of a row of before read from its JSON; one that is broken holds no other back. */
export const foundColumn = {
  since: `COALESCE(${fallBack('since_at', '$.since')}, a.active_at)`,
  direction: fallBack('direction', '$.transfer.direction'),
  error: fallBack('error', '$.facts.errorMessage'),
} as const

function fallBack(column: string, path: string): string {
  return `iif(typeof(a.finding) = 'text', iif(json_valid(a.finding), json_extract(a.finding, '${path}'), NULL), a.${column})`
}

const textFindings = columns({ id: int, finding: packed })

/** Of rows of before, behind one number and up to another. */
export function listTextFindings(
  db: Database,
  { after, until }: { readonly after: number; readonly until: number },
): Read<typeof textFindings>[] {
  const sql = "SELECT id, finding FROM alerts WHERE id > ? AND id <= ? AND typeof(finding) = 'text'"
  return textFindings.all(db, sql, after, until)
}

export function saveFound(db: Database, id: number, finding: StoredFinding): void {
  db.prepare(`UPDATE alerts SET ${found.set} WHERE id = ?`).run(...found.values(finding), id)
}
