import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { errorText, MonitorError } from '../lib/errors.ts'
import { assertWhole, isBroken, toDamaged } from './damage.ts'
import { syncFolder } from './stateFolder.ts'

export interface BackupProgress {
  readonly totalPages: number
  readonly remainingPages: number
}

/** Pages copied between two chances for the daemon to write: a few milliseconds each. */
const pagesPerStep = 1_000

/**
 * Copies a ledger while the daemon writes to it, by SQLite's own online backup: the copy is one state of the ledger,
 * whole. It appears under its name only when it is complete and was checked.
 * @throws MonitorError `usage` when the target exists, `state.invalid` when the copy fails or is broken
 */
export async function backupLedger(
  path: string,
  target: string,
  onProgress: (progress: BackupProgress) => void = () => {},
): Promise<void> {
  if (existsSync(target)) throw new MonitorError('usage', `${target} exists already: name another file.`)
  // With the dot a file in the folder's place is none either.
  if (!existsSync(`${dirname(target)}/.`)) throw new MonitorError('usage', `${dirname(target)} is no folder.`)
  const partial = `${target}.partial`
  const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    rmSync(partial, { force: true })
    // One snapshot for all of it: a copy is begun anew whenever somebody writes between two steps.
    source.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    await backup(source, partial, { rate: pagesPerStep, progress: onProgress })
    checkCopy(partial, path)
    chmodSync(partial, 0o600)
    renameSync(partial, target)
    syncFolder(dirname(target))
  } catch (error) {
    rmSync(partial, { force: true })
    if (error instanceof MonitorError) throw error
    throw new MonitorError('state.invalid', `The backup to ${target} failed: ${errorText(error)}`, {
      cause: error,
    })
  } finally {
    source.close()
  }
}

/** What is broken in the copy, page by page, is broken in the ledger. */
function checkCopy(copyPath: string, path: string): void {
  const copy = new DatabaseSync(copyPath)
  try {
    // A backup is one file: without this the copy would want a journal beside it.
    copy.exec('PRAGMA journal_mode = DELETE')
    assertWhole(copy, path)
  } catch (error) {
    throw isBroken(error) ? toDamaged(path, error) : error
  } finally {
    copy.close()
  }
}
