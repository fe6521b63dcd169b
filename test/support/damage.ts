import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const pageBytes = 4_096

/** Bytes that are no page of anything, the same at each run. */
function noise(bytes: number): Uint8Array {
  let seed = 7
  return Buffer.alloc(bytes).map(() => (seed = (seed * 48_271) % 2_147_483_647) & 0xff)
}

function edit(path: string, change: (file: number, size: number) => void): void {
  const file = openSync(path, 'r+')
  try {
    change(file, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

/** The first page of a table or an index. */
function pageOf(path: string, name: string): number {
  const connection = new DatabaseSync(path, { readOnly: true })
  try {
    const [page] = Object.values(
      connection.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name) ?? {},
    )
    return Number(page)
  } finally {
    connection.close()
  }
}

function overwritePage(path: string, page: number): void {
  edit(path, (file) => writeSync(file, noise(pageBytes), 0, pageBytes, (page - 1) * pageBytes))
}

/** What can happen to the file of a ledger, each done to it by its path. */
export const damages: Readonly<Record<string, (path: string) => void>> = {
  'overwritten pages': (path) =>
    edit(path, (file, size) => {
      for (let at = 2 * pageBytes; at < size; at += 7 * pageBytes)
        writeSync(file, noise(pageBytes), 0, pageBytes, at)
    }),
  'a truncated file': (path) =>
    edit(path, (file, size) => ftruncateSync(file, Math.floor(size / pageBytes / 2) * pageBytes)),
  'a zeroed header': (path) => edit(path, (file) => writeSync(file, Buffer.alloc(512), 0, 512, 0)),
  'a damaged index': (path) => overwritePage(path, pageOf(path, 'sqlite_autoindex_meta_1')),
  'a damaged freelist': (path) =>
    edit(path, (file) => {
      const header = Buffer.alloc(8)
      readSync(file, header, 0, 8, 32)
      // A list of free pages that begins at a page that is not there.
      header.writeUInt32BE(999_999, 0)
      header.writeUInt32BE(5, 4)
      writeSync(file, header, 0, 8, 32)
    }),
}

/** Overwrites what was committed and is not in the file yet; false where there is nothing of it. */
export function damageLog(path: string): boolean {
  const log = `${path}-wal`
  if (!existsSync(log) || statSync(log).size === 0) return false
  edit(log, (file, size) => {
    // Each frame: 24 bytes that describe it, then its page.
    for (let at = 32 + 24; at + pageBytes <= size; at += 24 + pageBytes)
      writeSync(file, noise(pageBytes), 0, pageBytes, at)
  })
  return true
}
