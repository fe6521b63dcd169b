import type { z } from 'zod'
import type { UnixMs } from '../../lib/clock.ts'
import { errorText, MonitorError, withDetails } from '../../lib/errors.ts'
import { createScrubber, Secret } from '../../lib/secret.ts'
import { type HttpAnswer, httpRequest } from '../http.ts'
import type { Endpoint } from './endpoint.ts'
import { failureKind } from './health.ts'
import { type Answer, readAnswer } from './readAnswer.ts'
import type { RecordReader } from './recordReader.ts'
import { retryDelayMs } from './retry.ts'
import { signHeaders, buildPath } from './sign.ts'
import type { ExplorerContext } from './explorerContext.ts'
import {
  type Call,
  hasNoFilter,
  judgeEmpty,
  noteThrottling,
  placeOf,
  refuseMismatch,
  refuseSetAside,
  retryAfterOf,
} from './judgeAnswer.ts'
import type { CallOptions } from './callOptions.ts'

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
    // A filter that is refused or ignored is one that the service does not have: that is an answer.
    if (filter !== null && hasNoFilter(error)) context.health.good(asked)
    else {
      const kind = failureKind(error)
      const isDown = context.health.failed(asked, errorText(error), kind)
      // Who asks to be asked less is heeded, however often it is one endpoint.
      if (!isDown || kind === 'throttled') noteThrottling(context, error, lease)
    }
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

function readerOf<R>(context: ExplorerContext, endpoint: Endpoint<z.ZodType, R>): RecordReader<R> {
  const known = context.readers.get(endpoint)
  // The map's key is the endpoint whose reader it holds.
  if (known) return known as RecordReader<R>
  const reader = endpoint.createReader(context.dialect)
  context.readers.set(endpoint, reader)
  return reader
}
