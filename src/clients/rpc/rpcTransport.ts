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
 * JSON-RPC over our own HTTP: bounded bodies, one timeout over everything, no redirects. A client of a library makes a
 * request, an answer and an error of the web's classes for each question, of which there are five a second.
 */
export function createRpcTransport(options: RpcTransportOptions): RpcTransport {
  const place = readPlace(options.url)
  return async (body, label, signal) => {
    signal?.throwIfAborted()
    const sentMs = options.clock.monotonicMs()
    const answer = await httpRequest(options.http, {
      ...place,
      body: toBody(body),
      timeoutMs: options.timeoutMs,
      label,
      signal,
    })
    noteAnswer(options, answer, sentMs)
    const error = errorOfStatus(answer.status, label, answer.retryAfter)
    const parsed = typeof answer.json?.value === 'object' && answer.json.value !== null ? answer.json : null
    if (error !== null && !isJudgedByBody(answer.status, parsed?.value)) throw error
    if (parsed === null) throw notJson(label, answer)
    return parsed.value
  }
}

/** Where it is asked; a name and a password in the address are sent as a header. */
function readPlace(address: string) {
  const url = new URL(address)
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    headers: {
      'content-type': 'application/json',
      ...(url.username !== '' && { authorization: `Basic ${btoa(credentials)}` }),
    },
  }
}

function toBody(body: RpcRequestBody | readonly RpcRequestBody[]): string {
  const whole = (one: RpcRequestBody) => ({ jsonrpc: '2.0', ...one })
  return JSON.stringify('method' in body ? whole(body) : body.map(whole))
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
  if (status < 400 || [401, 402, 403, 429].includes(status)) return false
  if (Array.isArray(body)) return true
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object'
}

function notJson(label: string, answer: HttpAnswer): MonitorError {
  const what = answer.json === null ? describeBody(answer, 'JSON') : 'no JSON object or array'
  // Most often a gateway or a connection cut short: another attempt can help.
  return new MonitorError('source.invalid', `${label}: the body is ${what}`, { retryable: true })
}
