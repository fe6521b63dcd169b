import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SyncAdapter } from 'lowdb'

/**
 * A lowdb adapter whose write survives a power loss: a new file in the same folder, fsync, rename, fsync of the
 * folder. lowdb's own adapter renames without fsync, which leaves an empty file behind on some file systems.
 * `read` gives the raw text; whether it is any good is for the caller to judge. A symbolic link is followed: what it
 * leads to is replaced, the link stays.
 */
export function createDurableTextFile(path: string): SyncAdapter<string> {
  return {
    read() {
      const target = followLink(path)
      removeLeftovers(dirname(target), prefixOf(target))
      try {
        return readFileSync(path, 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      }
    },
    write(text) {
      const target = followLink(path)
      const temporary = join(dirname(target), `${prefixOf(target)}${process.pid}.tmp`)
      try {
        writeAndSync(temporary, text)
        renameSync(temporary, target)
        syncFolder(dirname(target))
      } catch (error) {
        rmSync(temporary, { force: true })
        throw error
      }
    },
  }
}

const prefixOf = (path: string) => `.${basename(path)}.`

/** @throws ENOENT for a link that leads nowhere */
function followLink(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? realpathSync(path) : path
}

function writeAndSync(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function removeLeftovers(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && name.endsWith('.tmp')) rmSync(join(folder, name), { force: true })
  }
}
