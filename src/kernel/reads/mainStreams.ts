import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { instant, int, table, text } from '../../store/table.ts'

/** How far a list of the main chain was read, and its newest row: an answer that lacks that row is not whole. */
export interface MainStream {
  readonly id: string
  readonly cursor: number
  readonly known: { readonly height: number; readonly hash: string } | null
  /** When its recent past was last read again; 0: it is to be read. */
  readonly deepAt: UnixMs
}

export function readStream(db: Database, id: string): MainStream | null {
  const row = streams.get(db, 'SELECT * FROM main_streams WHERE id = ?', id)
  if (row === null) return null
  const { knownHeight: height, knownHash: hash, ...rest } = row
  return { ...rest, known: height === null || hash === null ? null : { height, hash } }
}

const streams = table('main_streams', {
  id: text,
  cursor: int,
  knownHeight: int.orNull(),
  knownHash: text.orNull(),
  deepAt: instant,
})

export function saveStream(db: Database, { id, cursor, known, deepAt }: MainStream): void {
  db.prepare(
    `INSERT INTO main_streams VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET cursor = max(cursor, excluded.cursor),
     known_height = excluded.known_height, known_hash = excluded.known_hash, deep_at = excluded.deep_at`,
  ).run(id, cursor, known?.height ?? null, known?.hash ?? null, deepAt)
}

/** The recent past of a list was read again, by a reading that began then. */
export function noteDeepRead(db: Database, id: string, at: UnixMs): void {
  db.prepare('UPDATE main_streams SET deep_at = ? WHERE id = ?').run(at, id)
}

/** The recent past of all movements is to be read again. */
export function readFlowsDeep(db: Database): void {
  db.prepare("UPDATE main_streams SET deep_at = 0 WHERE id LIKE 'flows:%'").run()
}

/** The lowest height that all of these were read up to; null when one was never read, or its recent past is to be. */
export function lowestCursor(db: Database, ids: readonly string[]): number | null {
  const cursors = ids.map((id) => {
    const stream = readStream(db, id)
    return stream === null || stream.deepAt === 0 ? null : stream.cursor
  })
  const known = cursors.filter((cursor) => cursor !== null)
  return known.length === 0 || known.length < cursors.length ? null : Math.min(...known)
}
