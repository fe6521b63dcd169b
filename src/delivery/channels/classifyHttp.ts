import type { UnixMs } from '../../lib/clock.ts'
import { isObject } from '../../lib/isObject.ts'
import { parseJson } from '../../lib/parseJson.ts'
import type { DeliveryResult } from './message.ts'
import type { PostOutcome } from './postOnce.ts'

/** What a status of success means, by the body. */
type JudgeSuccess = (body: string, where: string) => DeliveryResult

export interface ClassifyOptions {
  /** The receiver's host: the only part of its address that may be shown. */
  readonly host: string
  readonly now: UnixMs
  /** Left out, any success is an acknowledgement, also one whose body broke off. */
  readonly judgeSuccess?: JudgeSuccess
  /** Asked first about every answer that is neither a success nor a redirect; null leaves it to the table. */
  readonly judgeRefusal?: (refusal: Refusal) => DeliveryResult | null
  /** How long a 429 is waited for that does not say it; 1 s when left out. */
  readonly throttledMs?: number
}

/** An answer that says no. */
export interface Refusal {
  readonly status: number
  readonly body: string | null
  /** Host, status and what may be said of the body. */
  readonly reason: string
}

// What Slack says of a channel that is gone or forbids us, whatever status it comes with.
const deadWords = new Set([
  'action_prohibited',
  'channel_is_archived',
  'channel_not_found',
  'invalid_token',
  'no_active_hooks',
  'no_service',
  'no_service_id',
  'no_team',
  'posting_to_general_channel_denied',
  'team_disabled',
])
const deadStatuses = new Set([401, 402, 403, 404, 405, 407, 410, 426, 451])
const transientStatuses = new Set([408, 425])
/** Nothing is sent before TLS stands: asking again soon repeats nothing, and a gateway's hiccup is over by then. */
const tlsProbeMs = 60_000

/** The delivery table for anything that is sent by an HTTP POST. */
export function classifyHttp(outcome: PostOutcome, options: ClassifyOptions): DeliveryResult {
  if (outcome.kind === 'failed') return classifyFailure(outcome, options.host)
  const { status, body } = outcome
  const where = `${options.host} answered ${status}`
  const reason = `${where}${describeBody(body)}`
  if (status >= 200 && status < 300) return classifySuccess(body, where, options)
  if (status >= 300 && status < 400)
    return { result: 'dead', reason: `${where}, a redirect, which is not followed` }
  const judged = options.judgeRefusal?.({ status, body, reason })
  if (judged) return judged
  if (status === 429) {
    const retryAfterMs = parseRetryAfter(outcome.retryAfter, options.now, options.throttledMs)
    return { result: 'throttled', retryAfterMs, reason }
  }
  if (status >= 500 || transientStatuses.has(status)) return { result: 'transient', reason }
  if (deadStatuses.has(status) || deadWords.has(body?.trim() ?? '')) return { result: 'dead', reason }
  return { result: 'bad_message', reason }
}

function classifySuccess(
  body: string | null,
  where: string,
  { judgeSuccess }: ClassifyOptions,
): DeliveryResult {
  if (!judgeSuccess) return { result: 'ack' }
  if (body === null) return { result: 'transient', reason: `${where}, but the body broke off` }
  return judgeSuccess(body, where)
}

function classifyFailure(outcome: PostOutcome & { kind: 'failed' }, host: string): DeliveryResult {
  switch (outcome.cause) {
    case 'tls':
      return {
        result: 'dead',
        reason: `${host}: no trusted TLS connection (${outcome.code})`,
        probeAfterMs: tlsProbeMs,
      }
    case 'timeout':
      return { result: 'transient', reason: `${host} did not answer in time` }
    case 'stopped':
      return { result: 'transient', reason: `${host}: stopped before the answer came` }
    case 'network':
      return { result: 'transient', reason: `${host} could not be reached (${outcome.code})` }
  }
}

/** The object that a body holds as JSON; null for everything else. */
export function readJsonObject(body: string | null): Readonly<Record<string, unknown>> | null {
  const parsed = body === null ? null : parseJson(body)
  return parsed !== null && isObject(parsed.value) ? parsed.value : null
}

/**
 * A short word such as `no_service` as it came; anything else only by its size. A longer body may echo the request's
 * address, and any other word a key: both are secrets.
 */
export function describeBody(body: string | null): string {
  if (body === null) return ' with a body that could not be read'
  const text = body.trim()
  if (text.length < 50 && /^[a-z]+(_[a-z]+)+$/.test(text)) return ` ${text}`
  if (text === '') return ' with an empty body'
  return ` with ${/^<(!doctype|html)/i.test(text) ? 'an HTML page' : 'a body'} of ${body.length} characters`
}

const leastMs = 1_000
const capMs = 15 * 60_000

/**
 * How long a 429 asks to wait: whole seconds or an HTTP date, at least 1 s, at most 15 min; 1 s when the header is
 * absent or unreadable, or what the service is known to want then.
 * @example parseRetryAfter('30', now) // 30_000
 */
export function parseRetryAfter(header: string | null, now: UnixMs, otherwiseMs = leastMs): number {
  const text = header?.trim() ?? ''
  const wanted = /^\d+$/.test(text) ? Number(text) * 1_000 : dateOf(text) - now
  return Number.isNaN(wanted) ? otherwiseMs : boundWait(wanted)
}

/** A wait that a service asks for, in bounds. */
export function boundWait(ms: number): number {
  return Math.min(Math.max(ms, leastMs), capMs)
}

// Only what starts with a weekday is a date here: Date.parse also reads '-5' and '1e3'.
function dateOf(text: string): number {
  return /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN
}
