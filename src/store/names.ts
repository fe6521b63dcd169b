import type { Database } from './database.ts'
import { int } from './table.ts'

/*
 * Texts that come back in many rows, such as addresses of tokens: a row holds the number of one. A number stands for the
 * same text for good.
 */

/** The number of a text, which it is given now if it has none. Inside a transaction. */
export function nameNumber(db: Database, name: string): number {
  const known = int.get(db, 'SELECT id FROM names WHERE name = ?', name)
  return known ?? Number(db.prepare('INSERT INTO names (name) VALUES (?)').run(name).lastInsertRowid)
}

/** In SQL: the number of the text that a parameter gives; NULL while there is none. */
export const numberOf = (given: string) => `(SELECT id FROM names WHERE name = ${given})`

/** In SQL: the text of a number. */
export const nameOf = (column: string) => `(SELECT name FROM names WHERE id = ${column})`
