import type { Database } from './database.ts'

/** A single value that the ledger remembers; null when it was never saved. */
export function readMeta(db: Database, name: string): string | null {
  const row = db.prepare('SELECT value FROM meta WHERE name = ?').get(name)
  return row ? String(row['value']) : null
}

export function saveMeta(db: Database, name: string, value: string): void {
  db.prepare(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  ).run(name, value)
}
