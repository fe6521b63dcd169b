import type { Database } from './database.ts'
import { codec, text } from './table.ts'

/** A single value that the ledger remembers; null when it was never saved. */
export function readMeta(db: Database, name: string): string | null {
  return text.get(db, 'SELECT value FROM meta WHERE name = ?', name)
}

const intText = codec({
  type: 'TEXT',
  expected: 'an integer as text',
  // What is bound as a number stands there as 5.0.
  read: (cell) => (/^-?\d+(\.0)?$/.test(String(cell)) ? Number(cell) : undefined),
  write: (value: number) => String(value),
})

/** The same of a whole number. */
export function readMetaNumber(db: Database, name: string): number | null {
  return intText.get(db, 'SELECT value FROM meta WHERE name = ?', name)
}

export function saveMeta(db: Database, name: string, value: string): void {
  db.prepare(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  ).run(name, value)
}
