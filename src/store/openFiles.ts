import { chmodSync, existsSync, readdirSync, renameSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { UnixMs } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { initialCursors, openCursors, sparing, type WalkCursors } from './cursors.ts'
import { takeRole } from './replicaRole.ts'
import { followCursors, placeCursors, sharedCursors } from './sharedCursors.ts'
import { brokenRemedy, DamagedLedger } from './damage.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { createIntegrity } from './integrity.ts'
import { createLogCopies } from './logCopies.ts'
import { readMetaNumber } from './meta.ts'
import { lastSavedAt } from './requestNumbers.ts'
import { noteRestored } from './restored.ts'
import { rightsRemedy, takeStateLock } from './stateFolder.ts'
import { createTrouble, type Trouble, readMarker, removeMarker } from './trouble.ts'
import { type State, type StateOptions, ledgerPath } from './state.ts'

export function openFiles(
  options: StateOptions,
  lock: ReturnType<typeof takeStateLock>,
): Omit<State, 'warning'> {
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

export function setAside(folder: string, now: UnixMs): void {
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
