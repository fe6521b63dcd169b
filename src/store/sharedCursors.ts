import { rmSync } from 'node:fs'
import type { UnixMs } from '../lib/clock.ts'
import { createCursorText, type CursorFile, type Cursors, initialCursors, readCursors } from './cursors.ts'
import type { Database } from './database.ts'
import { readMeta, readMetaNumber, saveMeta } from './meta.ts'
import { parseJson } from './table.ts'

const name = 'cursors'

/** Cursors that are in the ledger as well where that is replicated, after the commit which they point past. */
export function sharedCursors(file: CursorFile, db: Database): CursorFile {
  return {
    read: () => file.read(),
    write(cursors) {
      file.write(cursors)
      if (db.changes.state() !== null) db.transaction(() => saveMeta(db, name, JSON.stringify(cursors)), true)
    },
  }
}

/** The holder's, as they came with its commits. */
export function followCursors(db: Database, since: UnixMs): CursorFile {
  return { read: () => readShared(db) ?? initialCursors(since), write: () => undefined }
}

/** Whoever takes over goes on where the holder's commits say: its own file is of an earlier time. */
export function placeCursors(path: string, db: Database, since: UnixMs): void {
  rmSync(`${path}.previous`, { force: true })
  rmSync(path, { force: true })
  const cursors = readShared(db) ?? initialCursors(since)
  createCursorText(path).write(cursors, db.generation, readMetaNumber(db, 'commits') ?? 0)
}

function readShared(db: Database): Cursors | null {
  const text = readMeta(db, name)
  return text === null ? null : readCursors(parseJson(text))
}
