import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SyncAdapter } from 'lowdb'
import { readPlainFile, syncFolder } from './stateFolder.ts'

const prefixOf = (path: string) => `.${basename(path)}.`

/**
 * A lowdb adapter whose write survives a power loss: a new file in the same folder, fsync, rename, fsync of the
 * folder. lowdb's own adapter renames without fsync, which leaves an empty file behind on some file systems.
 * `read` gives the raw text; whether it is any good is for the caller to judge. No link is followed.
 */
export function createDurableTextFile(path: string): SyncAdapter<string> {
  return {
    read() {
      removeLeftovers(dirname(path), prefixOf(path))
      return readPlainFile(path)
    },
    write(text) {
      const temporary = join(dirname(path), `${prefixOf(path)}${process.pid}.tmp`)
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
  // Of a process before that had our number.
  rmSync(path, { force: true })
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function removeLeftovers(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && name.endsWith('.tmp')) rmSync(join(folder, name), { force: true })
  }
}
