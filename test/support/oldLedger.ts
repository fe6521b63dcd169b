import { DatabaseSync } from 'node:sqlite'
import { migrations } from '../../src/store/migrate.ts'

/** A ledger as an older version made it, empty: to be filled, closed, and opened by this one. */
export function createOldLedger(path: string, version: number): DatabaseSync {
  const db = new DatabaseSync(path)
  // Some change a table's own text, as the program lets them.
  db.enableDefensive?.(false)
  db.exec(`${migrations.slice(0, version).join(';')}; PRAGMA user_version = ${version}`)
  return db
}
