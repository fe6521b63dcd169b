import { createHash } from 'node:crypto'
import { renameSync } from 'node:fs'
import { LowSync } from 'lowdb'
import { z } from 'zod'
import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { createDurableTextFile } from './durableText.ts'

const instant = z.int().nonnegative()

const cursorsSchema = z.strictObject({
  tail: z.strictObject({
    /**
     * When the newest reading of the list began that ended by proof, or when its newest record is from where that is
     * earlier; null before the first one.
     */
    completeAt: instant.nullable(),
  }),
  /** The walk that fills the ledger backwards from the newest record, on a first start or after a rewind. */
  history: z.strictObject({
    /** Records older than this are not asked for. */
    until: instant,
    /** The next page to read, from 1; pages shift while records arrive, so the walk overlaps and is idempotent. */
    page: z.int().positive(),
    /** How many records it read so far. */
    read: z.int().nonnegative(),
    /** At least so many of the newest records are read, whatever their age. */
    least: z.int().nonnegative().default(0),
    /** The newest time on the last page read: how far back it has come. */
    reachedAt: instant.nullable().default(null),
    /** The oldest time that a walk or the sweep was shown: the list may begin there. Null before the first record. */
    oldestAt: instant.nullable().default(null),
    done: z.boolean(),
  }),
  /** What a reading of the tail left out is walked back over; null when nothing is left out. */
  gap: z
    .strictObject({
      /** How far back, past the last complete reading of the tail. */
      until: instant,
      page: z.int().positive(),
      /** When its first page was asked for, and the newest time on it. */
      startedAt: instant.nullable(),
      newestAt: instant.nullable(),
      /** When the newest reading of the tail began that left something out: a walk that began before does not show it. */
      leftAt: instant,
    })
    .nullable()
    .default(null),
  /** The rolling sweep: the next page, and when the present and the last complete pass began and ended. */
  sweep: z.strictObject({
    page: z.int().positive(),
    startedAt: instant.nullable(),
    finishedAt: instant.nullable(),
    tookMs: z.int().nonnegative().nullable(),
  }),
})

const envelopeSchema = z.strictObject({
  version: z.literal(1),
  ledger: z.string(),
  commit: z.int().nonnegative(),
  checksum: z.string(),
  cursors: cursorsSchema,
})

export type Cursors = z.output<typeof cursorsSchema>

export type HistoryWalk = Cursors['history']

export type GapWalk = NonNullable<Cursors['gap']>

/** On a first start so many of the newest records are read whatever their age: they show what is in flight. */
const firstLeast = 10_000

export interface CursorFile {
  read(): Cursors
  /** Durable when it returns, unless the disk refuses, which is noted. Call it after the commit of what it points past. */
  write(cursors: Cursors): void
}

/** Cursors of readings, which go on from page to page. */
export interface WalkCursors extends CursorFile {
  /**
   * A reading came further, by so many pages. In memory at once, and on the disk with the next write, or each sixteenth page:
   * what is lost with the process is read again, and a write waits for the disk four times.
   */
  advance(cursors: Cursors, pages?: number): void
}

export interface OpenedCursors {
  readonly file: CursorFile
  /** Why the cursors were rebuilt; null when they were good or this is a first start. */
  readonly recovered: string | null
  /** They pointed past the ledger, which is an older state of itself. */
  readonly isAhead: boolean
}

/** A walk from the newest page back to `until`, of a list that showed records from `oldestAt` on before. */
export function beginHistory(until: UnixMs, oldestAt: UnixMs | null = null): HistoryWalk {
  return { until, page: 1, read: 0, least: 0, reachedAt: null, oldestAt, done: false }
}

/** A walk over what a reading of the tail left out that began at `leftAt`. */
export function beginGap(until: UnixMs, leftAt: UnixMs): GapWalk {
  return { until: Math.max(0, until), page: 1, startedAt: null, newestAt: null, leftAt }
}

/** Where a ledger starts to be filled: from `since` on. */
export function initialCursors(since: UnixMs): Cursors {
  return {
    tail: { completeAt: null },
    history: { ...beginHistory(Math.max(0, since)), least: firstLeast },
    gap: null,
    sweep: { page: 1, startedAt: null, finishedAt: null, tookMs: null },
  }
}

/** The clock that these were noted by is set by so much; the pass of the sweep that was under way begins anew. */
export function rebaseCursors({ tail, history, gap, sweep }: Cursors, byMs: number): Cursors {
  const moved = (at: UnixMs) => Math.max(at + byMs, 0)
  const move = (at: UnixMs | null) => (at === null ? null : moved(at))
  return {
    tail: { completeAt: move(tail.completeAt) },
    history,
    gap: gap && { ...gap, startedAt: move(gap.startedAt), leftAt: moved(gap.leftAt) },
    sweep: { ...sweep, page: 1, startedAt: move(sweep.startedAt), finishedAt: move(sweep.finishedAt) },
  }
}

