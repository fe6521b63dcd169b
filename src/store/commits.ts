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

/** As SQLite says that a disk is full. */
const givenUp = () =>
  Object.assign(new Error('what was kept in memory did not fit, and was given up'), { errcode: 13 })

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
    inTransaction = false
    // A full disk may already have rolled back by itself.
    if (connection.isTransaction) connection.exec(isHeld ? 'ROLLBACK TO one; RELEASE one' : 'ROLLBACK')
    if (!connection.isTransaction) isHeld = false
    onOutcome({ error })
  }
  /** A statement beside any transaction, a reader's too, can find no room in memory: SQLite rolls back all for it. */
  const noticeLoss = () => {
    if (!isHeld || connection.isTransaction) return null
    const error = givenUp()
    fail(error)
    return error
  }
  const save = () => {
    const from = clock?.monotonicMs() ?? 0
    connection.exec('COMMIT')
    onOutcome({ tookMs: (clock?.monotonicMs() ?? 0) - from })
  }

  const attempt = <T>(work: () => T): T => {
    try {
      const result = work()
      inTransaction = false
      return result
    } catch (error) {
      fail(error)
      throw error
    }
  }

  return {
    transaction(work) {
      if (inTransaction) return work()
      noticeLoss()
      connection.exec(isHeld ? 'SAVEPOINT one' : 'BEGIN IMMEDIATE')
      inTransaction = true
      return attempt(() => {
        const result = work()
        if (isHeld) connection.exec('RELEASE one')
        else save()
        return result
      })
    },
    rollbacks: () => rollbacks,
    hold() {
      if (isHeld || inTransaction) return
      connection.exec(`PRAGMA cache_size = ${-mostHeldBytes / 1024}; BEGIN IMMEDIATE`)
      isHeld = true
    },
    isHeld: () => isHeld,
    heldBytes: () => Math.min(readBytes(connection), mostHeldBytes),
    release() {
      const lost = noticeLoss()
      if (lost !== null) throw lost
      isHeld = false
      try {
        attempt(save)
      } finally {
        connection.exec('PRAGMA cache_size = -32768')
      }
    },
  }
}

/** The ledger as it is in memory. */
function readBytes(connection: Connection): number {
  const read = (name: string) => Number(connection.prepare(`PRAGMA ${name}`).get()?.[name])
  return read('page_count') * read('page_size')
}
