import type { Database } from '../../src/store/database.ts'

/** What a node knows of its own copy, and what SQLite keeps for itself. */
const ownTables = ['replica_changes', 'replica_head', 'sqlite_sequence']

/** Every row of every table of a ledger, in the order of the primary keys: two that are copies of each other have the same. */
export function listRows(db: Database): Readonly<Record<string, unknown[]>> {
  const names = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !ownTables.includes(name))
  return Object.fromEntries(
    names.map((name) => {
      const key = db
        .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
        .all(name)
        .map((column) => String(column['name']))
      return [name, db.prepare(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`).all()]
    }),
  )
}
