import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { readMeta, saveMeta } from '../../store/meta.ts'

const height = z.number().int().nonnegative()

const book = z.object({
  /** By source: what it showed of the chain. */
  chains: z.record(z.string(), z.array(z.tuple([height, z.string()]))),
  /** By source: how many reorganisations it showed in all. */
  counts: z.record(z.string(), height),
  /** The newest of them, oldest first. */
  reorgs: z.array(
    z.object({
      source: z.enum(['canonical', 'preconf', 'explorer']),
      at: z.number(),
      depth: height,
      depthAtMost: height.nullable(),
      fromHeight: height,
      toHeight: height,
      before: z.string(),
      after: z.string(),
    }),
  ),
})

/** What is remembered of reorganisations, over restarts too. */
export type ReorgBook = z.output<typeof book>

const name = 'main_reorgs'

export function readBook(db: Database): ReorgBook {
  const text = readMeta(db, name)
  // Without it blocks are compared from now on: nothing else rests on it.
  const read = book.safeParse(text === null ? null : parseOrNull(text))
  return read.success ? read.data : { chains: {}, counts: {}, reorgs: [] }
}

export function saveBook(db: Database, kept: ReorgBook): void {
  saveMeta(db, name, JSON.stringify(kept))
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
