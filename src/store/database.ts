import { statSync } from 'node:fs'
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementResultingChanges,
  type StatementSync,
} from 'node:sqlite'
import type { Clock } from '../lib/clock.ts'
import { type Commits, createCommits, type MayWait, type OnOutcome } from './commits.ts'
import { type ChangeLog, createChangeLog } from './changeLog.ts'
import { assertWhole, isBroken, toDamaged } from './damage.ts'
import { type Checkpoint, checkpoint, giveBack } from './fileRoom.ts'
import { assertVersion, migrate, readVersion } from './migrate.ts'
import { tableOf, toUnreadable } from './unreadable.ts'

type Row = Record<string, SQLOutputValue>

interface Statement {
  all(...values: SQLInputValue[]): Row[]
  get(...values: SQLInputValue[]): Row | undefined
  iterate(...values: SQLInputValue[]): Iterable<Row>
  run(...values: SQLInputValue[]): StatementResultingChanges
}

export interface Database {
  /** Prepared once for each text, then reused. Integers come back as numbers; amounts are TEXT. */
  prepare(sql: string): Statement
  /**
   * Runs `work` in one durable commit; a throw rolls all of it back. Called inside a transaction it joins that one:
   * what belongs together commits together. `work` is synchronous, or its commit would hold half of another's.
   * One that `mayWait` is on the disk with the next that may not: nothing may leave by it before that one.
   */
  transaction<T>(work: () => T, mayWait?: MayWait<T>): T
  /** One part of a transaction: a throw rolls back what `work` did, and nothing of before. */
  part(work: () => void): void
  /** For a disk that takes nothing: commits stay in memory until they are released. */
  readonly held: Pick<Commits, 'hold' | 'isHeld' | 'isUnsaved' | 'save' | 'heldBytes' | 'release'>
  /** Identifies this ledger file for its whole life; a restored backup has an older `commits` count. */
  readonly generation: string
  /** Whether this opening made its tables. */
  readonly isNew: boolean
  /** How many transactions came to nothing so far: what was remembered of them is not so. */
  rollbacks(): number
  /** What is recorded for other nodes, or taken over from one. */
  readonly changes: ChangeLog
  /** Copies what was committed into the file itself, as far as no reader is in the way; waits for nobody. Not while commits are held. */
  checkpoint(): Checkpoint
  /** The same, and gives back the room of the write-ahead log where nobody reads. */
  truncateLog(): void
  /** Gives at most so many pages that hold nothing back to the file system, where they are many. @returns whether there are more */
  giveBack(pages: number): boolean
  /** What the write-ahead log takes up on the disk, bytes. */
  logBytes(): number
  close(): void
}

export interface DatabaseOptions {
  readonly readOnly?: boolean
  /** Looks through the whole file before it is used: for one that is small. */
  readonly check?: boolean
  /** Why no new ledger may be begun here. */
  readonly refuseNew?: Error
  /** Aborted with a DamagedLedger when SQLite finds the file broken; the same is thrown to the caller. */
  readonly damage?: AbortController
  readonly onOutcome?: OnOutcome
  /** How long a commit took to be on disk. */
  readonly timing?: { readonly clock: Pick<Clock, 'monotonicMs' | 'now'>; commit(seconds: number): void }
}

/** Opens, creates or migrates a ledger. `path` may be `:memory:`. @throws DamagedLedger */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  const guarded = createGuard(path, options.damage)
  return guarded(() => {
    const connection = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: 5_000 })
    try {
      const isNew = prepareFile(connection, path, options)
      return toDatabase({ path, connection, isNew, guarded }, options)
    } catch (error) {
      connection.close()
      throw error
    }
  })
}

/** @returns whether the ledger is a new one */
function prepareFile(connection: DatabaseSync, path: string, options: DatabaseOptions): boolean {
  if (options.check) assertWhole(connection, path)
  if (options.readOnly) {
    assertVersion(connection, path)
    return false
  }
  const isNew = readVersion(connection) === 0
  if (isNew && options.refuseNew) throw options.refuseNew
  // Only a file without tables takes it: one that was begun before keeps what is free within it for what comes.
  if (isNew) connection.exec('PRAGMA auto_vacuum = INCREMENTAL')
  // FULL: a commit that was acknowledged survives a power loss.
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;')
  // Copied back at its own times (`logCopies.ts`): a commit that has to do it as well is a slow one. What a burst left of
  // the log is cut off when the log begins anew.
  connection.exec(
    'PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 4194304;',
  )
  migrate(connection, path)
  return isNew
}

