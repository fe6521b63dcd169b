import type { z } from 'zod'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { CorrectedClock } from '../../lib/correctedClock.ts'
import { errorText, MonitorError, withDetails } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { createScrubber, Secret } from '../../lib/secret.ts'
import { type HttpAnswer, type HttpDeps, httpRequest } from '../http.ts'
import type { Dialect } from './dialect.ts'
import type { EmptyGuard } from './emptyGuard.ts'
import type { Endpoint } from './endpoint.ts'
import { type Asked, failureKind, type HealthRecorder } from './health.ts'
import type { MismatchLog } from './mismatchLog.ts'
import type { KeyBook } from './keyBook.ts'
import type { Lease, Pace, PaceOptions, Priority } from './pace.ts'
import { type Answer, readAnswer } from './readAnswer.ts'
import type { RecordReader } from './recordReader.ts'
import { parseRetryAfter, retryDelayMs } from './retry.ts'
import { type ExplorerAuth, signHeaders, buildPath } from './sign.ts'

export interface ExplorerOptions {
  readonly baseUrl: string
  readonly chains: { readonly main: string; readonly zone: string }
  readonly dialect?: Dialect
  /** Null when the deployment asks for no access headers. */
  readonly auth: ExplorerAuth | null
  readonly pace: PaceOptions
  readonly timeoutMs?: number
  readonly clock: Clock
  readonly log: Pick<Logger, 'debug'>
  /** What answers say of the time, where a daemon goes by it. */
  readonly corrected?: Pick<CorrectedClock, 'noteDate' | 'decided' | 'sleptMs'>
  /** Numbers the requests; their times do when left out. */
  readonly numbers?: { next(): UnixMs }
  /** For tests and proxies; the explorer closes only a dispatcher of its own. */
  readonly dispatcher?: HttpDeps['dispatcher']
  /** Memory for answers that others share. */
  readonly budget?: HttpDeps['budget']
}

export interface CallOptions {
  readonly priority: Priority
  readonly signal?: AbortSignal | undefined
  /** Attempts in all, when a retry can help. */
  readonly attempts?: number
  /** The caller knows that there is an answer, whatever the client remembers: an empty one is contradicted. */
  readonly isKnown?: boolean
  /** The question is whether a filter works: rows that do not fit it are an answer, and no sign against the source. */
  readonly isProbe?: boolean
}

/** What one deployment's calls share. */
export interface ExplorerContext {
  readonly options: ExplorerOptions
  readonly dialect: Dialect
  readonly origin: string
  readonly host: string
  readonly basePath: string
  readonly http: HttpDeps
  readonly pace: Pace
  readonly health: HealthRecorder
  readonly guard: EmptyGuard
  readonly mismatches: MismatchLog
  readonly keys: KeyBook
  readonly readers: Map<Endpoint, RecordReader<unknown>>
  /** Masks the credentials in the service's own words. */
  readonly scrub: (text: string) => string
}

const defaultAttempts = 3

/** Asks one question; see Explorer.call. */
export async function callEndpoint<P extends z.ZodType, R>(
  context: ExplorerContext,
  endpoint: Endpoint<P, R>,
  params: z.input<P>,
  how: CallOptions,
): Promise<Answer<R>> {
  const label = `${endpoint.id} at ${context.host}`
  const call: Call<R> = { endpoint, params: checkParams(endpoint, params, label), label, how }
  const { clock } = context.options
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(context, call)
    } catch (error) {
      how.signal?.throwIfAborted()
      if (!(error instanceof MonitorError && error.retryable)) throw error
      if (attempt >= (how.attempts ?? defaultAttempts)) throw error
      const delayMs = retryDelayMs({
        attempt,
        isThrottled: error.code === 'source.throttled',
        retryAfter: retryAfterOf(error),
        now: clock.now(),
      })
      context.options.log.debug(
        { endpoint: endpoint.id, attempt, delayMs, code: error.code },
        'retrying a request',
      )
      await clock.sleep(delayMs, how.signal)
    }
  }
}

