import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../lib/clock.ts'

/** The commits of one connection: each on the disk when it returns or, while they are held, in memory. */
export interface Commits {
  /** Runs `work` in one commit; a throw rolls all of it back. Called inside a transaction it joins that one. */
  transaction<T>(work: () => T): T
  /** How many transactions came to nothing so far. */
  rollbacks(): number
  /** From here on nothing is written to the disk, which takes nothing: readers of this connection see what is held, others do not. */
  hold(): void
  isHeld(): boolean
  /** The bytes that saving what is held takes at most. */
  heldBytes(): number
  /** Saves what is held. @throws what the disk says; then what was held is lost, as when the process ends */
  release(): void
}

/** What became of a commit: how long it took to be on the disk, or why it came to nothing. */
export type Outcome = { readonly tookMs: number } | { readonly error: unknown }

/** Hears of each commit that was not held; of one that failed before its caller does. */
export type OnOutcome = (outcome: Outcome) => void

/** What may be held: more than this SQLite writes out, which a full disk refuses, and what was held is lost. */
const mostHeldBytes = 64 * 1024 * 1024

type Connection = Pick<DatabaseSync, 'exec' | 'prepare' | 'isTransaction'>

/**
 * While commits are held they are savepoints of one transaction that stays open, so that what was judged before is known and
 * nothing is found twice. A hold that SQLite could not keep ends by itself, and counts as one that came to nothing.
 */
export function createCommits(
  connection: Connection,
  clock: Pick<Clock, 'monotonicMs'> | null,
  onOutcome: OnOutcome,
): Commits {
  let inTransaction = false
  let isHeld = false
  let rollbacks = 0

  const fail = (error: unknown) => {
    rollbacks += 1
    // A full disk may already have rolled back by itself.
    if (connection.isTransaction) connection.exec(isHeld ? 'ROLLBACK TO one; RELEASE one' : 'ROLLBACK')
    if (!connection.isTransaction) isHeld = false
    inTransaction = false
    onOutcome({ error })
  }
  const save = () => {
    const from = clock?.monotonicMs() ?? 0
    connection.exec('COMMIT')
    onOutcome({ tookMs: (clock?.monotonicMs() ?? 0) - from })
  }

  return {
    transaction(work) {
      if (inTransaction) return work()
      connection.exec(isHeld ? 'SAVEPOINT one' : 'BEGIN IMMEDIATE')
      inTransaction = true
      try {
        const result = work()
        if (isHeld) connection.exec('RELEASE one')
        else save()
        inTransaction = false
        return result
      } catch (error) {
        fail(error)
        throw error
      }
    },
    rollbacks: () => rollbacks,
    hold() {
      if (isHeld || inTransaction) return
      connection.exec(`PRAGMA cache_size = ${-mostHeldBytes / 1024}; BEGIN IMMEDIATE`)
      isHeld = true
    },
    isHeld: () => isHeld,
    heldBytes() {
      const read = (name: string) => Number(connection.prepare(`PRAGMA ${name}`).get()?.[name])
      return Math.min(read('page_count') * read('page_size'), mostHeldBytes)
    },
    release() {
      isHeld = false
      try {
        save()
      } catch (error) {
        fail(error)
        throw error
      } finally {
        connection.exec('PRAGMA cache_size = -32768')
      }
    },
  }
}
