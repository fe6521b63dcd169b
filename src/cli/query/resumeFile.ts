import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { errorText, MonitorError } from '../../lib/errors.ts'
import { isMissing, withPlainFile } from '../../lib/plainFile.ts'

/** How far a long read has come. Its rows were printed before it was written. */
export interface Progress {
  /** Lists of 20 hashes or addresses that are read whole. */
  readonly lists: number
  /** Of the present list, blocks from this height on are read; null when none is. */
  readonly doneFrom: number | null
  readonly rows: number
  /** Why what was read so far is not whole. */
  readonly reasons: readonly string[]
  /** Hashes that were asked for and not shown so far. */
  readonly missing: readonly string[]
  /** A hash that was asked for and shown; null before the first. */
  readonly control: string | null
  /** Of the present piece, which has to be read from its top again: the rows that were given, each once, as digests. */
  readonly given: readonly string[]
}

export interface ResumeFile {
  readonly progress: Progress
  save(progress: Progress): void
  /** The read came to its end: the next one begins anew. */
  finish(): void
}

export const atStart: Progress = {
  lists: 0,
  doneFrom: null,
  rows: 0,
  reasons: [],
  missing: [],
  control: null,
  given: [],
}

const stored = z.object({
  question: z.string(),
  lists: z.int().min(0),
  doneFrom: z.int().min(0).nullable(),
  rows: z.int().min(0),
  reasons: z.array(z.string().max(500)).max(100),
  missing: z.array(z.string().max(200)).default([]),
  control: z.string().max(200).nullable().default(null),
  given: z.array(z.string().max(40)).default([]),
})

/**
 * Opens the file that a long read goes on from; it need not exist yet.
 * @param question what is asked: a file that belongs to another one is refused
 * @throws MonitorError `usage`
 */
export function openResumeFile(path: string, question: string): ResumeFile {
  const found = read(path)
  if (found !== null && found.question !== question) {
    throw new MonitorError(
      'usage',
      `--resume: ${path} belongs to another question. Name another file, or delete it.`,
    )
  }
  return {
    progress: found ?? atStart,
    save(progress) {
      try {
        // Never half a file: the old one stands until the new one is whole.
        writeFileSync(`${path}.new`, `${JSON.stringify({ question, ...progress }, null, 2)}\n`)
        renameSync(`${path}.new`, path)
      } catch (error) {
        throw new MonitorError('usage', `--resume: ${path} cannot be written: ${errorText(error)}`)
      }
    },
    finish: () => rmSync(path, { force: true }),
  }
}

function read(path: string): z.output<typeof stored> | null {
  let text: string
  try {
    text = withPlainFile(path, (file) => readFileSync(file, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return null
    throw new MonitorError('usage', `--resume: ${path} cannot be read: ${errorText(error)}`)
  }
  const parsed = stored.safeParse(parse(text))
  if (parsed.success) return parsed.data
  throw new MonitorError('usage', `--resume: ${path} is not a file that spanwatch wrote for this. Delete it.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
