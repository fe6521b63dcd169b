import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorText, MonitorError } from '../lib/errors.ts'
import { makeFolder } from '../lib/makeFolder.ts'
import { isMissing, withPlainFile } from '../lib/plainFile.ts'
import { isBroken } from './damage.ts'

export const rightsRemedy =
  'What it holds is not known to be broken: let the user that runs spanwatch read and write the file and its folder, on a disk that can be written.'

/** Not done by itself: whoever replaced the file while another process starts would leave both with a lock. */
const brokenLock =
  'The file holds nothing that is needed: make sure that no spanwatch uses this state folder, delete that file alone, and start again.'

/** What a state folder holds by name; what was set aside and copies of the ledger are opened by people alone. */
const ours =
  /^(ledger\.sqlite(-wal|-shm|-journal)?|cursors\.json(\.previous)?|lock\.sqlite(-journal)?|ballast|daemon\.json|damage-told|backups|unsaved|room)$/

/** Root may write whatever belongs to whomever: from it a file of its own is no more of a danger. */
const root = 0

export interface StateFolder {
  /** Who else can write here, for people; null when nobody can. */
  readonly warning: string | null
}

/** Makes the folder where it is missing, and looks whether it can be trusted. @throws MonitorError `state.invalid` */
export function takeFolder(folder: string): StateFolder {
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw new MonitorError(
      'state.invalid',
      `The state folder ${folder} cannot be made: ${errorText(error)}`,
      {
        cause: error,
      },
    )
  }
  return checkFolder(folder)
}

/**
 * Whoever can write to the folder can put a link in the place of a file and have us write where we did not mean to.
 * Files are opened by path, by SQLite too: what is no file of our own there is refused before.
 * @throws MonitorError `state.invalid`
 */
export function checkFolder(folder: string): StateFolder {
  const own = process.geteuid?.()
  try {
    const stat = statSync(folder)
    if (own !== undefined && (stat.mode & 0o002) !== 0) throw openToAll(folder, stat.mode)
    for (const name of readdirSync(folder)) {
      if (ours.test(name)) checkEntry(join(folder, name), { own, folderOwner: stat.uid })
    }
    return { warning: own === undefined ? null : describeOthers(folder, stat, own) }
  } catch (error) {
    if (error instanceof MonitorError) throw error
    throw new MonitorError(
      'state.invalid',
      `The state folder ${folder} cannot be looked at: ${errorText(error)}. ${rightsRemedy}`,
      { cause: error },
    )
  }
}

/** A small file of the folder, whatever was put in its place since the folder was checked; null where there is none. */
export function readPlainFile(path: string): string | null {
  try {
    return withPlainFile(path, (file) => readFileSync(file, 'utf8'), constants.O_NOFOLLOW ?? 0)
  } catch (error) {
    if (isMissing(error)) return null
    throw new MonitorError('state.invalid', `${path} cannot be read: ${errorText(error)}`, { cause: error })
  }
}

/** What was renamed in it is so after a power loss, too. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function checkEntry(
  path: string,
  of: { readonly own: number | undefined; readonly folderOwner: number },
): void {
  // One that is gone by now was a journal.
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  const isRight = path.endsWith('backups') ? stat.isDirectory() : stat.isFile()
  if (!isRight) {
    const found = stat.isSymbolicLink() ? 'a symbolic link' : 'no plain file'
    throw new MonitorError(
      'state.invalid',
      `${path} is ${found}, and state files are opened without following links. Put the file itself there; state: may name a folder on another disk, and may itself be a link.`,
    )
  }
  const { own, folderOwner } = of
  if (own === undefined || own === root || [own, root, folderOwner].includes(stat.uid)) return
  throw new MonitorError(
    'state.invalid',
    `${path} belongs to user ${stat.uid}, spanwatch runs as ${own}. Who put it there? If it is yours: chown ${own} ${path}`,
  )
}

function openToAll(folder: string, mode: number): MonitorError {
  return new MonitorError(
    'state.invalid',
    `The state folder ${folder} can be written by every user of this machine (mode ${(mode & 0o7777).toString(8)}): any of them could put files in the place of ours. chmod o-w ${folder}`,
  )
}

function describeOthers(folder: string, { mode, uid, gid }: Stats, own: number): string | null {
  if (own !== root && uid !== own && uid !== root)
    return `the state folder ${folder} belongs to user ${uid}, who can replace what is in it`
  if ((mode & 0o020) !== 0)
    return `the state folder ${folder} can be written by group ${gid}: everybody in it can replace what is in it`
  return null
}

/**
 * Takes the state folder for this process, for life. The lock is an exclusive SQLite transaction: the system drops it
 * with the process however that ends, and it holds across containers that share a volume.
 */
export function takeStateLock(path: string): { release(): void } {
  const connection = openLock(path)
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;')
  } catch (error) {
    connection.close()
    if (!/locked|busy/i.test(errorText(error))) {
      const remedy = isBroken(error) ? brokenLock : rightsRemedy
      throw new MonitorError('state.invalid', `${path} cannot be locked: ${errorText(error)}. ${remedy}`, {
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

function openLock(path: string): DatabaseSync {
  try {
    const connection = new DatabaseSync(path, { timeout: 0 })
    chmodSync(path, 0o600)
    return connection
  } catch (error) {
    throw new MonitorError(
      'state.invalid',
      `${path} cannot be opened: ${errorText(error)}. ${rightsRemedy}`,
      {
        cause: error,
      },
    )
  }
}
