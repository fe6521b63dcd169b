import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { Agent, type Dispatcher } from 'undici'
import { codeOf, MonitorError } from '../lib/errors.ts'
import { isTlsCode } from '../lib/isTlsCode.ts'
import { parseJson } from '../lib/parseJson.ts'
import { type ByteBudget, createByteBudget } from './byteBudget.ts'

/**
 * Larger bodies are refused while they arrive; the size counts after decompression. A page of 100 records has 0.1 MB,
 * the receipts of a block full of logs some 8 MB.
 */
const maxBodyBytes = 16 * 1024 * 1024
/** Of an answer that is an error anyway only the envelope matters. */
const maxErrorBodyBytes = 256 * 1024
/** A service says once or twice that more is to come. */
const maxInterim = 20
/** Ten times a page of 100 records: a usual answer waits for no budget, whatever others are doing. */
const uncountedBytes = 1024 * 1024

/**
 * A connection that rests is kept so long, ms, where the service says nothing of it: beyond the longest poll, so that none of
 * them begins with a handshake, and less than the minute after which balancers close it.
 */
const keepAliveTimeout = 30_000

export interface HttpDeps {
  /** Anything with undici's `request`; redirects must not be followed by it. */
  readonly dispatcher: Pick<Dispatcher, 'request'>
  readonly budget: ByteBudget
}

export interface HttpRequest {
  readonly origin: string
  /** Path and query, sent byte for byte as given. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent as a POST when given; a GET otherwise. */
  readonly body?: string
  /** Covers the whole exchange, a body that drips included. Real time, whatever the monitor's clock does. */
  readonly timeoutMs: number
  /** Names the request in errors, e.g. `E3 at explorer.example.com`: never a path with keys or a query. */
  readonly label: string
  readonly maxBytes?: number
  readonly signal?: AbortSignal | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly retryAfter: string | null
  /** The Date header: the clock of the other side, in whole seconds. */
  readonly date: string | null
  readonly contentType: string
  /** What the body holds; null where it is no JSON, none in proportion, or names a key twice. */
  readonly json: { readonly value: unknown } | null
  /** For people, where it is none. */
  readonly looks: 'empty' | 'markup' | 'text'
}

/** One answer while it arrives. */
interface Receiving {
  readonly budget: ByteBudget
  readonly request: HttpRequest
  readonly signal: AbortSignal
}

/** What a body that is not what was expected is, for people. */
export function describeBody(
  { looks, contentType }: Pick<HttpAnswer, 'looks' | 'contentType'>,
  expected: string,
): string {
  if (looks === 'empty') return 'empty'
  if (looks === 'markup' || /html/i.test(contentType)) return 'HTML'
  return `not ${expected}, names a key twice, or holds too much`
}

/**
 * What sends requests: the given dispatcher, which is left open, or one of our own, which follows no redirect and keeps
 * no more sockets than asked for; with the budget that its answers share with others.
 */
export function openDispatcher(given: Partial<HttpDeps>, connections: number) {
  const budget = given.budget ?? createByteBudget()
  if (given.dispatcher) return { dispatcher: given.dispatcher, budget, close: async () => undefined }
  const own = new Agent({ connections, allowH2: false, connect: { timeout: 10_000 }, keepAliveTimeout })
  // Not close(): that would wait for answers that nobody wants any more.
  return { dispatcher: own, budget, close: () => own.destroy() }
}

/**
 * One request: whole-request timeout, bounded body, no redirects. Any HTTP status is an answer; what it means is judged
 * by the caller.
 * @throws MonitorError `source.unreachable` when no whole answer came, `source.invalid` when it is too large or not
 * decodable; the signal's own reason when the caller gave up
 */
export async function httpRequest(deps: HttpDeps, request: HttpRequest): Promise<HttpAnswer> {
  request.signal?.throwIfAborted()
  const ended = new AbortController()
  const { signal } = ended
  // Of its own, and cleared: AbortSignal.timeout makes an error of it long after the answer, for each of several a second.
  let isTimeout = false
  const timer = setTimeout(() => {
    isTimeout = true
    ended.abort()
  }, request.timeoutMs)
  const giveUp = () => ended.abort(request.signal?.reason)
  request.signal?.addEventListener('abort', giveUp)
  let interim = 0
  try {
    const response = await deps.dispatcher.request({
      origin: request.origin,
      path: request.path,
      method: request.body === undefined ? 'GET' : 'POST',
      ...(request.body !== undefined && { body: request.body }),
      headers: { accept: 'application/json', 'accept-encoding': 'gzip', ...request.headers },
      signal,
      onInfo() {
        interim += 1
        if (interim > maxInterim) ended.abort(tooManyInterim(request))
      },
    })
    const { budget } = deps
    const body = await readBody(response, { budget, request, signal })
    return {
      status: response.statusCode,
      retryAfter: headerOf(response.headers, 'retry-after'),
      date: headerOf(response.headers, 'date'),
      contentType: headerOf(response.headers, 'content-type') ?? '',
      ...body,
    }
  } catch (error) {
    request.signal?.throwIfAborted()
    if (error instanceof MonitorError) throw error
    throw toUnreachable(error, request, isTimeout)
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', giveUp)
  }
}

