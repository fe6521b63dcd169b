import { DatabaseSync } from 'node:sqlite'
import { isBroken, toDamaged } from './damage.ts'

/** Each time there is less to copy, because less was written meanwhile. */
const mostPasses = 5

/**
 * Copies what is committed from the write-ahead log into the ledger's file, on a connection of its own: whoever writes
 * meanwhile goes on. Once all of it is there, the next commit begins the log anew. @throws DamagedLedger
 */
export function copyLog(path: string): void {
  let connection: DatabaseSync | null = null
  try {
    connection = new DatabaseSync(path, { timeout: 0 })
    // FULL: the log is on the disk before the file takes anything of it, and the file before the log is begun anew.
    connection.exec('PRAGMA synchronous = FULL')
    const statement = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)')
    for (let pass = 0, before = -1; pass < mostPasses; pass += 1) {
      const [, pages, copied] = Object.values(statement.get() ?? {})
      // All is there, or somebody who reads is in the way.
      if (copied === pages || copied === before) return
      before = Number(copied)
    }
  } catch (error) {
    throw isBroken(error) ? toDamaged(path, error) : error
  } finally {
    connection?.close()
  }
}
