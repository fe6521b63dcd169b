import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { UnixMs } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import { type Ballast, createBallast, isDiskFull, takesBytes } from './ballast.ts'
import type { Outcome } from './commits.ts'
import type { Cursors, WalkCursors } from './cursors.ts'
import { isDiskError, isSuspicious } from './damage.ts'
import type { Database } from './database.ts'
import { noteRestored } from './restored.ts'

/** What went wrong with a state folder's disk since the start, and what is done about it. */
export interface Trouble {
  /** Room kept back on the disk; it is given away when a commit finds the disk full. */
  readonly ballast: Ballast
  /** Aborted with a DamagedLedger. */
  readonly damage: AbortController
  /** Commits that failed. */
  commits(): number
  /** How often the disk refused, in commits and in writes of cursors, and what it said last. */
  diskErrors(): { readonly count: number; readonly last: string }
  /** The disk refused something other than a commit. */
  noteDisk(error: unknown): void
  /** What became of a commit. */
  note(outcome: Outcome, db: Database): void
  /** Cursors that stay in memory as long as the commits which they point past. */
  watchCursors(file: WalkCursors, db: Database): WalkCursors
  /** Saves what stayed in memory once the disk takes it. @throws what the disk says when it refuses nevertheless */
  settle(db: Database): void
  /** The same without asking whether there is room. */
  release(db: Database): void
}

/** An error that is not a full disk's may pass; so many in a row do not. */
const refusalsInARow = 5

/** Room for what is written beside the ledger's pages. */
const marginBytes = 1024 * 1024

/** `onSuspicion`: an error came that a broken file may be the cause of. */
export function createTrouble(folder: string, now: () => UnixMs, onSuspicion: () => void): Trouble {
  const ballast = createBallast(join(folder, 'ballast'))
  const counts = { commits: 0, disk: 0, lastDisk: '', inARow: 0 }
  /** Cursors, and by how many pages they came further; null where they have to be written. */
  let unsaved: { readonly next: Cursors; readonly pages: number | null } | null = null
  const losses = createLosses(now)
  const noteDisk = (error: unknown) => {
    counts.disk += 1
    counts.lastDisk = errorText(error)
  }
  let cursors: WalkCursors | null = null
  const release = ({ held }: Database) => {
    if (!held.isHeld()) return
    ballast.free()
    held.release()
    losses.saved()
    removeMarker(folder)
  }

  return {
    ballast,
    damage: new AbortController(),
    commits: () => counts.commits,
    diskErrors: () => ({ count: counts.disk, last: counts.lastDisk }),
    noteDisk,
    note(outcome, db) {
      if ('tookMs' in outcome) {
        counts.inARow = 0
        if (unsaved !== null && cursors !== null) put(cursors, unsaved)
        unsaved = null
        return
      }
      const { error } = outcome
      counts.commits += 1
      // Cursors never point past what is neither on the disk nor in memory.
      if (!db.held.isHeld()) {
        losses.lost()
        unsaved = null
      }
      if (isSuspicious(error)) onSuspicion()
      if (isDiskError(error)) noteDisk(error)
      if (!isDiskError(error) && !isDiskFull(error)) return
      counts.inARow += 1
      if (isDiskFull(error) && ballast.free()) giveRoom(db)
      else if (isDiskFull(error) || counts.inARow >= refusalsInARow) {
        leaveMarker(folder)
        db.held.hold()
        losses.held()
      }
      losses.note(db)
    },
    watchCursors(file, db) {
      cursors = file
      return {
        read: () => unsaved?.next ?? file.read(),
        write(next) {
          if (db.held.isUnsaved()) unsaved = { next, pages: null }
          else file.write(next)
        },
        advance(next, pages = 1) {
          const before = unsaved === null ? 0 : unsaved.pages
          if (db.held.isUnsaved()) unsaved = { next, pages: before === null ? null : before + pages }
          else file.advance(next, pages)
        },
      }
    },
    settle(db) {
      if (!db.held.isHeld()) return
      ballast.free()
      if (takesBytes(folder, db.held.heldBytes() + marginBytes)) release(db)
    },
    release,
  }
}

function put(
  file: WalkCursors,
  { next, pages }: { readonly next: Cursors; readonly pages: number | null },
): void {
  if (pages === null) file.write(next)
  else file.advance(next, pages)
}

/** What stayed in memory and was lost: what was sent of it is found and sent again, and has to say so. */
function createLosses(now: () => UnixMs) {
  let heldSince: UnixMs | null = null
  let lostSince: UnixMs | null = null
  return {
    held: () => void (heldSince ??= now()),
    saved: () => void (heldSince = null),
    lost() {
      lostSince ??= heldSince
      heldSince = null
    },
    note(db: Database) {
      if (lostSince === null) return
      try {
        noteRestored(db, { from: lostSince, at: now() })
        lostSince = null
      } catch {
        // The next refusal tries it again.
      }
    },
  }
}

/** The reserve gives the file room for what the write-ahead log holds, which gives back its own. */
function giveRoom(db: Database): void {
  try {
    db.truncateLog()
  } catch {
    // Full to the last page: the next commit says so.
  }
}

/** An empty file: the disk that has no room for anything else has room for its name. */
const marker = 'unsaved'

function leaveMarker(folder: string): void {
  try {
    closeSync(openSync(join(folder, marker), 'a', 0o600))
  } catch {
    // Then what is sent again after the next start does not say so.
  }
}

/** Since when a process before this one could save nothing, and ended so; null when none did. */
export function readMarker(folder: string): UnixMs | null {
  return statSync(join(folder, marker), { throwIfNoEntry: false })?.mtimeMs ?? null
}

export function removeMarker(folder: string): void {
  rmSync(join(folder, marker), { force: true })
}
