import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { makeFolder } from '../lib/makeFolder.ts'
import { readSpareBytes } from './ballast.ts'
import { checkFile } from './damage.ts'
import type { Integrity } from './integrity.ts'
import { ledgerPath } from './state.ts'
import { checkFolder, syncFolder, takeStateLock } from './stateFolder.ts'

export interface BackupSettings {
  readonly everyMs: number
  readonly keep: number
  readonly maxBytes: number
}

interface Backup {
  readonly path: string
  readonly at: UnixMs
  readonly bytes: number
}

function folderOf(stateFolder: string): string {
  return join(stateFolder, 'backups')
}

/** The scheduled backups of a state folder, newest first; those from the future, which a wrong clock made, are the last. */
export function listBackups(stateFolder: string, now: UnixMs): Backup[] {
  const folder = folderOf(stateFolder)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .flatMap((name): Backup[] => {
      const [, written] = /^ledger-(\d+)\.sqlite$/.exec(name) ?? []
      const path = join(folder, name)
      const stat = lstatSync(path, { throwIfNoEntry: false })
      // What is no plain file was not put there by us: a pipe would be waited for.
      return written === undefined || !stat?.isFile() ? [] : [{ path, at: Number(written), bytes: stat.size }]
    })
    .sort((one, other) => Number(one.at > now) - Number(other.at > now) || other.at - one.at)
}

/**
 * Makes a backup when the newest is old enough, and forgets those beyond what is to be kept. Never into the room that is
 * held back for the ledger itself.
 * @throws MonitorError `state.invalid` when there is no room, or the copy fails
 */
export async function keepBackups(
  of: {
    readonly folder: string
    readonly integrity: Pick<Integrity, 'copyTo'>
    readonly settings: BackupSettings
  },
  now: UnixMs,
): Promise<void> {
  const { folder, settings } = of
  const [newest] = listBackups(folder, now)
  if (newest !== undefined && newest.at <= now && now - newest.at < settings.everyMs) return
  makeFolder(folderOf(folder), 0o700)
  removePartial(folderOf(folder))
  const needed = statSync(ledgerPath(folder)).size
  if (readSpareBytes(folder) < needed) {
    throw new MonitorError(
      'state.invalid',
      `There is no room for a backup of ${needed} bytes in ${folderOf(folder)} beside the reserve: free space, or set backups.maxBytes lower.`,
    )
  }
  await of.integrity.copyTo(join(folderOf(folder), `ledger-${now}.sqlite`))
  forget(listBackups(folder, now), settings)
}

function removePartial(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.endsWith('.partial')) rmSync(join(folder, name), { force: true })
}

function forget(backups: readonly Backup[], { keep, maxBytes }: BackupSettings): void {
  let bytes = 0
  for (const [index, backup] of backups.entries()) {
    bytes += backup.bytes
    if (index > 0 && (index >= keep || bytes > maxBytes)) rmSync(backup.path, { force: true })
  }
}

/**
 * Puts the newest good backup in the place of a damaged ledger, which is set aside.
 * @returns when it was made; null when there is no good one
 * @throws MonitorError `state.locked`, or the system's error when there is no room
 */
export function restoreNewest(folder: string, now: UnixMs): UnixMs | null {
  checkFolder(folder)
  const lock = takeStateLock(join(folder, 'lock.sqlite'))
  try {
    const backup = listBackups(folder, now).find(({ path }) => isGood(path))
    if (backup === undefined) return null
    const path = ledgerPath(folder)
    const restoring = `${path}.restoring`
    rmSync(restoring, { force: true })
    copyFileSync(backup.path, restoring, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    syncFile(restoring)
    setAside(folder, now)
    renameSync(restoring, path)
    syncFolder(folder)
    return backup.at
  } finally {
    lock.release()
  }
}

function isGood(path: string): boolean {
  try {
    checkFile(path)
    return true
  } catch {
    return false
  }
}

/** Of ledgers that were damaged the newest alone is kept: they are as large as the ledger. */
function setAside(folder: string, now: UnixMs): void {
  for (const name of readdirSync(folder)) {
    if (/^ledger\.sqlite(-wal|-shm)?\.damaged-\d+$/.test(name)) rmSync(join(folder, name), { force: true })
  }
  for (const name of ['ledger.sqlite', 'ledger.sqlite-wal', 'ledger.sqlite-shm']) {
    const path = join(folder, name)
    if (existsSync(path)) renameSync(path, `${path}.damaged-${now}`)
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
