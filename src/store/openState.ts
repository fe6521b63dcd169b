import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { UnixMs } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { type Ballast, createBallast, isDiskFull } from './ballast.ts'
import { type CursorFile, initialCursors, openCursors } from './cursors.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { readMetaNumber } from './meta.ts'
import { takeStateLock } from './stateLock.ts'

export interface State {
  readonly db: Database
  readonly cursors: CursorFile
  readonly isFirstStart: boolean
  /** What had to be mended at the start, for people; null when nothing had to. */
  readonly recovered: string | null
  /** Room kept back on the disk; it is given away when a commit finds the disk full. */
  readonly ballast: Ballast
  /** Whether the ledger's path still leads to the file that is written: a folder can be removed under a process. */
  isInPlace(): boolean
  /** Commits of the ledger that failed since the start. */
  commitsFailed(): number
  /** What the folder's files take up, bytes; null when it cannot be looked at. */
  bytes(): number | null
  close(): void
}

/** What of a state folder is there, for commands that only look: no lock, nothing is created. */
export function ledgerPath(folder: string): string {
  return join(folder, 'ledger.sqlite')
}

export interface StateOptions extends Pick<DatabaseOptions, 'timing'> {
  readonly folder: string
  readonly since: UnixMs
  readonly now: UnixMs
  readonly reset?: boolean
}

/**
 * Takes and opens a state folder: the lock first, then the ledger, then the cursors. A ledger that is gone or broken
 * while cursors exist is never begun anew in silence: what was told would be told again, what was known is lost.
 */
export function openState(options: StateOptions): State {
  const { folder } = options
  const path = ledgerPath(folder)
  const cursorPath = join(folder, 'cursors.json')
  makeFolder(folder)
  const lock = takeStateLock(join(folder, 'lock.sqlite'))
  try {
    if (options.reset) setAside(folder, options.now)
    const isFirstStart = !existsSync(path)
    if (isFirstStart && existsSync(cursorPath)) throw missingLedger(path, cursorPath)
    const ballast = createBallast(join(folder, 'ballast'))
    let commitsFailed = 0
    const onFailed = (error: unknown) => {
      commitsFailed += 1
      if (isDiskFull(error)) ballast.free()
    }
    const db = openLedgerFile(path, { onFailed, ...(options.timing && { timing: options.timing }) })
    const opened = statSync(path)
    try {
      const cursors = openCursors({
        path: cursorPath,
        ledger: db.generation,
        commit: () => readCommit(db),
        initial: initialCursors(options.since),
        isFirstStart,
        now: options.now,
      })
      return {
        db,
        cursors: cursors.file,
        isFirstStart,
        recovered: cursors.recovered,
        ballast,
        isInPlace: () => isSameFile(statSync(path, { throwIfNoEntry: false }), opened),
        commitsFailed: () => commitsFailed,
        bytes: () => measureFolder(folder),
        close() {
          db.close()
          lock.release()
        },
      }
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Counts the commits that cursors may point past. Call it inside the transaction that the cursor follows. */
export function countCommit(db: Database): void {
  db.prepare(
    `INSERT INTO meta (name, value) VALUES ('commits', '1')
     ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1`,
  ).run()
}

function readCommit(db: Database): number {
  return readMetaNumber(db, 'commits') ?? 0
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new MonitorError(
      'state.invalid',
      `The state folder ${folder} cannot be made: ${errorText(error)}`,
      {
        cause: error,
      },
    )
  }
}

function isSameFile(one: Stats | undefined, other: Stats): boolean {
  return one?.ino === other.ino && one.dev === other.dev
}

function measureFolder(folder: string): number | null {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  } catch {
    // A file that was renamed in between: the next look succeeds.
    return null
  }
}

function openLedgerFile(path: string, options: DatabaseOptions): Database {
  try {
    const db = openDatabase(path, options)
    chmodSync(path, 0o600)
    return db
  } catch (error) {
    if (error instanceof MonitorError) throw error
    throw new MonitorError(
      'state.invalid',
      `The ledger ${path} cannot be opened: ${errorText(error)}. ${remedyOf(error)}`,
      { cause: error },
    )
  }
}

/** SQLite's own codes of a file whose content is broken: SQLITE_CORRUPT and SQLITE_NOTADB. */
const brokenCodes: ReadonlySet<unknown> = new Set([11, 26])

/** Only what is broken may be set aside: a good ledger that cannot be written is no reason to forget it. */
function remedyOf(error: unknown): string {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : null
  return brokenCodes.has(code)
    ? 'Restore it from a backup, or begin anew with --reset-state, which sets the present files aside.'
    : 'What it holds is not known to be broken: let the user that runs spanwatch read and write the file and its folder, on a disk that can be written.'
}

function missingLedger(path: string, cursorPath: string): MonitorError {
  return new MonitorError(
    'state.invalid',
    `${cursorPath} exists but the ledger ${path} does not. Restore the ledger from a backup, or begin anew with --reset-state, which sets the present files aside.`,
  )
}

function setAside(folder: string, now: UnixMs): void {
  for (const name of [
    'ledger.sqlite',
    'ledger.sqlite-wal',
    'ledger.sqlite-shm',
    'cursors.json',
    'cursors.json.previous',
  ]) {
    const path = join(folder, name)
    if (existsSync(path)) renameSync(path, `${path}.reset-${now}`)
  }
}
