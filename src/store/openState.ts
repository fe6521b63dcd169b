import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { UnixMs } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { type CursorFile, initialCursors, openCursors } from './cursors.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { readMetaNumber } from './meta.ts'

export interface State {
  readonly db: Database
  readonly cursors: CursorFile
  readonly isFirstStart: boolean
  /** What had to be repaired at the start, for people; null when nothing had to. */
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

/** Room kept back on the state's disk, for the moment when it is full. */
interface Ballast {
  /** Takes the room, if it is not held and there is enough. @returns whether it is held now */
  hold(): boolean
  /** Gives the room away, so that what matters most can still be saved. */
  free(): void
}

/** Enough for hours of acknowledgements and alerts. */
const ballastBytes = 8 * 1024 * 1024

const chunkBytes = 1024 * 1024

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
 * while cursors exist is never begun anew in silence: what was sent would be sent again, what was known is lost.
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

/**
 * Takes the state folder for this process, for life. The lock is an exclusive SQLite transaction: the system drops it
 * with the process however that ends, and it holds across containers that share a volume.
 */
function takeStateLock(path: string): { release(): void } {
  const connection = new DatabaseSync(path, { timeout: 0 })
  chmodSync(path, 0o600)
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;')
  } catch (error) {
    connection.close()
    if (!/locked|busy/i.test(errorText(error))) {
      throw new MonitorError('state.invalid', `${path} cannot be locked: ${errorText(error)}`, {
        cause: error,
      })
    }
    throw new MonitorError(
      'state.locked',
      `Another spanwatch process uses this state folder (${path} is held). Stop that one first, or give this one a folder of its own with "state:".`,
      { cause: error },
    )
  }
  return {
    release() {
      if (connection.isOpen) connection.close()
    },
  }
}

/** A file of zeros, written out in full: a file with holes would hold no room. */
export function createBallast(path: string, bytes: number = ballastBytes): Ballast {
  return {
    hold() {
      if (existsSync(path)) return true
      try {
        fill(path, bytes)
        return true
      } catch {
        rmSync(path, { force: true })
        return false
      }
    },
    free: () => rmSync(path, { force: true }),
  }
}

function fill(path: string, bytes: number): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    const chunk = Buffer.alloc(Math.min(chunkBytes, bytes))
    for (let written = 0; written < bytes; ) {
      written += writeSync(file, chunk, 0, Math.min(chunk.length, bytes - written))
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Whether an error says that the disk is full, be it SQLite's word for it or the system's. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errcode, code } = error as Error & { errcode?: number; code?: string }
  const sqliteFull = 13
  return errcode === sqliteFull || code === 'ENOSPC' || code === 'EDQUOT'
}
