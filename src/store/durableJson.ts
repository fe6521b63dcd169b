import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SyncAdapter } from 'lowdb'

/**
 * A lowdb adapter whose write survives a power loss: a new file in the same folder, fsync, rename, fsync of the
 * folder. lowdb's own adapter renames without fsync, which leaves an empty file behind on some file systems.
 * `read` gives the raw text; whether it is any good is for the caller to judge.
 */
export function createDurableTextFile(path: string): SyncAdapter<string> {
  const prefix = `.${basename(path)}.`
  return {
    read() {
      removeLeftovers(dirname(path), prefix)
      try {
        return readFileSync(path, 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      }
    },
    write(text) {
      const temporary = join(dirname(path), `${prefix}${process.pid}.tmp`)
      try {
        writeAndSync(temporary, text)
        renameSync(temporary, path)
        syncFolder(dirname(path))
      } catch (error) {
        rmSync(temporary, { force: true })
        throw error
      }
    },
  }
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
