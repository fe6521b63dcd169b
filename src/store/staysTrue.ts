import type { Database } from './database.ts'

/**
 * A question to a database that is not asked again once its answer was yes, because nothing takes that back: unless it was
 * seen in a transaction that came to nothing.
 */
export function staysTrue(ask: (db: Database) => boolean): (db: Database) => boolean {
  const seen = new WeakMap<Database, number>()
  return (db) => {
    const rollbacks = db.rollbacks()
    if (seen.get(db) === rollbacks) return true
    const answer = ask(db)
    if (answer) seen.set(db, rollbacks)
    return answer
  }
}
