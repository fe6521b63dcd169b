import { Agent, type Dispatcher, request } from 'undici'
import type { CorrectedClock } from '../../lib/correctedClock.ts'
import { isTlsCode } from '../../lib/isTlsCode.ts'

/** What came of one POST. Never thrown: every outcome means something for the delivery. */
export type PostOutcome =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly retryAfter: string | null
      /** Its first 64 KiB, or as much as was asked for; null when it broke off or dripped past the deadline. */
      readonly body: string | null
    }
  | { readonly kind: 'failed'; readonly cause: FailureCause; readonly code: string }

type FailureCause = 'tls' | 'network' | 'timeout' | 'stopped'

export interface PostDeps {
  readonly dispatcher: Dispatcher
  /** For the whole request, the answer's last byte included. */
  readonly timeoutMs: number
  /** The clock that hears what the answers' Date headers say, and by what name. */
  readonly dates?: {
    readonly clock: Pick<CorrectedClock, 'monotonicMs' | 'noteDate'>
    readonly source: string
  }
}

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
  /** Of the answer's body, where 64 KiB are too few for what is fine. */
  readonly maxBodyBytes?: number
}

export const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'spanwatch',
} as const

/** A receiver that answers a byte at a time is as good as one that does not answer. */
const defaultTimeoutMs = 15_000
const defaultBodyBytes = 64 * 1024

/**
 * The connections of one HTTP channel: at most two at a time, 5 s to connect, 10 s to the answer's head. A dispatcher
 * passed in is the caller's to close.
 */
export function createPostDeps(options: Partial<PostDeps>): PostDeps & { close(): Promise<void> } {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  const common = { timeoutMs, ...(options.dates && { dates: options.dates }) }
  if (options.dispatcher !== undefined)
    return { ...common, dispatcher: options.dispatcher, close: async () => {} }
  const limits = { connections: 2, connect: { timeout: 5_000 }, headersTimeout: 10_000, bodyTimeout: 10_000 }
  const agent = new Agent(limits)
  return { ...common, dispatcher: agent, close: () => agent.close() }
}

/** Sends one POST: no retry, no redirect followed, one deadline over everything, and a bounded part of the answer read. */
export async function postOnce(deps: PostDeps, post: PostRequest): Promise<PostOutcome> {
  const deadline = AbortSignal.timeout(deps.timeoutMs)
  const signal = AbortSignal.any([post.signal, deadline])
  const { dates } = deps
  const sentMs = dates?.clock.monotonicMs() ?? 0
  try {
    const answer = await request(post.url, {
      method: 'POST',
      headers: post.headers,
      body: post.body,
      dispatcher: deps.dispatcher,
      signal,
    })
    dates?.clock.noteDate(dates.source, { date: firstOf(answer.headers['date']), sentMs })
    return {
      kind: 'answer',
      status: answer.statusCode,
      retryAfter: firstOf(answer.headers['retry-after']),
      body: await readBounded(answer.body, post.maxBodyBytes ?? defaultBodyBytes),
    }
  } catch (error) {
    if (post.signal.aborted) return { kind: 'failed', cause: 'stopped', code: 'ABORTED' }
    if (deadline.aborted) return { kind: 'failed', cause: 'timeout', code: 'TIMEOUT' }
    return failureOf(error)
  }
}

function firstOf(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null
}

async function readBounded(body: AsyncIterable<Buffer>, maxBodyBytes: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.length
      // Leaving the loop destroys the stream, and with it the connection.
      if (bytes > maxBodyBytes) break
    }
  } catch {
    return null
  }
  return Buffer.concat(chunks).subarray(0, maxBodyBytes).toString('utf8')
}

function failureOf(error: unknown): PostOutcome {
  const code = errorCode(error)
  if (isTlsCode(code)) return { kind: 'failed', cause: 'tls', code }
  return { kind: 'failed', cause: code.includes('TIMEOUT') ? 'timeout' : 'network', code }
}

/** The error's own code or its cause's. Never its message: that may hold the URL. */
function errorCode(error: unknown): string {
  const own = codeOf(error)
  const inner = error instanceof Error ? codeOf(error.cause) : null
  return own ?? inner ?? 'UNKNOWN'
}

function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  return typeof error.code === 'string' && /^[A-Z0-9_]{1,60}$/.test(error.code) ? error.code : null
}
