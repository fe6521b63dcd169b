import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../lib/clock.ts'
import type { Recorder } from './changeLog.ts'

/** The commits of one connection: each on the disk when it returns or, where it may wait or all are held, in memory. */
export interface Commits {
  /**
   * Runs `work` in one commit; a throw rolls all of it back. Called inside a transaction it joins that one. One that may
   * wait is on the disk with the next that may not, or with the last of twenty: until then a loss of power loses it, and a
   * disk that refuses it says so to whoever comes next (`OnOutcome`, `rollbacks`). A function says it of what came out.
   */
  transaction<T>(work: () => T, mayWait?: MayWait<T>): T
  /** Within a transaction: a throw rolls back what `work` did, and nothing of before. */
  part(work: () => void): void
  /** Saves what waits. @throws what the disk says; then what waited is lost */
  save(): void
  /** Whether anything is in memory alone, because it waits or is held. */
  isUnsaved(): boolean
  /** How many transactions came to nothing so far. */
  rollbacks(): number
  /** What was remembered is not so, as after one that came to nothing. */
  forget(): void
  /** From here on nothing is written to the disk, which takes nothing: readers of this connection see what is held, others do not. */
  hold(): void
  isHeld(): boolean
  /** The bytes that saving what is held takes at most. */
  heldBytes(): number
  /** Saves what is held. @throws what the disk says; then what was held is lost, as when the process ends */
  release(): void
}

export type MayWait<T> = boolean | ((result: T) => boolean)

/** What became of a commit: how long it took to be on the disk, or why it came to nothing. */
export type Outcome = { readonly tookMs: number } | { readonly error: unknown }

/** Hears of each commit that was not held; of one that failed before its caller does. */
export type OnOutcome = (outcome: Outcome) => void

/** So many commits wait for each other at most: writing their pages must not hold the process for long. */
const mostWaiting = 20

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
  readonly recorder: Recorder
  inTransaction: boolean
  /** How many commits wait in the transaction that is open for them. */
  waiting: number
  isHeld: boolean
  rollbacks: number
}

/**
 * While commits wait or are held they are savepoints of one transaction that stays open, so that what was judged before is known and
 * nothing is found twice. A hold that SQLite could not keep ends by itself, and counts as one that came to nothing.
 */
export function createCommits(
  connection: Connection,
  clock: Pick<Clock, 'monotonicMs'> | null,
  onOutcome: OnOutcome,
  recorder: Recorder = nothingRecorded,
): Commits {
  const state: State = {
    connection,
    clock,
    onOutcome,
    recorder,
    inTransaction: false,
    waiting: 0,
    isHeld: false,
    rollbacks: 0,
  }
  return {
    transaction: (work, mayWait = false) => (state.inTransaction ? work() : commit(state, work, mayWait)),
    part: (work) => (state.inTransaction ? runPart(state, work) : commit(state, work, false)),
    save() {
      if (state.isHeld || state.inTransaction || state.waiting === 0) return
      throwLoss(state)
      save(state)
    },
    isUnsaved: () => isOpen(state),
    rollbacks: () => state.rollbacks,
    forget() {
      state.rollbacks += 1
    },
    hold() {
      if (state.isHeld || state.inTransaction) return
      connection.exec(`PRAGMA cache_size = ${-mostHeldBytes / 1024}`)
      if (!isOpen(state)) begin(state)
      state.isHeld = true
    },
    isHeld: () => state.isHeld,
    heldBytes: () => Math.min(readBytes(connection), mostHeldBytes),
    release() {
      throwLoss(state)
      state.isHeld = false
      try {
        save(state)
      } finally {
        connection.exec('PRAGMA cache_size = -32768')
      }
    },
  }
}

const nothingRecorded: Recorder = { began: () => undefined, sealing: () => undefined, ended: () => undefined }

function begin({ connection, recorder }: State): void {
  connection.exec('BEGIN IMMEDIATE')
  try {
    recorder.began()
  } catch (error) {
    connection.exec('ROLLBACK')
    throw error
  }
}

/** Whether the transaction is open that commits wait in, or are held in. */
function isOpen({ isHeld, waiting }: State): boolean {
  return isHeld || waiting > 0
}

function commit<T>(state: State, work: () => T, mayWait: MayWait<T>): T {
  noticeLoss(state)
  const { connection } = state
  const isInner = isOpen(state)
  if (isInner) connection.exec('SAVEPOINT one')
  else begin(state)
  state.inTransaction = true
  let result: T
  try {
    result = work()
    if (isInner) connection.exec('RELEASE one')
  } catch (error) {
    fail(state, error, isInner ? 'ROLLBACK TO one; RELEASE one' : 'ROLLBACK')
    throw error
  }
  state.inTransaction = false
  if (state.isHeld) return result
  state.waiting += 1
  const waits = typeof mayWait === 'function' ? mayWait(result) : mayWait
  if (!waits || state.waiting >= mostWaiting) save(state)
  return result
}

function runPart(state: State, work: () => void): void {
  const { connection } = state
  connection.exec('SAVEPOINT part')
  try {
    work()
    connection.exec('RELEASE part')
  } catch (error) {
    state.rollbacks += 1
    // A full disk may have rolled back all of it.
    if (connection.isTransaction) connection.exec('ROLLBACK TO part; RELEASE part')
    throw error
  }
}

function save(state: State): void {
  const { connection, clock, onOutcome, recorder } = state
  const from = clock?.monotonicMs() ?? 0
  try {
    recorder.sealing()
    connection.exec('COMMIT')
  } catch (error) {
    fail(state, error, 'ROLLBACK')
    throw error
  }
  state.waiting = 0
  recorder.ended(true)
  onOutcome({ tookMs: (clock?.monotonicMs() ?? 0) - from })
}

function fail(state: State, error: unknown, rollback: string): void {
  const { connection } = state
  state.rollbacks += 1
  state.inTransaction = false
  // A full disk may already have rolled back by itself.
  if (connection.isTransaction) connection.exec(rollback)
  if (!connection.isTransaction) {
    state.isHeld = false
    state.waiting = 0
    state.recorder.ended(false)
  }
  state.onOutcome({ error })
}

/** A statement beside any transaction, a reader's too, can find no room in memory: SQLite rolls back all for it. */
function noticeLoss(state: State): Error | null {
  if (!isOpen(state) || state.connection.isTransaction) return null
  const error = givenUp()
  fail(state, error, 'ROLLBACK')
  return error
}

function throwLoss(state: State): void {
  const lost = noticeLoss(state)
  if (lost !== null) throw lost
}

/** The ledger as it is in memory. */
function readBytes(connection: Connection): number {
  const read = (name: string) => Number(connection.prepare(`PRAGMA ${name}`).get()?.[name])
  return read('page_count') * read('page_size')
}
