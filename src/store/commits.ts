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

interface State {
  readonly connection: Connection
  readonly clock: Pick<Clock, 'monotonicMs'> | null
  readonly onOutcome: OnOutcome
  inTransaction: boolean
  isHeld: boolean
  rollbacks: number
}

/**
 * While commits are held they are savepoints of one transaction that stays open, so that what was judged before is known and
 * nothing is found twice. A hold that SQLite could not keep ends by itself, and counts as one that came to nothing.
 */
export function createCommits(
  connection: Connection,
  clock: Pick<Clock, 'monotonicMs'> | null,
  onOutcome: OnOutcome,
): Commits {
  const state: State = { connection, clock, onOutcome, inTransaction: false, isHeld: false, rollbacks: 0 }
  return {
    transaction: (work) => (state.inTransaction ? work() : commit(state, work)),
    rollbacks: () => state.rollbacks,
    hold() {
      if (state.isHeld || state.inTransaction) return
      connection.exec(`PRAGMA cache_size = ${-mostHeldBytes / 1024}; BEGIN IMMEDIATE`)
      state.isHeld = true
    },
    isHeld: () => state.isHeld,
    heldBytes: () => Math.min(readBytes(connection), mostHeldBytes),
    release() {
      const lost = noticeLoss(state)
      if (lost !== null) throw lost
      state.isHeld = false
      try {
        attempt(state, () => save(state))
      } finally {
        connection.exec('PRAGMA cache_size = -32768')
      }
    },
  }
}

function commit<T>(state: State, work: () => T): T {
  noticeLoss(state)
  state.connection.exec(state.isHeld ? 'SAVEPOINT one' : 'BEGIN IMMEDIATE')
  state.inTransaction = true
  return attempt(state, () => {
    const result = work()
    if (state.isHeld) state.connection.exec('RELEASE one')
    else save(state)
    return result
  })
}

function attempt<T>(state: State, work: () => T): T {
  try {
    const result = work()
    state.inTransaction = false
    return result
  } catch (error) {
    fail(state, error)
    throw error
  }
}

function save({ connection, clock, onOutcome }: State): void {
  const from = clock?.monotonicMs() ?? 0
  connection.exec('COMMIT')
  onOutcome({ tookMs: (clock?.monotonicMs() ?? 0) - from })
}

function fail(state: State, error: unknown): void {
  const { connection } = state
  state.rollbacks += 1
  state.inTransaction = false
  // A full disk may already have rolled back by itself.
  if (connection.isTransaction) connection.exec(state.isHeld ? 'ROLLBACK TO one; RELEASE one' : 'ROLLBACK')
  if (!connection.isTransaction) state.isHeld = false
  state.onOutcome({ error })
}

/** A statement beside any transaction, a reader's too, can find no room in memory: SQLite rolls back all for it. */
function noticeLoss(state: State): Error | null {
  if (!state.isHeld || state.connection.isTransaction) return null
  const error = givenUp()
  fail(state, error)
  return error
}

/** The ledger as it is in memory. */
function readBytes(connection: Connection): number {
  const read = (name: string) => Number(connection.prepare(`PRAGMA ${name}`).get()?.[name])
  return read('page_count') * read('page_size')
}
