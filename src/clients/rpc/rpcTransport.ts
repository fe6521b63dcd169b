import { getHttpRpcClient } from 'viem/utils'
import type { Clock } from '../../lib/clock.ts'
import type { CorrectedClock } from '../../lib/correctedClock.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { HealthRecorder } from '../explorer/health.ts'
import { describeBody, type HttpAnswer, type HttpDeps, httpRequest } from '../http.ts'
import { errorOfStatus } from './rpcErrors.ts'

export interface RpcTransportOptions {
  /** With any key that it holds: it appears in no error. */
  readonly url: string
  readonly http: HttpDeps
  readonly timeoutMs: number
  readonly clock: Pick<Clock, 'monotonicMs' | 'now'>
  readonly source: string
  /** These hear of every HTTP answer, whatever its status. */
  readonly health: Pick<HealthRecorder, 'answered'>
  readonly corrected?: Pick<CorrectedClock, 'noteDate'> | undefined
}

export interface RpcRequestBody {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/**
 * Sends request bodies and gives what came back, unread: one answer, an array of them, or anything else.
 * @throws MonitorError `source.*`, naming `label`; the signal's own reason when the caller gave up
 */
export type RpcTransport = (
  body: RpcRequestBody | readonly RpcRequestBody[],
  label: string,
  signal?: AbortSignal,
) => Promise<unknown>

/**
 * viem's JSON-RPC client over our own HTTP: bounded bodies, one timeout over everything, no redirects. viem's batching
 * is left out on purpose: it pairs answers with requests by their order, so that one that a server leaves out would
 * give every later request the answer of its neighbour.
 */
export function createRpcTransport(options: RpcTransportOptions): RpcTransport {
  return async (body, label, signal) => {
    signal?.throwIfAborted()
    let answer: unknown
    const client = getHttpRpcClient(options.url, {
      // Both limits are held by httpRequest, the body's while it arrives.
      timeout: 0,
      maxResponseBodySize: false,
      // viem would parse the text once more, and take the last of two equal keys.
      fetchFn: async (input, init) => {
        answer = await fetchAnswer(options, label, input, init)
        return new Response('{}')
      },
      ...(signal && { fetchOptions: { signal } }),
    })
    try {
      // viem's types want their own mutable arrays; nothing is written to these.
      await client.request({ body: body as never })
      return answer
    } catch (error) {
      signal?.throwIfAborted()
      throw findMonitorError(error) ?? notJson(label)
    }
  }
}

type FetchInput = string | URL | Request

async function fetchAnswer(
  options: RpcTransportOptions,
  label: string,
  input: FetchInput,
  init?: RequestInit,
): Promise<unknown> {
  const url = new URL(input instanceof Request ? input.url : input)
  const sentMs = options.clock.monotonicMs()
  const answer = await httpRequest(options.http, {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    headers: Object.fromEntries(new Headers(init?.headers)),
    // viem always sends text.
    body: typeof init?.body === 'string' ? init.body : '',
    timeoutMs: options.timeoutMs,
    label,
    signal: init?.signal ?? undefined,
  })
  noteAnswer(options, answer, sentMs)
  const error = errorOfStatus(answer.status, label, answer.retryAfter)
  const parsed = typeof answer.json?.value === 'object' && answer.json.value !== null ? answer.json : null
  if (error !== null && !isJudgedByBody(answer.status, parsed?.value)) throw error
  if (parsed === null) throw notJson(label, answer)
  return parsed.value
}

function noteAnswer(
  { clock, corrected, health, source }: RpcTransportOptions,
  { date }: HttpAnswer,
  sentMs: number,
): void {
  corrected?.noteDate(source, { date, sentMs })
  health.answered(date, clock.now())
}

/** Some nodes send their error objects with a status of 4xx or 5xx: those say more than the status. */
function isJudgedByBody(status: number, body: unknown): boolean {
  if (status < 400 || status === 401 || status === 403 || status === 429) return false
  if (Array.isArray(body)) return true
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object'
}

function notJson(label: string, answer?: HttpAnswer): MonitorError {
  const what = answer?.json === null ? describeBody(answer, 'JSON') : 'no JSON object or array'
  // Most often a gateway or a connection cut short: another attempt can help.
  return new MonitorError('source.invalid', `${label}: the body is ${what}`, { retryable: true })
}

/** viem wraps what its fetch throws, in messages that quote the address. */
function findMonitorError(error: unknown): MonitorError | null {
  let current: unknown = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (current instanceof MonitorError) return current
    current = current.cause
  }
  return null
}