/** Parameters as they are sent. What the service would refuse never leaves the process. */
function checkParams<P extends z.ZodType>(
  endpoint: Endpoint<P>,
  params: z.input<P>,
  label: string,
): Record<string, string> {
  const parsed = endpoint.params.safeParse(params)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const where = issue?.path.length ? `${issue.path.join('.')}: ` : ''
    const message = `${label}: not sent: ${where}${issue?.message ?? 'wrong parameters'}`
    throw new MonitorError('source.refused', message, { details: { endpoint: endpoint.id } })
  }
  const entries = Object.entries(parsed.data as Readonly<Record<string, string | undefined>>)
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** One question as it is sent, and how. */
interface Call<R> {
  readonly endpoint: Endpoint<z.ZodType, R>
  readonly params: Readonly<Record<string, string>>
  readonly label: string
  readonly how: CallOptions
}

/** One attempt: waits for its turn, asks, reads, and notes how it went. */
async function ask<R>(context: ExplorerContext, call: Call<R>): Promise<Answer<R>> {
  const { clock } = context.options
  const { endpoint, params, label, how } = call
  refuseSetAside(context, call)
  const lease = await context.pace.acquire(how.priority, how.signal)
  const sent = noteSent(context)
  const filter = endpoint.filterOf?.(params) ?? null
  const asked = context.health.asked(filter === null ? endpoint.id : `${endpoint.id} ${filter}`)
  try {
    const { http, scrub } = await send(context, call)
    const requestedAt = await noteReceived(context, sent, { date: http.date, signal: how.signal })
    const reader = readerOf(context, endpoint)
    const answer = readAnswer(http, {
      endpoint,
      reader,
      params,
      requestedAt,
      clockAheadMs: context.health.read().clockAheadMs ?? 0,
      label,
      chains: context.options.chains,
      scrub,
    })
    if (how.isProbe && answer.misfits.length > 0) return { ...answer, quarantined: [] }
    refuseMismatch(context, answer, label)
    context.keys.note(answer, clock.now())
    return judgeEmpty(context, call, { answer, lease, asked })
  } catch (error) {
    how.signal?.throwIfAborted()
    noteThrottling(context, error, lease)
    // A filter that is refused or ignored is one that the service does not have: that is an answer.
    if (filter !== null && hasNoFilter(error)) context.health.good(asked)
    else context.health.failed(asked, errorText(error), failureKind(error))
    throw error instanceof MonitorError ? withDetails(error, placeOf(asked)) : error
  } finally {
    lease.release()
  }
}

interface Sent {
  readonly number: UnixMs
  readonly sentMs: number
  readonly sleptMs: number
}

function noteSent({ options: { clock, corrected, numbers } }: ExplorerContext): Sent {
  const number = numbers?.next() ?? clock.now()
  return { number, sentMs: clock.monotonicMs(), sleptMs: corrected?.sleptMs() ?? 0 }
}

/**
 * Waits until it is known what time it is, where an answer came just after the machine may have slept.
 * @returns when its request was sent: its number, by the clock as it is now
 */
async function noteReceived(
  { options: { clock, corrected }, health }: ExplorerContext,
  { number, sentMs, sleptMs }: Sent,
  { date, signal }: { readonly date: string | null; readonly signal: AbortSignal | undefined },
): Promise<UnixMs> {
  const receivedMs = clock.monotonicMs()
  corrected?.noteDate('explorer', { date, sentMs })
  await corrected?.decided(signal)
  health.answered(date, clock.now() - (clock.monotonicMs() - receivedMs))
  return number + ((corrected?.sleptMs() ?? 0) - sleptMs)
}

async function send<R>(
  context: ExplorerContext,
  { endpoint, params, label, how }: Call<R>,
): Promise<{ readonly http: HttpAnswer; readonly scrub: (text: string) => string }> {
  const { auth, chains, clock, timeoutMs } = context.options
  const { basePath, dialect } = context
  const path = buildPath({ basePath, dialect, chains }, endpoint, params)
  const { headerPrefix } = dialect
  const headers = auth ? signHeaders(auth, { headerPrefix, pathAndQuery: path, now: clock.now() }) : {}
  const signature = headers[`${headerPrefix}-ACCESS-SIGN`]
  const http = await httpRequest(context.http, {
    origin: context.origin,
    path,
    headers,
    timeoutMs: timeoutMs ?? 10_000,
    label,
    signal: how.signal,
  })
  return { http, scrub: signature === undefined ? context.scrub : coverBoth(context.scrub, signature) }
}

