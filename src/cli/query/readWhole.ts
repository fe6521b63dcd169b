import { askedHashes, type WideParams } from '../../clients/explorer/question.ts'
import { createHash } from 'node:crypto'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import type { Endpoint } from '../../clients/explorer/endpoint.ts'
import { listOf, readAll, readMissing, splitLists } from '../../clients/explorer/readAll.ts'
import { withList } from './printRows.ts'
import { countEach, heightOf, type Reader, tell } from './reader.ts'
import { atStart, type Progress } from './resumeFile.ts'
import { watchReads } from './watchReads.ts'

export interface Whole {
  readonly rows: number
  readonly requests: number
  /** Why it is not whole; empty when it is. */
  readonly reasons: readonly string[]
  /** Hashes that were asked for and that nothing is known of, by the rules of absence. */
  readonly absent: readonly string[]
}

/** An interactive read is retried longer than a poll, which comes again by itself. */
const attempts = 6
/** Of more rows than these it is not remembered which were given. */
const maxGiven = 200_000

/**
 * Answers a question of any size with the client's own splitting and proof of the end, saying how far it is, and able
 * to go on where an earlier read was stopped: after the lists of 20 that are done and, within a list, below the blocks
 * that are done (ranges are read from their top down).
 */
export async function readWhole(reader: Reader): Promise<Whole> {
  const { endpoint, explorer, io } = reader.job
  const from = reader.resume?.progress ?? atStart
  const watched = { explorer: watchReads(explorer, reader), clock: io.clock }
  const lists = splitLists(endpoint, await bounded(watched.explorer, reader, from))
  const before: string[] = []
  for (const [at, listed] of lists.entries()) {
    if (at > 0) before.push(...listOf(endpoint, lists[at - 1] ?? {}))
    if (at < from.lists) continue
    const piece = below(listed, at === from.lists ? from.doneFrom : null)
    if (piece) await readPiece(watched, piece, reader, { at, before })
    reader.given.clear()
    reader.doneFrom = null
    if (at < lists.length - 1) save(reader, { lists: at + 1 })
  }
  const absent = await readAgain(watched, reader)
  return { rows: reader.rows, requests: reader.requests, reasons: [...reader.reasons], absent }
}

/** The rows up to here have been given. */
function save(reader: Reader, place: Partial<Progress>): void {
  reader.resume?.save({ ...progressOf(reader), ...place })
  reader.isSaved = true
}

function progressOf({ rows, reasons, missing, control, given }: Reader): Progress {
  return {
    ...atStart,
    rows,
    reasons: [...reasons],
    missing: [...missing],
    control,
    given: [...given].flatMap(([digest, count]) => Array.from({ length: count }, () => digest)),
  }
}

/** What was asked for by its hash and not shown is asked for again. @returns what is absent by all rules */
async function readAgain(
  deps: Parameters<typeof readMissing>[0],
  reader: Reader,
): Promise<readonly string[]> {
  if (reader.missing.size === 0) return []
  const { endpoint, io, params } = reader.job
  tell(reader, `asks again for ${reader.missing.size} of the hashes, which are in no answer so far`)
  const question = { params, missing: [...reader.missing], control: reader.control }
  const { absent, unclear, reasons } = await readMissing(deps, endpoint, question, {
    priority: 'bulk',
    signal: io.stop,
    attempts,
    onRecords(rows) {
      reader.printer.add(withList(rows, reader.list))
      reader.rows += rows.length
    },
  })
  for (const reason of reasons) reader.reasons.add(reason)
  if (unclear.length > 0)
    reader.reasons.add(`no row for ${unclear.join(', ')}, asked for three times: that proves nothing`)
  return absent
}

/**
 * A question that is to be gone on with later needs blocks to go on by. A list of the main chain without a range is
 * given one, from its newest block down, provided that its first page shows newest first: what comes later is above it.
 */
async function bounded(
  explorer: Pick<Explorer, 'call'>,
  { job, resume }: Reader,
  from: Progress,
): Promise<WideParams> {
  const { endpoint, io, params } = job
  const isOpen = heightOf(params['endBlockHeight']) === null && endpoint.chain === 'main'
  if (resume === null || !endpoint.hasRange || !isOpen) return params
  const startBlockHeight = params['startBlockHeight'] ?? 0
  if (from.doneFrom !== null) return { ...params, startBlockHeight, endBlockHeight: from.doneFrom }
  const limit = endpoint.maxLimit ?? undefined
  const how = { priority: 'bulk', signal: io.stop, attempts } as const
  const first = await explorer.call(endpoint, { ...params, limit }, how)
  const heights = first.records.map((row) => (row as { height?: number | null }).height)
  const known = heights.filter((height) => typeof height === 'number')
  // A row without a block, such as one that is pending, would be in no range.
  if (known.length === 0 || known.length < heights.length || first.order !== 'newest-first') return params
  return { ...params, startBlockHeight, endBlockHeight: Math.max(...known) }
}

