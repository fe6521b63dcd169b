import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { errorText, MonitorError } from '../lib/errors.ts'

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
  const partial = `${target}.partial`
  const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    await backup(source, partial, { rate: pagesPerStep, progress: onProgress })
    checkCopy(partial)
    chmodSync(partial, 0o600)
    renameSync(partial, target)
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

function checkCopy(path: string): void {
  const copy = new DatabaseSync(path)
  try {
    // A backup is one file: without this the copy would want a journal beside it.
    copy.exec('PRAGMA journal_mode = DELETE')
    const result = copy.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
    if (result !== 'ok') throw new MonitorError('state.invalid', `The backup is broken: ${String(result)}`)
  } finally {
    copy.close()
  }
}
