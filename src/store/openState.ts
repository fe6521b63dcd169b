import { join } from 'node:path'
import { errorText, MonitorError } from '../lib/errors.ts'
import { createBallast, isDiskFull } from './ballast.ts'
import type { Database } from './database.ts'
import { rightsRemedy, takeFolder, takeStateLock } from './stateFolder.ts'
import type { State, StateOptions } from './state.ts'
import { openFiles, setAside } from './openFiles.ts'

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
