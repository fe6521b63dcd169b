import { z } from 'zod'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from './database.ts'
import { readMeta, saveMeta } from './meta.ts'
import { parseJson } from './table.ts'

const schema = z.object({ from: z.number(), at: z.number() })

/** That a ledger was put back: what it knew last, and when that was found. What was sent in between it does not remember. */
export interface Restored {
  readonly from: UnixMs
  readonly at: UnixMs
}

/** Where the last such note is read, at each message: one may be made while the process runs. */
export interface RestoredNote {
  read(): Restored | null
}

const name = 'restored'

export function noteRestored(db: Database, restored: Restored): void {
  saveMeta(db, name, JSON.stringify(restored))
}

export function readRestored(db: Database): Restored | null {
  return schema.safeParse(parseJson(readMeta(db, name) ?? '')).data ?? null
}
