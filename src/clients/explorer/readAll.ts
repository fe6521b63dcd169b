import type { z } from 'zod'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { type Absence, isAbsent, noteReading, notYetAbsent } from './absence.ts'
import {
  askedHashes,
  bears,
  type BlockRange,
  halveRange,
  splitList,
  splitRange,
  type WideParams,
} from './question.ts'
import type { CallOptions, Explorer } from './createExplorer.ts'
import { type Endpoint, maxPerRequest } from './endpoint.ts'
import { misfitReason } from './fits.ts'
import type { Answer, Quarantined } from './readAnswer.ts'

export interface ReadAllOptions<R> extends CallOptions {
  /** Takes records as they become certain. */
  onRecords(records: readonly R[]): void | Promise<void>
  /** Takes the rows that cannot be read as they come. */
  readonly quarantined?: Quarantined[]
  /** Values of the list that were asked for before: what concerns them was given then. */
  readonly before?: readonly string[]
  /** Takes each page's new rows; true ends the reading there, which is not whole then. */
  isEnough?(records: readonly R[]): boolean | Promise<boolean>
}

export interface ReadAllResult {
  /** Nothing is left out, and nothing that was asked for by its hash is missing. */
  readonly complete: boolean
  readonly reasons: readonly string[]
  readonly requests: number
  readonly records: number
  /** Hashes that were asked for and that no row bears: no proof of absence; see readMissing. */
  readonly missing: readonly string[]
}

/** "About 10,000" and "about 1,000": from so near to a cap on, an answer counts as cut. */
const nearCap = 0.95

interface MissingRead {
  /** Three readings over half a minute agree, with a hash among them that is known: nothing is there. */
  readonly absent: readonly string[]
  /** Not shown either, and nothing known was asked for beside them that would make that count. */
  readonly unclear: readonly string[]
  readonly reasons: readonly string[]
  readonly requests: number
}

/** With the one that did not show them, three over half a minute. */
const rereads = 2

const pauseMs = 15_000

/** Whether an answer of so many rows has to be taken for one that the service cut. */
export function isNearCap(rows: number, { cap = Infinity }: Pick<Endpoint, 'cap'>): boolean {
  return rows >= cap * nearCap
}

const emptyPauseMs = 1_000

export interface ReadAllDeps {
  readonly explorer: Pick<Explorer, 'call' | 'walk'>
  readonly clock: Pick<Clock, 'sleep'>
}

interface Job<R> extends ReadAllDeps {
  readonly endpoint: Endpoint<z.ZodType, R>
  readonly options: ReadAllOptions<R>
  readonly reasons: Set<string>
  /** Lower-case, as rows give them. */
  readonly before: Set<string>
  /** Hashes that were asked for and that no row has borne so far. */
  readonly missing: Set<string>
  requests: number
  records: number
  /** The caller wants no more. */
  isOver: boolean
}

/**
 * Answers a question of any size: lists of more than 20 values and ranges that are too wide are split into legal
 * requests and joined, pages are walked to their proven end, and answers that the service caps, or whose pages do not
 * join up, are narrowed by range of blocks until they are whole. What cannot be made whole is said to be incomplete.
 */
export async function readAll<R>(
  deps: ReadAllDeps,
  endpoint: Endpoint<z.ZodType, R>,
  params: WideParams,
  options: ReadAllOptions<R>,
): Promise<ReadAllResult> {
  const before = new Set((options.before ?? []).map((value) => value.toLowerCase()))
  const missing = new Set(askedHashes(params))
  const job: Job<R> = {
    ...deps,
    endpoint,
    options,
    reasons: new Set(),
    before,
    missing,
    requests: 0,
    records: 0,
    isOver: false,
  }
  for (const listed of splitLists(endpoint, params)) {
    for (const range of splitRanges(endpoint, params)) await readRange(job, listed, range)
    for (const value of listOf(endpoint, listed)) before.add(value.toLowerCase())
  }
  const reasons = [...job.reasons]
  return {
    complete: reasons.length === 0 && missing.size === 0,
    reasons,
    requests: job.requests,
    records: job.records,
    missing: [...missing],
  }
}