async function readPiece(
  deps: Parameters<typeof readAll>[0],
  params: WideParams,
  reader: Reader,
  list: { readonly at: number; readonly before: readonly string[] },
): Promise<void> {
  const { endpoint, io } = reader.job
  const hasRange = endpoint.hasRange === true && heightOf(params['endBlockHeight']) !== null
  const result = await readAll(deps, endpoint, params, {
    priority: 'bulk',
    signal: io.stop,
    attempts,
    before: list.before,
    onRecords(rows) {
      give(reader, rows)
      reader.part = []
      reader.pageRows = 0
      for (const reason of reader.newest) reader.reasons.add(reason)
      reader.doneFrom = hasRange ? heightOf(reader.asked['startBlockHeight']) : null
      if (reader.doneFrom !== null) save(reader, { lists: list.at, doneFrom: reader.doneFrom })
    },
  }).catch((error: unknown) => {
    if (reader.resume !== null && !reader.hasMisfits) keepPart(reader, params, list)
    throw error
  })
  for (const reason of result.reasons) reader.reasons.add(reason)
  for (const hash of result.missing) reader.missing.add(hash)
  reader.control ??= askedHashes(params).find((hash) => !result.missing.includes(hash)) ?? null
}

/** Gives rows, but for those that an earlier run gave. */
function give(reader: Reader, rows: readonly unknown[]): void {
  const fresh = rows.filter((row) => {
    const digest = reader.given.size === 0 ? '' : digestOf(reader.job.endpoint, row)
    const count = reader.given.get(digest) ?? 0
    if (count > 1) reader.given.set(digest, count - 1)
    else if (count === 1) reader.given.delete(digest)
    return count === 0
  })
  reader.printer.add(withList(fresh, reader.list))
  reader.rows += fresh.length
}

/**
 * A read that is stopped in the midst of a piece gives what it has. Where rows come by falling height, what lies above
 * the lowest block seen is done. Any other piece is read from its top again, and what was given of it is remembered.
 */
function keepPart(
  reader: Reader,
  params: WideParams,
  list: { readonly at: number; readonly before: readonly string[] },
): void {
  const { endpoint } = reader.job
  const before = new Set(list.before.map((value) => value.toLowerCase()))
  const part = reader.part.filter(
    (row) => before.size === 0 || endpoint.concerns?.(row, before, params) !== true,
  )
  const lowest = endpoint.hasRange && endpoint.chain === 'main' ? lowestOfFalling(reader.part) : null
  if (lowest !== null) {
    give(
      reader,
      part.filter((row) => toHeight(row) !== lowest),
    )
    save(reader, { lists: list.at, doneFrom: lowest + 1 })
    return
  }
  const known = [...reader.given]
  if (part.length === 0 || part.length + known.length > maxGiven) return
  give(reader, part)
  // What an earlier run gave is remembered on, whether or not this one came as far.
  for (const [digest, count] of known) reader.given.set(digest, count)
  for (const [digest, count] of countEach(part.map((row) => digestOf(endpoint, row))))
    reader.given.set(digest, Math.max(count, reader.given.get(digest) ?? 0))
  save(reader, { lists: list.at, doneFrom: reader.doneFrom })
}

/** The height of the last row, when no row stands above one that is lower; null also when a row has none. */
function lowestOfFalling(rows: readonly unknown[]): number | null {
  let lowest: number | null = null
  for (const row of rows) {
    const height = toHeight(row)
    if (height === null || (lowest !== null && height > lowest)) return null
    lowest = height
  }
  return lowest
}

function toHeight(row: unknown): number | null {
  const height = typeof row === 'object' && row !== null && 'height' in row ? row.height : null
  return typeof height === 'number' ? height : null
}

function digestOf(endpoint: Endpoint, row: unknown): string {
  const digest = createHash('sha1').update(endpoint.rowKey?.(row) ?? '')
  return digest.digest('base64').slice(0, 16)
}

/** The question without the blocks that are done; null when nothing is left. */
function below(params: WideParams, doneFrom: number | null): WideParams | null {
  if (doneFrom === null) return params
  const start = heightOf(params['startBlockHeight']) ?? 0
  return doneFrom > start ? { ...params, endBlockHeight: doneFrom - 1 } : null
}
