import { isObject } from '../../lib/isObject.ts'
import type { z } from 'zod'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import { cleanText } from '../../lib/text.ts'
import { cutText } from '../cutText.ts'
import { describeBody, type HttpAnswer } from '../http.ts'
import { beyondHeadCode, classifyAnswer } from './classifyAnswer.ts'
import type { Endpoint, EndpointId } from './endpoint.ts'
import { listOrder, type Order } from './listOrder.ts'
import { type KeyLack, noteFlaws } from './keyLacks.ts'
import type { RecordReader } from './recordReader.ts'

/** A record that breaks the contract: kept, counted and reported, while the others go on. */
export interface Quarantined {
  /** As it came, cut at 4,000 characters. */
  readonly raw: string
  /** What was expected, what came and where: `valueRaw: expected a decimal uint256, got number 12`. */
  readonly problem: string
  readonly path: string
  /** It can be read, and answers another question. */
  readonly isMisfit: boolean
  /** Its place among the rows of the answer. */
  readonly index: number
}

export interface Answer<R> {
  readonly endpoint: EndpointId
  /** When the request was sent, by our clock. */
  readonly requestedAt: UnixMs
  readonly records: readonly R[]
  readonly quarantined: readonly Quarantined[]
  /** Why some of those were set aside: they answer another question. With one of them the answer is not whole. */
  readonly misfits: readonly string[]
  /** What the list gives beside its rows, by name; '' where it leaves it out. Empty where none of it is documented. */
  readonly list: Readonly<Record<string, string>>
  /** Paging as the service says it; null where it does not. */
  readonly page: number | null
  readonly limit: number | null
  readonly totalPage: number | null
  readonly total: number | null
  readonly order: Order
  /** No rows at all. Never proof of absence: throttling in disguise looks the same. */
  readonly empty: boolean
  /** Empty although the same question is known to have an answer: could not ask. */
  readonly contradicted: boolean
  /** The service says that the height lies beyond the head: the one empty answer that is a fact. */
  readonly beyondHead: boolean
  /** Fields of the records that the contract does not name. */
  readonly unknownFields: number
  /** Documented keys that are not there, or say what nobody understands. */
  readonly lacks: readonly KeyLack[]
}

export interface AnswerContext<R> {
  readonly endpoint: Endpoint<z.ZodType, R>
  readonly reader: RecordReader<R>
  readonly params: Readonly<Record<string, string>>
  readonly requestedAt: UnixMs
  /** By how much the service's clock is ahead of ours, ms. */
  readonly clockAheadMs: number
  readonly label: string
  /** The short names of both chains, as configured. */
  readonly chains: { readonly main: string; readonly zone: string }
  /** Masks our own credentials where the service's words are quoted: some services repeat what they refuse. */
  readonly scrub: (text: string) => string
}

const maxRawLength = 4_000
/** Pages hold 100 rows and lists of logs about 1,000; more than this is no answer of this service. */
const maxRows = 20_000
/** Of so many bad records in one answer the rest is kept as its beginning only. */
const maxFullRaws = 1_000
const shortRawLength = 200

/**
 * Reads the body of an answer.
 * @throws MonitorError by the answer's class, `source.invalid` when it is not an envelope of the endpoint's shape
 */
export function readAnswer<R>(http: HttpAnswer, context: AnswerContext<R>): Answer<R> {
  const envelope = toEnvelope(http.json?.value)
  const { noBlock } = context.endpoint
  if (noBlock && envelope?.code === beyondHeadCode && http.status < 500) {
    return toAnswer({ rows: [], paging: noPaging, head: {} }, context, noBlock === 'beyond-head')
  }
  const error = classifyAnswer({
    status: http.status,
    code: envelope?.code ?? null,
    message: context.scrub(envelope?.message ?? ''),
    retryAfter: http.retryAfter,
    label: context.label,
  })
  if (error) throw error
  if (envelope === null) throw notAnEnvelope(http, context.label)
  const page = readPage(envelope.data, context.endpoint)
  if (page === null || page.rows.length > maxRows) {
    const message = `${context.label}: the answer does not have the documented shape ${context.endpoint.shape}`
    throw new MonitorError('source.invalid', message)
  }
  return toAnswer(page, context, false)
}

interface Envelope {
  readonly code: string
  readonly message: string
  readonly data: unknown
}

function toEnvelope(body: unknown): Envelope | null {
  if (!isObject(body)) return null
  const code = body['code']
  if (typeof code !== 'string' && typeof code !== 'number') return null
  return {
    code: String(code),
    message: typeof body['msg'] === 'string' ? body['msg'] : '',
    data: body['data'],
  }
}

function notAnEnvelope(http: HttpAnswer, label: string): MonitorError {
  const what = http.json === null ? describeBody(http, 'a JSON envelope') : 'not a JSON envelope'
  // Most often a gateway or a connection cut short: another attempt can help.
  return new MonitorError('source.invalid', `${label}: the body is ${what} (HTTP ${http.status})`, {
    retryable: true,
  })
}

interface Paging {
  readonly page: number | null
  readonly limit: number | null
  readonly totalPage: number | null
  readonly total: number | null
}

interface Page {
  readonly rows: readonly unknown[]
  readonly paging: Paging
  /** What the answer says beside its rows. */
  readonly head: Readonly<Record<string, unknown>>
}

const noPaging: Paging = { page: null, limit: null, totalPage: null, total: null }