/** A question in pieces of which each has a list that one request may carry. */
export function splitLists(endpoint: Endpoint, params: WideParams): WideParams[] {
  const { listParam } = endpoint
  const values = listOf(endpoint, params)
  if (!listParam || values.length === 0) return [params]
  return splitList(values).map((list) => ({ ...params, [listParam]: list }))
}

/** The values of a question's list; none where it has none. */
export function listOf(endpoint: Pick<Endpoint, 'listParam'>, params: WideParams): readonly string[] {
  const values = endpoint.listParam && params[endpoint.listParam]
  return Array.isArray(values) ? values : []
}

/** One null stands for "as the parameters are". */
function splitRanges(endpoint: Endpoint, params: WideParams): (BlockRange | null)[] {
  const start = toHeight(params['startBlockHeight'])
  const end = toHeight(params['endBlockHeight'])
  if (!endpoint.hasRange || start === null || end === null || end < start) return [null]
  return endpoint.maxSpan === undefined ? [{ start, end }] : splitRange({ start, end }, endpoint.maxSpan)
}

function toHeight(value: WideParams[string]): number | null {
  const height = Number(value)
  return value !== undefined && Number.isSafeInteger(height) && height >= 0 ? height : null
}

/** Reads a range, or its halves when the service would cut it. */
async function readRange<R>(job: Job<R>, params: WideParams, range: BlockRange | null): Promise<void> {
  if (job.isOver) return
  const asked = range ? { ...params, startBlockHeight: range.start, endBlockHeight: range.end } : params
  const halves = range && halveRange(range)
  const found: R[] = []
  const end = await readTwice(job, { asked, canNarrow: halves !== null, found })
  if (job.isOver) job.reasons.add('it was ended before its end')
  else if (end.isCut && halves) {
    for (const half of halves) await readRange(job, params, half)
    return
  } else if (end.isCut)
    job.reasons.add('the service gives no more results than these, and nothing narrows the question')
  for (const reason of end.reasons) job.reasons.add(reason)
  const { endpoint, before, missing } = job
  for (const hash of listOf(endpoint, params).length > 0 ? listOf(endpoint, params) : missing)
    if (missing.has(hash) && found.some((record) => bears(endpoint, record, hash))) missing.delete(hash)
  // A row of two lists, such as a payment from an address of one to an address of the other, was given with the first.
  const fresh =
    before.size === 0 || !endpoint.concerns
      ? found
      : found.filter((record) => endpoint.concerns?.(record, before, params) !== true)
  job.records += fresh.length
  await job.options.onRecords(fresh)
}

/** An empty answer may be throttling in disguise, so it is believed only when a second one agrees. */
async function readTwice<R>(job: Job<R>, part: Part<R>): Promise<ReadOnce> {
  const first = await readOnce(job, part)
  if (first.isCut || job.isOver || part.found.length > 0) return first
  await job.clock.sleep(emptyPauseMs, job.options.signal)
  return readOnce(job, part)
}

/** What one reading asks, and where it puts what it finds. */
interface Part<R> {
  readonly asked: WideParams
  readonly canNarrow: boolean
  readonly found: R[]
}

interface ReadOnce {
  readonly isCut: boolean
  readonly reasons: readonly string[]
}

async function readOnce<R>(job: Job<R>, { asked, canNarrow, found }: Part<R>): Promise<ReadOnce> {
  const { endpoint, options } = job
  if (endpoint.maxLimit === null) {
    const answer = await job.explorer.call(endpoint, asked, options)
    job.requests += 1
    options.quarantined?.push(...answer.quarantined)
    found.push(...answer.records)
    return { isCut: isNearCap(countRows(answer), endpoint), reasons: doubtsOf(answer) }
  }
  // Known from the first page on: no need to read what will have to be asked again in pieces.
  const isCutEarly = (answer: Answer<R>) =>
    (answer.totalPage ?? 0) >= 10_000 || isNearCap((answer.totalPage ?? 0) * (answer.limit ?? 0), endpoint)
  const unread = options.quarantined?.length ?? 0
  const result = await job.explorer.walk(endpoint, asked, {
    ...options,
    onBegin() {
      found.length = 0
      options.quarantined?.splice(unread)
    },
    onNew: async (records, answer) => {
      found.push(...records)
      if (records.length > 0 && (await options.isEnough?.(records)) === true) job.isOver = true
      return job.isOver || (canNarrow && isCutEarly(answer))
    },
    onPage: (answer) => void options.quarantined?.push(...answer.quarantined),
  })
  job.requests += result.pages
  // Fewer blocks have fewer borders, and one page at last.
  const isCut = result.stopped || isNearCap(result.rows, endpoint) || (canNarrow && result.isUnjoined)
  return { isCut, reasons: result.reasons.filter((reason) => reason !== 'the list is empty') }
}

