import type { KnownWords, WordField, WordRow } from './rareWord.ts'
import type { Database } from '../store/database.ts'
import { int, table, text } from '../store/table.ts'

const words = table('words', { word: text, rows: int, lowest: int })

export function readWords(db: Database, field: WordField): KnownWords & { readonly others: number } {
  const known = words.all(db, 'SELECT * FROM words WHERE field = ?', field)
  const counts = new Map(known.map(({ word, rows }) => [word, rows]))
  return {
    counts,
    lowest: Math.min(...known.map(({ lowest }) => lowest)),
    others: counts.values().reduce((sum, count) => sum + count, 0),
  }
}

/** Counts rows that have these words now; one that had another before is known already, and no more than its word is new. */
export function addWords(
  db: Database,
  field: WordField,
  rows: readonly (WordRow & { readonly isFirst: boolean })[],
): void {
  for (const [word, same] of Map.groupBy(rows, (row) => row.word)) {
    const count = same.filter(({ isFirst }) => isFirst).length
    const lowest = Math.min(...same.map(({ place }) => place))
    db.prepare(
      `INSERT INTO words VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       rows = rows + excluded.rows, lowest = min(lowest, excluded.lowest)`,
    ).run(field, word, count, lowest)
  }
}