function readPage(data: unknown, endpoint: Pick<Endpoint, 'shape' | 'arrays'>): Page | null {
  const items: readonly unknown[] | null = Array.isArray(data) ? data : isObject(data) ? [data] : null
  if (items === null) return null
  const [first] = items
  if (first === undefined) return { rows: [], paging: noPaging, head: {} }
  const isPage = isObject(first) && items.length === 1 && ('totalPage' in first || 'page' in first)
  if (endpoint.shape === 'C' && !isPage) return { rows: items, paging: noPaging, head: {} }
  if (!isObject(first) || items.length > 1) return null
  const paging = readPaging(first)
  const rows = findRows(first, endpoint.arrays)
  if (rows === null) return (paging.totalPage ?? 0) === 0 && isPage ? { rows: [], paging, head: first } : null
  return { rows, paging, head: first }
}

function readPaging(page: Readonly<Record<string, unknown>>): Paging {
  return {
    page: toNumber(page['page']),
    limit: toNumber(page['limit']),
    totalPage: toNumber(page['totalPage']),
    total: toNumber(page['total']),
  }
}

const otherArrays = [
  'data',
  'transactionList',
  'transactionLists',
  'tokenTransferDetails',
  'internalTransactionDetails',
]

/** Documents and samples of the service disagree on the names of arrays, so any of them will do, or the only one. */
function findRows(
  page: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly unknown[] | null {
  for (const name of [...names, ...otherArrays]) {
    const rows = page[name]
    if (Array.isArray(rows)) return rows
  }
  const arrays = Object.values(page).filter((value) => Array.isArray(value))
  return arrays.length === 1 ? (arrays[0] ?? null) : null
}

/** Heads of chains and clocks differ by hours at most: what is further ahead has not happened. */
const aheadMs = 86_400_000

function toAnswer<R>(page: Page, context: AnswerContext<R>, beyondHead: boolean): Answer<R> {
  const { endpoint, params, scrub } = context
  const { requestedAt } = context
  const latest = requestedAt + Math.max(0, context.clockAheadMs) + aheadMs
  const lacks = noteFlaws(page.rows.length)
  const reads = page.rows.map((row) => context.reader(row, { requestedAt, latest, rows: page.rows }))
  const readable = reads.flatMap((read) => ('record' in read ? [read.record] : []))
  const ofAll =
    page.rows.length === 0 ? null : (otherPage(page.paging, params) ?? otherChain(page.head, context))
  const records: R[] = []
  const quarantined: Quarantined[] = []
  const misfits: string[] = []
  let unknownFields = 0
  for (const [index, read] of reads.entries()) {
    const row = page.rows[index]
    if (read.flaws.length > 0) lacks.note(read.flaws, row)
    const misfit =
      'record' in read
        ? (ofAll ?? otherChain(row, context) ?? endpoint.contradicts?.(read.record, params, readable) ?? null)
        : null
    if ('record' in read && misfit === null) {
      records.push(read.record)
      unknownFields += read.unknownFields
      continue
    }
    if (misfit !== null) misfits.push(scrub(misfit))
    const maxLength = quarantined.length < maxFullRaws ? maxRawLength : shortRawLength
    const { problem, path } = 'problem' in read ? read : { problem: misfit ?? '', path: '' }
    const raw = toRaw(row, maxLength, scrub)
    quarantined.push({
      raw,
      problem: scrub(problem),
      path,
      isMisfit: misfit !== null,
      index,
    })
  }
  return {
    endpoint: endpoint.id,
    requestedAt: context.requestedAt,
    records,
    quarantined,
    misfits,
    list: readList(page.head, endpoint.listFields ?? []),
    ...page.paging,
    order: listOrder(records, (record) => endpoint.position?.(record) ?? null),
    empty: page.rows.length === 0,
    contradicted: false,
    beyondHead,
    unknownFields,
    lacks: lacks.list().map((lack) => ({ ...lack, problem: lack.problem && scrub(lack.problem) })),
  }
}

function readList(head: Page['head'], names: readonly string[]): Readonly<Record<string, string>> {
  const textOf = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? cleanText(String(value)) : ''
  return Object.fromEntries(names.map((name) => [name, textOf(head[name])]))
}

/** Another page than was asked for. Behind the end some services give their last one, and say so. */
function otherPage({ page, totalPage }: Paging, params: AnswerContext<unknown>['params']): string | null {
  const asked = Number(params['page'] ?? 1)
  if (page === null || page === 0 || page === asked) return null
  if (page === totalPage && asked > page) return null
  return `is of another page: page ${asked} was asked for, page ${page} came`
}

/** Another chain than was asked. Records of the bridge are of both. */
function otherChain(said: unknown, { endpoint, chains }: AnswerContext<unknown>): string | null {
  const name = isObject(said) ? said['chainShortName'] : undefined
  if (typeof name !== 'string' || name === '') return null
  const fitting = endpoint.family === 'cross' ? [chains.main, chains.zone] : [chains[endpoint.chain]]
  if (fitting.some((chain) => chain.toLowerCase() === name.toLowerCase())) return null
  return `is of another chain: chain ${fitting[0]} was asked for, ${cleanText(name, 64)} came`
}

function toRaw(row: unknown, maxLength: number, scrub: (text: string) => string): string {
  try {
    // Cut string by string first: a hundred records with megabytes each must not all be written out again. Masked
    // before it is cut: what is left of a secret would be known by nobody.
    const short = (_: string, value: unknown) =>
      typeof value === 'string' ? cutText(scrub(value), maxLength) : value
    return cutText(scrub(JSON.stringify(row, short) ?? ''), maxLength)
  } catch {
    // Nested deeper than the stack allows.
    return '[cannot be shown]'
  }
}

/** Paging numbers come as strings, as numbers, or empty. */
function toNumber(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^\d{1,16}$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : null
}