/** Why an answer in one piece is not whole. */
export function doubtsOf({ contradicted, misfits }: Answer<unknown>): string[] {
  return [
    ...(contradicted ? ['an answer was empty where something is known to be'] : []),
    ...(misfits.length > 0 ? [misfitReason] : []),
  ]
}

function countRows(answer: Answer<unknown>): number {
  return answer.records.length + answer.quarantined.length
}

/**
 * Asks again for hashes that an answer did not show, by the rules of absence. What is shown after all goes to
 * `onRecords`.
 * @param control a hash of the same question that was shown
 */
export async function readMissing<R>(
  deps: ReadAllDeps & { readonly clock: Pick<Clock, 'sleep' | 'now'> },
  endpoint: Endpoint<z.ZodType, R>,
  question: {
    readonly params: WideParams
    readonly missing: readonly string[]
    readonly control: string | null
  },
  options: Pick<ReadAllOptions<R>, 'priority' | 'signal' | 'attempts' | 'onRecords'>,
): Promise<MissingRead> {
  const { params, control } = question
  const readings = new Map(
    question.missing.map((hash) => [hash, note(notYetAbsent, 'absent', deps.clock.now())]),
  )
  const reasons = new Set<string>()
  let requests = 0
  for (let reread = 0; reread < rereads && readings.size > 0; reread += 1) {
    await deps.clock.sleep(pauseMs, options.signal)
    for (const hashes of toQuestions(endpoint, [...readings.keys()], control)) {
      const asked = control === null || endpoint.listParam !== 'txId' ? hashes : [...hashes, control]
      const read = await readAll(
        deps,
        endpoint,
        { ...params, ...toParam(endpoint, params, asked) },
        {
          ...options,
          onRecords: (records) =>
            options.onRecords(records.filter((record) => !bears(endpoint, record, control))),
        },
      )
      requests += read.requests
      for (const reason of read.reasons) reasons.add(reason)
      const left = new Set(read.missing)
      const isControlled = asked.length > hashes.length && !left.has(control ?? '')
      for (const hash of hashes) {
        const kind = isControlled ? 'absent-among-others' : 'absent'
        if (left.has(hash)) readings.set(hash, note(readings.get(hash), kind, deps.clock.now()))
        else readings.delete(hash)
      }
    }
  }
  const left = [...readings]
  return {
    absent: left.filter(([, absence]) => isAbsent(absence)).map(([hash]) => hash),
    unclear: left.filter(([, absence]) => !isAbsent(absence)).map(([hash]) => hash),
    reasons: [...reasons],
    requests,
  }
}

function note(before: Absence | undefined, kind: 'absent' | 'absent-among-others', at: UnixMs): Absence {
  return noteReading(before ?? notYetAbsent, { kind, at })
}

function toQuestions(endpoint: Endpoint, hashes: readonly string[], control: string | null): string[][] {
  if (endpoint.listParam !== 'txId') return hashes.map((hash) => [hash])
  return splitList(hashes, control === null ? maxPerRequest : maxPerRequest - 1)
}

function toParam(endpoint: Endpoint, params: WideParams, hashes: readonly string[]): WideParams {
  if (endpoint.listParam === 'txId') return { txId: hashes }
  return params['txid'] === undefined ? { txId: hashes[0] } : { txid: hashes[0] }
}