interface Opened {
  readonly path: string
  readonly connection: DatabaseSync
  readonly isNew: boolean
  readonly guarded: Guard
}

type Guard = <T>(work: () => T) => T

/** The one place where a broken file is noticed: everything that is asked of SQLite goes through it. */
function createGuard(path: string, damage: DatabaseOptions['damage']): Guard {
  return (work) => {
    try {
      return work()
    } catch (error) {
      if (!isBroken(error)) throw error
      const damaged = toDamaged(path, error)
      damage?.abort(damaged)
      throw damaged
    }
  }
}

function toDatabase({ path, connection, isNew, guarded }: Opened, options: DatabaseOptions): Database {
  const statements = new Map<string, Statement>()
  const { recorder, ...changes } = createChangeLog(connection)
  const commits = createCommits(
    {
      exec: (sql) => guarded(() => connection.exec(sql)),
      prepare: (sql) => connection.prepare(sql),
      get isTransaction() {
        return connection.isTransaction
      },
    },
    options.timing?.clock ?? null,
    (outcome) => {
      if ('tookMs' in outcome) options.timing?.commit(outcome.tookMs / 1_000)
      options.onOutcome?.(outcome)
    },
    recorder,
  )
  const prepare = (sql: string) => {
    let statement = statements.get(sql)
    if (!statement)
      statements.set(
        sql,
        (statement = guardStatement(
          guarded(() => connection.prepare(sql)),
          guarded,
          { isRecorded: () => changes.state() !== null, commits, sql },
        )),
      )
    return statement
  }

  return {
    prepare,
    transaction: (work, mayWait) => commits.transaction(work, mayWait),
    part: (work) => commits.part(work),
    rollbacks: () => commits.rollbacks(),
    held: commits,
    changes: {
      ...changes,
      become(state) {
        commits.save()
        guarded(() => changes.become(state))
      },
      apply(list) {
        guarded(() => changes.apply(list))
        commits.forget()
      },
    },
    generation: String(prepare("SELECT value FROM meta WHERE name = 'generation'").get()?.['value'] ?? ''),
    isNew,
    checkpoint() {
      commits.save()
      return guarded(() => checkpoint(connection, 'PASSIVE'))
    },
    truncateLog() {
      commits.save()
      guarded(() => checkpoint(connection, 'TRUNCATE'))
    },
    giveBack(pages) {
      commits.save()
      return guarded(() => giveBack(connection, pages))
    },
    logBytes: () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    close() {
      try {
        commits.save()
      } finally {
        connection.close()
      }
    },
  }
}

/** What is written beside a transaction is on the disk when it returns, and what waits is with it. */
function guardStatement(
  statement: StatementSync,
  guarded: Guard,
  {
    isRecorded,
    commits,
    sql,
  }: { readonly isRecorded: () => boolean; readonly commits: Commits; readonly sql: string },
): Statement {
  const reading = <T>(work: () => T) => guarded(() => readNumbers(sql, work))
  return {
    all: (...values: SQLInputValue[]) => reading(() => statement.all(...values)),
    get: (...values: SQLInputValue[]) => reading(() => statement.get(...values)),
    run(...values: SQLInputValue[]) {
      const work = () => guarded(() => statement.run(...values))
      if (isRecorded()) return commits.transaction(work)
      commits.save()
      return work()
    },
    *iterate(...values: SQLInputValue[]) {
      const rows = guarded(() => statement.iterate(...values))
      for (;;) {
        const next = reading(() => rows.next())
        if (next.done) return
        yield next.value
      }
    },
  }
}

/** Node refuses a whole number beyond 2^53, which is never written: a row that cannot be read. */
function readNumbers<T>(sql: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const isTooLarge = error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
    throw isTooLarge ? toUnreadable(tableOf(sql), error.message, error) : error
  }
}
