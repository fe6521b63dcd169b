import type { Database } from './database.ts'

/*
 * Texts that come back in many rows, such as addresses of tokens: a row holds the number of one. A number stands for the
 * same text for good.
 */

/** Inside a transaction: from now on a row may hold the number of this text. */
export function keepName(db: Database, name: string): void {
  const known = db.prepare('SELECT 1 FROM names WHERE name = ?').get(name)
  if (known === undefined) db.prepare('INSERT INTO names (name) VALUES (?)').run(name)
}

/** In SQL: the number of the text that a parameter gives; NULL while there is none. */
export const numberOf = (given: string) => `(SELECT id FROM names WHERE name = ${given})`

/** In SQL: the text of a number. */
export const nameOf = (column: string) => `(SELECT name FROM names WHERE id = ${column})`