/**
 * Opens `cursors.json` beside a ledger. A file that cannot be trusted is set aside, the generation before it is
 * used when that one is good, and otherwise the cursors are rebuilt: reading again is safe, skipping is not.
 */
export function openCursors(options: {
  path: string
  ledger: string
  /** The ledger's count of commits: a cursor beyond it belongs to a later state of a ledger that was restored. */
  commit: () => number
  initial: Cursors
  isFirstStart: boolean
  now: UnixMs
  /** The disk took nothing. That is no reason not to watch: what the file lacks the next start reads again. */
  onUnwritten: (error: unknown) => void
}): OpenedCursors {
  const current = new LowSync<string>(createDurableTextFile(options.path), '')
  const previous = new LowSync<string>(createDurableTextFile(`${options.path}.previous`), '')
  current.read()
  previous.read()
  const isMissing = current.data === ''
  const judged = judge(current.data, options)
  if (judged.newer) throw newerVersion(options.path)
  let cursors = judged.cursors
  if (cursors === null && !isMissing) {
    renameSync(options.path, `${options.path}.broken-${options.now}`)
  }
  const fallback = cursors === null ? judge(previous.data, options).cursors : null
  cursors ??= fallback ?? options.initial
  const isRecovered = judged.cursors === null && !(isMissing && options.isFirstStart)

  const write = (next: Cursors) => {
    const text = toText(next, options.ledger, options.commit())
    cursors = next
    try {
      if (judge(current.data, options).cursors !== null) {
        previous.data = current.data
        previous.write()
      }
      current.data = text
      current.write()
    } catch (error) {
      options.onUnwritten(error)
    }
  }
  write(cursors)
  return {
    file: { read: () => cursors ?? options.initial, write },
    recovered: isRecovered
      ? `${options.path}: ${judged.problem}; ${fallback ? 'the previous generation is used' : 'rebuilt, history is read again'}`
      : null,
    isAhead: judged.problem === ahead,
  }
}

const pagesPerWrite = 16

/** Spares a file what may be read again. */
export function sparing(file: CursorFile): WalkCursors {
  let advanced: Cursors | null = null
  let unwritten = 0
  const write = (next: Cursors) => {
    advanced = null
    unwritten = 0
    file.write(next)
  }
  return {
    read: () => advanced ?? file.read(),
    write,
    advance(next, pages = 1) {
      unwritten += pages
      if (unwritten >= pagesPerWrite) write(next)
      else advanced = next
    },
  }
}

/** A file of cursors, to be written past whatever is there. */
export function createCursorText(path: string) {
  const file = createDurableTextFile(path)
  return {
    write: (cursors: Cursors, ledger: string, commit: number) => file.write(toText(cursors, ledger, commit)),
  }
}

/** Null for what is none. */
export function readCursors(data: unknown): Cursors | null {
  return cursorsSchema.safeParse(data).data ?? null
}

const ahead = 'it is ahead of the ledger (a restored backup?)'

/** Cursors of a file's text, whatever ledger they belong to; null when it is broken. */
export function parseCursors(text: string): Cursors | null {
  try {
    const data: unknown = JSON.parse(text)
    const parsed = envelopeSchema.safeParse(data)
    return parsed.success && isUnchanged(data, parsed.data) ? parsed.data.cursors : null
  } catch {
    return null
  }
}

function judge(
  text: string,
  options: { ledger: string; commit: () => number },
): { cursors: Cursors | null; problem: string; newer: boolean } {
  const bad = (problem: string) => ({ cursors: null, problem, newer: false })
  if (text === '') return bad('missing')
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return bad('not JSON')
  }
  const version = z.object({ version: z.int() }).safeParse(data)
  if (version.success && version.data.version > 1) return { ...bad('a newer version'), newer: true }
  const parsed = envelopeSchema.safeParse(data)
  if (!parsed.success) return bad(`expected an object with version, ledger, commit, checksum and cursors`)
  const envelope = parsed.data
  if (!isUnchanged(data, envelope)) return bad('its checksum is wrong')
  if (envelope.ledger !== options.ledger) return bad('it belongs to another ledger')
  if (envelope.commit > options.commit()) return bad(ahead)
  return { cursors: envelope.cursors, problem: '', newer: false }
}

function toText(cursors: Cursors, ledger: string, commit: number): string {
  return `${JSON.stringify({ version: 1, ledger, commit, checksum: checksum(cursors), cursors }, null, 2)}\n`
}

/** By what the file holds: what an older version did not write yet is filled in only when it is read. */
function isUnchanged(data: unknown, { checksum: expected }: z.output<typeof envelopeSchema>): boolean {
  return expected === checksum((data as { readonly cursors: unknown }).cursors)
}

function checksum(cursors: unknown): string {
  return createHash('sha256').update(JSON.stringify(cursors)).digest('hex').slice(0, 16)
}

function newerVersion(path: string): MonitorError {
  return new MonitorError('state.invalid', `${path} was written by a newer spanwatch: use that one.`)
}