/** What a signature was made for is one request, so that few answers repeat it: made ready when one has words at all. */
function coverBoth(scrub: (text: string) => string, signature: string): (text: string) => string {
  let coverSignature: ((text: string) => string) | null = null
  return (text) => {
    if (text === '') return text
    coverSignature ??= createScrubber([new Secret(signature)])
    return coverSignature(scrub(text))
  }
}

/** Rows of another question are remembered; an answer of which no row fits is none at all. */
function refuseMismatch(context: ExplorerContext, answer: Answer<unknown>, label: string): void {
  const { endpoint, misfits, records, quarantined } = answer
  const [problem] = misfits
  if (problem === undefined) return
  context.mismatches.note(endpoint, context.options.clock.now(), problem)
  if (records.length > 0) return
  const details = { endpoint, rows: quarantined.length }
  throw new MonitorError('source.mismatched', `${label}: ${problem}`, { retryable: true, details })
}

function judgeEmpty<R>(
  context: ExplorerContext,
  { endpoint, params, how }: Call<R>,
  { answer, lease, asked }: { readonly answer: Answer<R>; readonly lease: Lease; readonly asked: Asked },
): Answer<R> {
  const now = context.options.clock.now()
  const isEmpty = answer.empty && !answer.beyondHead
  const question = { endpoint: endpoint.id, family: endpoint.family, params }
  const contradicted =
    !answer.beyondHead && context.guard.judge(question, { isEmpty, isKnown: how.isKnown ?? false, at: now })
  if (contradicted) {
    // One endpoint that contradicts itself is its own trouble: several are too much asked.
    if (context.guard.isSpread(now)) lease.throttled()
    const reason = `${endpoint.id} at ${context.host}: an empty answer where something is known to be`
    context.health.failed(asked, reason, 'throttled')
    return { ...answer, contradicted }
  }
  context.health.good(asked)
  return answer
}

function noteThrottling(context: ExplorerContext, error: unknown, lease: Lease): void {
  if (!(error instanceof MonitorError) || !isSignOfLoad(error)) return
  lease.throttled(Math.min(parseRetryAfter(retryAfterOf(error), context.options.clock.now()) ?? 0, 10_000))
}

/** The service asks to be asked less, is away for a moment, or does not answer in time. */
function isSignOfLoad({ code, details }: MonitorError): boolean {
  const { status = 0, code: told = '' } = details
  return (
    code === 'source.throttled' ||
    [408, 503, 504].includes(Number(status)) ||
    ['50001', '50004'].includes(String(told)) ||
    'timeoutMs' in details
  )
}

/** A question that was contradicted again and again is not asked for a while, but for the tail: it cannot wait. */
function refuseSetAside<R>(context: ExplorerContext, { endpoint, params, label, how }: Call<R>): void {
  const { isKnown = false, priority } = how
  const question = { endpoint: endpoint.id, family: endpoint.family, params }
  const until = context.guard.asideUntil(question, { isKnown, at: context.options.clock.now() })
  if (until === null || priority === 'tail') return
  const details = { ...placeOf(question), asideUntil: until }
  throw new MonitorError(
    'source.empty',
    `${label}: set aside after empty answers where something is known to be`,
    {
      details,
    },
  )
}

/** Where a question was asked, as the source's health names it. */
export function placeOf({ endpoint }: Pick<Asked, 'endpoint'>) {
  return { source: 'explorer', endpoint }
}

function hasNoFilter(error: unknown): boolean {
  return error instanceof MonitorError && ['source.refused', 'source.mismatched'].includes(error.code)
}

function readerOf<R>(context: ExplorerContext, endpoint: Endpoint<z.ZodType, R>): RecordReader<R> {
  const known = context.readers.get(endpoint)
  // The map's key is the endpoint whose reader it holds.
  if (known) return known as RecordReader<R>
  const reader = endpoint.createReader(context.dialect)
  context.readers.set(endpoint, reader)
  return reader
}

function retryAfterOf(error: MonitorError): string | null {
  const value = error.details['retryAfter']
  return value === undefined ? null : String(value)
}
