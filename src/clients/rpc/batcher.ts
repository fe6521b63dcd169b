import { MonitorError } from '../../lib/errors.ts'
import { readErrorObject, toRpcError } from './rpcErrors.ts'
import type { RpcRequestBody, RpcTransport } from './rpcTransport.ts'

interface Question {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Sends questions; each gets its answer object as it came, or the error that kept it from one. */
export type Sent = (questions: readonly Question[], signal?: AbortSignal) => Promise<unknown[]>

export interface Batcher {
  readonly send: Sent
  size(): number
}

/**
 * Puts questions into batches as large as the server takes. Answers are paired by id. A batch that the server refuses
 * as such is halved, down to single requests, and the size that works is kept for long: whether a server takes batches,
 * and how large, is not documented, and a proxy that was in its way may be gone. One that knows none may fail over them
 * in any way, so that a question is asked alone where a batch failed.
 */
export function createBatcher(
  transport: RpcTransport,
  options: { readonly batchSize: number; readonly concurrency: number; readonly host: string },
): Batcher {
  const most = Math.max(1, options.batchSize)
  let size = most
  /** Requests of that size that were answered since it was chosen. */
  let answered = 0
  let lastId = 0

  function resize(to: number): void {
    size = Math.min(Math.max(1, to), most)
    answered = 0
  }

  function noteAnswered(count: number): void {
    if (size === most || count < size) return
    answered += 1
    if (answered >= growAfter) resize(size * 2)
  }

  async function sendOne({ method, params }: Question, signal?: AbortSignal): Promise<unknown> {
    const id = ++lastId
    const label = `${method} at ${options.host}`
    try {
      const answer = await transport({ id, method, params }, label, signal)
      noteAnswered(1)
      return checkId(answer, id, label)
    } catch (error) {
      signal?.throwIfAborted()
      return toMonitorError(error)
    }
  }

  async function sendBatch(questions: readonly Question[], signal?: AbortSignal): Promise<unknown[]> {
    const bodies = questions.map(({ method, params }): RpcRequestBody => ({ id: ++lastId, method, params }))
    const label = `batch of ${questions.length} calls at ${options.host}`
    try {
      const answers = await transport(bodies, label, signal)
      const paired = Array.isArray(answers) ? pairById(bodies, answers) : new Map<number, unknown>()
      if (paired.size === 0) throw refusalOf(answers, label)
      if (paired.size === bodies.length) noteAnswered(bodies.length)
      // What was left out may be beyond what the server takes.
      else shrink(paired.size)
      return bodies.map(({ id, method }) => paired.get(id) ?? noAnswer(`${method} at ${options.host}`))
    } catch (error) {
      signal?.throwIfAborted()
      const half = Math.floor(questions.length / 2)
      if (isRefusal(error)) shrink(half)
      else return sendBeside(questions, { failure: toMonitorError(error), half }, signal)
    }
    return send(questions, signal)
  }

  /** What becomes of questions whose batch failed otherwise than by a refusal: one of them alone shows which of the two it was. */
  async function sendBeside(
    questions: readonly Question[],
    { failure, half }: { readonly failure: MonitorError; readonly half: number },
    signal?: AbortSignal,
  ): Promise<unknown[]> {
    // It may be too much to answer in time; to wait once more for what does not answer at all would hold up whoever asks.
    if ('timeoutMs' in failure.details) shrink(half)
    const [first, ...others] = questions
    if (first !== undefined && mayBeOfBatch(failure)) {
      const alone = await sendOne(first, signal)
      if (isAnswered(alone)) {
        shrink(half)
        return [alone, ...(await send(others, signal))]
      }
    }
    return questions.map(() => failure)
  }

  function shrink(to: number): void {
    resize(Math.min(size, to))
  }

  async function send(questions: readonly Question[], signal?: AbortSignal): Promise<unknown[]> {
    signal?.throwIfAborted()
    const answers: unknown[] = []
    const pieces = toChunks(questions, size)
    for (let at = 0; at < pieces.length; at += options.concurrency) {
      const some = pieces.slice(at, at + options.concurrency)
      const parts = await Promise.all(
        some.map(async (piece) =>
          piece.length === 1 && piece[0] ? [await sendOne(piece[0], signal)] : sendBatch(piece, signal),
        ),
      )
      answers.push(...parts.flat())
    }
    return answers
  }

  return { send, size: () => size }
}

/** After so many requests larger batches are tried once more: a refusal costs one. */
const growAfter = 200

class BatchRefused extends Error {
  override readonly name: string = 'BatchRefused'
}

/** Of a limit it is the words that say whether it is one on the batch, or on how often is asked. */
const isTooLarge = /batch.*(size|large|long|limit)|(large|long|many).*batch/i

/** One answer to all, perhaps in a list: an error of its own (slow down, failed inside), else a refusal of the batch. */
function refusalOf(given: unknown, label: string): Error {
  const answer: unknown = Array.isArray(given) ? given[0] : given
  if (!isError(answer)) return new BatchRefused()
  const error = readErrorObject(answer.error)
  const known = toRpcError(error, label)
  return known.retryable && !isTooLarge.test(error.message) ? known : new BatchRefused()
}

/** An answer that is no array, or a status that speaks of the request: the server takes no batch, or none so large. */
function isRefusal(error: unknown): boolean {
  if (error instanceof BatchRefused) return true
  if (!(error instanceof MonitorError)) return false
  const status = Number(error.details['status'] ?? 0)
  return (status >= 400 && status < 500 && error.code === 'source.refused') || status === 501
}

/** Whether a batch may be what failed: not where the server asks for less, refuses the credentials, or is busy or away. */
function mayBeOfBatch({ code, details }: MonitorError): boolean {
  if (code === 'source.invalid') return true
  if (code !== 'source.unreachable' || 'timeoutMs' in details) return false
  return ![408, 503, 504].includes(Number(details['status'] ?? 0))
}

/** Whether the server dealt with a question, by a result or by an error that is about it. */
function isAnswered(answer: unknown): boolean {
  if (answer instanceof MonitorError) return false
  return !isError(answer) || !toRpcError(readErrorObject(answer.error), '').retryable
}

/** The answers to these questions by id. */
function pairById(bodies: readonly RpcRequestBody[], answers: readonly unknown[]): Map<number, unknown> {
  const byId = new Map<unknown, unknown>()
  for (const answer of answers) {
    const id = idOf(answer)
    // Two answers to one question: neither can be believed.
    byId.set(id, byId.has(id) ? null : answer)
  }
  return new Map(
    bodies.flatMap(({ id }): [number, unknown][] => {
      const answer = byId.get(id) ?? null
      return answer === null ? [] : [[id, answer]]
    }),
  )
}

function checkId(answer: unknown, id: number, label: string): unknown {
  const given = idOf(answer)
  if (given === id) return answer
  // A server that could not read the request says so without its id.
  return given === null && isError(answer) ? answer : noAnswer(label)
}

function isError(answer: unknown): answer is { readonly error: unknown } {
  return typeof answer === 'object' && answer !== null && 'error' in answer && answer.error != null
}

function idOf(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('id' in answer)) return null
  const { id } = answer
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id
}

function noAnswer(label: string): MonitorError {
  return new MonitorError('source.invalid', `${label}: the answer belongs to no question that was asked`, {
    retryable: true,
  })
}

function toMonitorError(error: unknown): MonitorError {
  if (error instanceof MonitorError) return error
  throw error
}

/**
 * A list in pieces of at most `size`, in order.
 * @example toChunks([1, 2, 3], 2) // [[1, 2], [3]]
 */
function toChunks<T>(list: readonly T[], size: number): T[][] {
  const pieces: T[][] = []
  for (let at = 0; at < list.length; at += size) pieces.push(list.slice(at, at + size))
  return pieces
}