async function readBody(
  response: Dispatcher.ResponseData,
  context: Receiving,
): Promise<Pick<HttpAnswer, 'json' | 'looks'>> {
  const { request, signal } = context
  const isError = response.statusCode >= 300
  const maxBytes = isError ? maxErrorBodyBytes : (request.maxBytes ?? maxBodyBytes)
  try {
    const length = Number(headerOf(response.headers, 'content-length') ?? 0)
    if (length > maxBytes) throw tooLarge(request, maxBytes)
    const decoder = createDecoder(headerOf(response.headers, 'content-encoding'), request)
    // Nothing comes beyond a length that was announced; what is packed may become as large as is allowed.
    const most = decoder === null && length > 0 ? length : maxBytes
    const collect = (source: AsyncIterable<Uint8Array>) => collectJson(source, most, context)
    return decoder === null
      ? await collect(response.body)
      : await pipeline(response.body, decoder, collect, { signal })
  } catch (error) {
    // Without this the rest of the body would still be received.
    response.body.on('error', ignore).destroy()
    if (isError && !signal.aborted) return { json: null, looks: 'empty' }
    throw error
  }
}

/** What is read is parsed before its bytes are given back: text and values cost as much again. */
async function collectJson(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  { budget, request, signal }: Receiving,
): Promise<Pick<HttpAnswer, 'json' | 'looks'>> {
  const body = createByteBuffer(maxBytes)
  let giveBack = ignore
  try {
    for await (const chunk of source) {
      const size = body.size() + chunk.byteLength
      if (size > maxBytes) throw tooLarge(request, maxBytes)
      if (size > uncountedBytes && giveBack === ignore) giveBack = await budget.take(maxBytes, signal)
      body.append(chunk)
    }
    // Between two large ones others have their turn.
    if (giveBack !== ignore) await setImmediate()
    const text = body.toText()
    body.free()
    return { json: parseJson(text), looks: looksLike(text) }
  } finally {
    body.free()
    giveBack()
  }
}

function looksLike(text: string): HttpAnswer['looks'] {
  if (/^\s*$/.test(text.slice(0, 1_000))) return 'empty'
  return /^\s*</.test(text) ? 'markup' : 'text'
}

/**
 * One growing piece of memory outside the heap, moved rather than copied and given back at once: a hostile body then
 * costs its bound, not what the garbage collector has not come round to yet.
 */
function createByteBuffer(maxBytes: number) {
  let memory = new ArrayBuffer(Math.min(65_536, maxBytes))
  let size = 0
  return {
    size: () => size,
    append(chunk: Uint8Array): void {
      const needed = size + chunk.byteLength
      if (needed > memory.byteLength)
        memory = memory.transfer(Math.min(maxBytes, Math.max(needed, memory.byteLength * 2)))
      new Uint8Array(memory).set(chunk, size)
      size = needed
    },
    toText: () => new TextDecoder('utf-8').decode(new Uint8Array(memory, 0, size)),
    free(): void {
      memory = memory.transfer(0)
      size = 0
    },
  }
}

/** Only what was offered is unpacked: other packings make gigabytes of a few hundred bytes. */
function createDecoder(encoding: string | null, request: HttpRequest) {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return null
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    default:
      throw new MonitorError(
        'source.invalid',
        `${request.label}: the answer has a content encoding that was not asked for: only gzip is`,
      )
  }
}

function tooLarge(request: HttpRequest, maxBytes: number): MonitorError {
  const megabytes = Math.ceil(maxBytes / (1024 * 1024))
  return new MonitorError('source.invalid', `${request.label}: the answer is larger than ${megabytes} MB`)
}

function tooManyInterim({ label }: HttpRequest): MonitorError {
  return new MonitorError('source.invalid', `${label}: interim answers without end`, { retryable: true })
}

function toUnreachable(error: unknown, request: HttpRequest, isTimeout: boolean): MonitorError {
  if (isTimeout) {
    const message = `${request.label}: no whole answer within ${request.timeoutMs / 1_000} s`
    return new MonitorError('source.unreachable', message, {
      retryable: true,
      details: { timeoutMs: request.timeoutMs },
    })
  }
  const code = codeOf(error)
  if (code.startsWith('Z_')) {
    return new MonitorError('source.invalid', `${request.label}: the answer cannot be decompressed`, {
      retryable: true,
    })
  }
  // Only the code: messages of lower layers may quote an address with credentials.
  const message = `${request.label}: ${networkProblems[code] ?? otherProblem(code)}${code && ` (${code})`}`
  return new MonitorError('source.unreachable', message, { retryable: true })
}

const networkProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up',
  UND_ERR_SOCKET: 'the connection was closed early',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time allowed',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was closed early',
  UND_ERR_HEADERS_OVERFLOW: 'the headers are larger than 16 kB',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the body is not as long as was announced',
}

function otherProblem(code: string): string {
  return isTlsCode(code)
    ? 'no trusted TLS connection: check its certificate, its host name and the clock of this machine'
    : 'the connection failed'
}

function headerOf(headers: Dispatcher.ResponseData['headers'], name: string): string | null {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}

function ignore(): void {}
