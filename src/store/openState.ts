import { chmodSync, existsSync, readdirSync, renameSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { UnixMs } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { type Ballast, createBallast, isDiskFull } from './ballast.ts'
import { initialCursors, openCursors, sparing, type WalkCursors } from './cursors.ts'
import { type ReplicaRole, takeRole } from './replicaRole.ts'
import { followCursors, placeCursors, sharedCursors } from './sharedCursors.ts'
import { brokenRemedy, DamagedLedger } from './damage.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { createIntegrity, type Integrity } from './integrity.ts'
import { createLogCopies, type LogCopies } from './logCopies.ts'
import { readMetaNumber } from './meta.ts'
import { lastSavedAt } from './requestNumbers.ts'
import { noteRestored } from './restored.ts'
import { rightsRemedy, takeFolder, takeStateLock } from './stateFolder.ts'
import { createTrouble, type Trouble, readMarker, removeMarker } from './trouble.ts'

export interface State {
  readonly db: Database
  readonly cursors: WalkCursors
  readonly isFirstStart: boolean
  /** What had to be repaired at the start, for people; null when nothing had to. */
  readonly recovered: string | null
  /** What `recovered` says is an alert by now: the next start need not say it. */
  noteTold(): void
  /** Room kept back on the disk; it is given away when a commit finds the disk full. */
  readonly ballast: Ballast
  /** Whether the paths of ledger, log and lock still lead to the files that are in use: a folder can be removed under a process. */
  isInPlace(): boolean
  /** Commits of the ledger that failed since the start. */
  commitsFailed(): number
  /** How often the disk refused since the start, in commits and in writes of cursors, and what it said last. */
  diskErrors(): { readonly count: number; readonly last: string }
  /** Whether what is committed stays in memory, because the disk takes nothing. */
  isUnsaved(): boolean
  /** Saves it as soon as the disk takes it. @throws what the disk says when it refuses nevertheless */
  settle(): void
  /** Aborted with a DamagedLedger once the ledger's file is found to be broken. */
  readonly damage: AbortSignal
  readonly integrity: Integrity
  readonly logCopies: LogCopies
  /** Who else can write to the folder, for people; null when nobody can. */
  readonly warning: string | null
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
  /** What this process is to the ledger; left out, it is alone and nothing is recorded for others. */
  readonly replica?: ReplicaRole
}

/**
 * Takes and opens a state folder: the lock first, then the ledger, then the cursors. A ledger that is gone or broken
 * while cursors exist is never begun anew in silence: what was sent would be sent again, what was known is lost.
 */
export function openState(options: StateOptions): State {
  const { folder } = options
  const { warning } = takeFolder(folder)
  try {
    return { ...takeFiles(options), warning }
  } catch (error) {
    if (!isFullBelow(error)) throw error
    if (createBallast(join(folder, 'ballast')).free()) return { ...takeFiles(options), warning }
    throw toFull(folder, error)
  }
}

/** The same error, or what to do where it is a full disk's. */
export function toFull(folder: string, error: unknown): unknown {
  if (!isFullBelow(error)) return error
  return new MonitorError(
    'state.full',
    `The disk of the state folder ${folder} is full: free space there, and start again.`,
    { cause: error },
  )
}

/** A full disk gives its reserve away at the first refusal, and is not written to from the second on. */
const triesOnFullDisk = 3

/** A commit that a start cannot go without: watching in memory is better than ending on a full disk. */
export function commitOnFullDisk(db: Database, work: () => void): void {
  for (let left = triesOnFullDisk - 1; ; left -= 1) {
    try {
      return db.transaction(work)
    } catch (error) {
      if (left === 0 || !isDiskFull(error)) throw error
    }
  }
}

function isFullBelow(error: unknown): boolean {
  return (
    isDiskFull(error) || (error instanceof Error && error.cause !== undefined && isFullBelow(error.cause))
  )
}

function takeFiles(options: StateOptions): Omit<State, 'warning'> {
  const { folder } = options
  const lock = takeStateLock(join(folder, 'lock.sqlite'))
  try {
    if (options.reset) setAside(folder, options.now)
    return openFiles(options, lock)
  } catch (error) {
    lock.release()
    throw isSystemError(error) ? toInvalid(folder, error) : error
  }
}

/** The system's own and those of Node's file functions carry a word, SQLite's a number beside theirs. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && !(error instanceof MonitorError) && 'code' in error
}

function toInvalid(folder: string, error: unknown): MonitorError {
  return new MonitorError(
    'state.invalid',
    `The state folder ${folder} cannot be used: ${errorText(error)}. ${rightsRemedy}`,
    { cause: error },
  )
}

function openFiles(options: StateOptions, lock: ReturnType<typeof takeStateLock>): Omit<State, 'warning'> {
  const { folder } = options
  const path = ledgerPath(folder)
  const cursorPath = join(folder, 'cursors.json')
  if (!existsSync(path) && existsSync(cursorPath)) throw missingLedger(path, cursorPath, 'does not')
  // Whether it is, is said by the damage; whether that can be found out, by whoever looks regularly.
  const now = () => options.timing?.clock.now() ?? options.now
  const trouble = createTrouble(folder, now, () => void integrity.look().catch(() => undefined))
  const isSmall = sizeOf(path) <= smallBytes
  const db = openLedgerFile(path, {
    ...(options.timing && { timing: options.timing }),
    check: isSmall,
    damage: trouble.damage,
    onOutcome: (outcome) => trouble.note(outcome, db),
    // As when the write-ahead log of a young ledger was lost: what is left is a file that holds nothing.
    ...(existsSync(cursorPath) && { refuseNew: missingLedger(path, cursorPath, 'is empty') }),
  })
  const integrity = createIntegrity({
    path,
    isChecked: isSmall,
    onDamaged: (error) => trouble.damage.abort(error),
  })
  const isInPlace = watchPlaces([path, `${path}-wal`, join(folder, 'lock.sqlite')])
  try {
    const taken = takeRole(db, options.replica ?? null)
    if (taken === 'over') placeCursors(cursorPath, db, options.since)
    const cursors =
      taken === 'follower'
        ? { file: sparing(followCursors(db, options.since)), recovered: null }
        : takeCursors({ ...options, path: cursorPath }, db, trouble)
    return {
      db,
      cursors: cursors.file,
      isFirstStart: db.isNew,
      recovered: cursors.recovered,
      noteTold() {
        if (!db.held.isHeld()) removeMarker(folder)
      },
      ballast: trouble.ballast,
      isInPlace,
      commitsFailed: () => trouble.commits(),
      diskErrors: () => trouble.diskErrors(),
      isUnsaved: () => db.held.isHeld(),
      settle: () => trouble.settle(db),
      damage: trouble.damage.signal,
      integrity,
      logCopies: createLogCopies({ path, db, onDamaged: (error) => trouble.damage.abort(error) }),
      bytes: () => measureFolder(folder),
      close() {
        integrity.stop()
        try {
          trouble.release(db)
        } catch {
          // The marker stays, and the next start says what it means.
        }
        db.close()
        lock.release()
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** The cursors of a ledger. One that was put back, or that a process could not save to the end, is noted in it. */
function takeCursors(
  { folder, path, since, now }: StateOptions & { readonly path: string },
  db: Database,
  trouble: Trouble,
): { readonly file: WalkCursors; readonly recovered: string | null } {
  // A ledger that was restored is older than the present: what came since is read again, however old it is.
  const knownUntil = lastSavedAt(db)
  const cursors = openCursors({
    path,
    ledger: db.generation,
    commit: () => readCommit(db),
    initial: initialCursors(Math.min(since, (knownUntil ?? Infinity) - overlapMs)),
    isFirstStart: db.isNew,
    now,
    onUnwritten: (error) => trouble.noteDisk(error),
  })
  const unsavedSince = readMarker(folder)
  if (cursors.isAhead) noteRestored(db, { from: knownUntil ?? since, at: now })
  else if (unsavedSince !== null) noteRestored(db, { from: unsavedSince, at: now })
  return {
    file: trouble.watchCursors(sparing(sharedCursors(cursors.file, db)), db),
    recovered: cursors.recovered ?? describeUnsaved(unsavedSince),
  }
}

function describeUnsaved(since: UnixMs | null): string | null {
  if (since === null) return null
  return `the disk took nothing from ${new Date(since).toISOString()} on, until the last process ended: what came since is read again, and what was sent since is sent again, marked as a repeat; acknowledgements and silences of that time are gone`
}

/** Records are listed late, and filled in later. */
const overlapMs = 3_600_000

/** Up to here a ledger is looked through before it is used: a tenth of a second or two. */
const smallBytes = 64 * 1024 * 1024

function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce(
    (sum, one) => sum + (statSync(one, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
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

/** Each is the file that it was when it was first there: what is written to one that is gone is gone with it. */
function watchPlaces(paths: readonly string[]): () => boolean {
  const known = new Map<string, Stats>()
  const isSame = (path: string) => {
    const found = statSync(path, { throwIfNoEntry: false })
    const before = known.get(path)
    if (before === undefined && found) known.set(path, found)
    return before === undefined || (found?.ino === before.ino && found.dev === before.dev)
  }
  const areSame = () => paths.filter((path) => !isSame(path)).length === 0
  areSame()
  return areSame
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
    // Only what is broken may be set aside: a good ledger that cannot be written is no reason to forget it.
    throw new MonitorError(
      'state.invalid',
      `The ledger ${path} cannot be opened: ${errorText(error)}. ${rightsRemedy}`,
      { cause: error },
    )
  }
}

function missingLedger(path: string, cursorPath: string, what: string): DamagedLedger {
  return new DamagedLedger(`${cursorPath} exists but the ledger ${path} ${what}. ${brokenRemedy}`)
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
