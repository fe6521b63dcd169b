import type { Clock } from '../../lib/clock.ts'
import type { CorrectedClock } from '../../lib/correctedClock.ts'
import { errorText, MonitorError, withDetails } from '../../lib/errors.ts'
import {
  type Asked,
  createHealth,
  type ExplorerHealth,
  failureKind,
  type HealthRecorder,
} from '../explorer/health.ts'
import { retryDelayMs } from '../explorer/retry.ts'
import { openDispatcher, type HttpDeps } from '../http.ts'
import { type Answered, createLackBook, type LackBook } from './answerLacks.ts'
import { createBatcher, type Sent } from './batcher.ts'
import { isCallFailure, readErrorObject, toRpcError } from './rpcErrors.ts'
import {
  prepareParams,
  rpcMethods,
  type RpcMethod,
  type RpcMethodName,
  type RpcParams,
  type RpcResult,
} from './rpcMethods.ts'
import { createRpcTransport } from './rpcTransport.ts'
import { isObject } from '../../lib/isObject.ts'
import type { z } from 'zod'

/** Whose node it is: that of preconfirmations, of the main chain, of the zone chain. */
export type RpcSource = 'preconf' | 'canonical' | 'zoneRpc'

export interface RpcOptions {
  /** What this endpoint is in health and errors. */
  readonly source: RpcSource
  readonly url: string
  readonly clock: Clock
  /** What answers say of the time, where a daemon goes by it. */
  readonly corrected?: Pick<CorrectedClock, 'noteDate'>
  readonly timeoutMs?: number
  /** Requests in flight at a time. */
  readonly concurrency?: number
  /** Most calls in one request; 1 sends each by itself. Lowered for long where the server refuses. */
  readonly batchSize?: number
  /** For tests and proxies; the client closes only a dispatcher of its own. */
  readonly dispatcher?: HttpDeps['dispatcher']
  /** Memory for answers that others share. */
  readonly budget?: HttpDeps['budget']
}

interface RpcCallOptions {
  readonly signal?: AbortSignal | undefined
  /** Attempts in all, when a retry can help; 1 by default: whoever polls asks again anyway. */
  readonly attempts?: number
}

/** One question of `callMany`. */
export interface RpcCall<M extends RpcMethodName = RpcMethodName> {
  readonly method: M
  readonly params: RpcParams<M>
}

/** A question is answered or fails by itself, whatever became of its neighbours. */
export type RpcOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: MonitorError }

/** One JSON-RPC endpoint. */
export interface Rpc {
  readonly host: string
  /**
   * Asks one question. Null is the node's answer that it knows no such thing; an error object is thrown.
   * @throws MonitorError `source.*`, with the number of an error object in `details.rpcCode`; the signal's reason when
   * the caller gave up
   */
  call<M extends RpcMethodName>(
    method: M,
    params: RpcParams<M>,
    options?: RpcCallOptions,
  ): Promise<RpcResult<M>>
  /**
   * Asks many questions in as few requests as the server allows; outcomes come in the order of the calls. Rejects only
   * with the signal's reason.
   */
  callMany<M extends RpcMethodName>(
    calls: readonly RpcCall<M>[],
    options?: Pick<RpcCallOptions, 'signal'>,
  ): Promise<RpcOutcome<RpcResult<M>>[]>
  /** The same for several questions that belong together: one node answers them all, where there are several. */
  session(): Rpc
  health(): ExplorerHealth
  /** What rows of its answers lack, and whether those of a method were read. */
  readonly lacks: Pick<LackBook, 'list' | 'hasRead'>
  /** How many calls go into one request at present. */
  batchSize(): number
  close(): Promise<void>
}

interface RpcContext {
  readonly clock: Clock
  readonly source: string
  readonly host: string
  readonly health: HealthRecorder
  readonly lacks: LackBook
  readonly send: Sent
  /** The node takes `eth_blockNumber` without a tag only, as plain nodes do: it then means the latest block. */
  takesNoTag: boolean
}

interface LegalCall<M extends RpcMethodName> {
  readonly place: number
  readonly method: M
  readonly params: readonly unknown[]
  readonly asked: Asked
}

/** A client for a JSON-RPC endpoint. */
export function createRpc(options: RpcOptions): Rpc {
  const { clock, concurrency = 8 } = options
  const { host } = new URL(options.url)
  const http = openDispatcher(options, concurrency)
  const health = createHealth({ source: options.source, host, clock })
  const transport = createRpcTransport({
    url: options.url,
    http,
    timeoutMs: options.timeoutMs ?? 10_000,
    clock,
    source: options.source,
    health,
    corrected: options.corrected,
  })
  const batcher = createBatcher(transport, { batchSize: options.batchSize ?? 50, concurrency, host })
  const context: RpcContext = {
    clock,
    source: options.source,
    host,
    health,
    lacks: createLackBook(clock),
    send: batcher.send,
    takesNoTag: false,
  }
  const rpc: Rpc = {
    host,
    session: () => rpc,
    call: (method, params, how = {}) => callOne(context, method, params, how),
    callMany: (calls, how = {}) => callMany(context, calls, how.signal),
    health: () => health.read(),
    lacks: context.lacks,
    batchSize: () => batcher.size(),
    close: () => http.close(),
  }
  return rpc
}

async function callOne<M extends RpcMethodName>(
  context: RpcContext,
  method: M,
  params: RpcParams<M>,
  how: RpcCallOptions,
): Promise<RpcResult<M>> {
  for (let attempt = 1; ; attempt++) {
    const [outcome] = await callMany(context, [{ method, params }], how.signal)
    if (outcome?.ok) return outcome.value
    const error = outcome?.error ?? new MonitorError('internal', `${method}: no outcome`)
    if (!error.retryable || attempt >= (how.attempts ?? 1)) throw error
    const retryAfter = error.details['retryAfter']
    const isThrottled = error.code === 'source.throttled'
    const facts = { attempt, isThrottled, retryAfter: retryAfter === undefined ? null : String(retryAfter) }
    await context.clock.sleep(retryDelayMs({ ...facts, now: context.clock.now() }), how.signal)
    how.signal?.throwIfAborted()
  }
}

async function callMany<M extends RpcMethodName>(
  context: RpcContext,
  calls: readonly RpcCall<M>[],
  signal: AbortSignal | undefined,
): Promise<RpcOutcome<RpcResult<M>>[]> {
  const outcomes: RpcOutcome<RpcResult<M>>[] = []
  const legal: LegalCall<M>[] = []
  for (const [place, { method, params }] of calls.entries()) {
    const prepared = prepareParams(method, params)
    if ('params' in prepared)
      legal.push({ place, method, params: prepared.params, asked: context.health.asked(method) })
    else outcomes[place] = failed(`${method} at ${context.host}: not sent: ${prepared.problem}`)
  }
  const answers = await sendLegal(context, legal, signal)
  for (const [at, call] of legal.entries()) outcomes[call.place] = judge(context, call, answers[at])
  context.lacks.note(calls.flatMap((call, at) => toAnswered(call, outcomes[at])))
  return outcomes
}

function toAnswered({ method, params }: RpcCall, outcome: RpcOutcome<unknown> | undefined): Answered[] {
  if (outcome?.ok) return [{ method, params, value: outcome.value }]
  const unread = outcome?.error.details['unread']
  return unread === undefined ? [] : [{ method, params, unread: String(unread) }]
}

/** Sends calls; those for the height once more, without a tag, where the node takes none. */
async function sendLegal(
  context: RpcContext,
  calls: readonly LegalCall<RpcMethodName>[],
  signal: AbortSignal | undefined,
): Promise<unknown[]> {
  const toSend = calls.map((call) =>
    context.takesNoTag && call.method === 'eth_blockNumber' ? { ...call, params: [] } : call,
  )
  const answers = await context.send(toSend, signal)
  const isTagRefused = toSend.some(
    ({ method, params }, at) =>
      method === 'eth_blockNumber' && params.length > 0 && isParamsError(answers[at]),
  )
  if (!isTagRefused) return answers
  context.takesNoTag = true
  return sendLegal(context, calls, signal)
}

/** -32602: these parameters are not taken. */
function isParamsError(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return false
  const { code } = readErrorObject(answer.error)
  return code === -32602
}

function failed(message: string): { readonly ok: false; readonly error: MonitorError } {
  return { ok: false, error: new MonitorError('source.refused', message) }
}

/** Reads one answer and notes how it went. */
function judge<M extends RpcMethodName>(
  context: RpcContext,
  { method, params, asked }: LegalCall<M>,
  answer: unknown,
): RpcOutcome<RpcResult<M>> {
  const { health, host } = context
  const declared: RpcMethod = rpcMethods[method]
  try {
    if (answer instanceof MonitorError) throw answer
    // The table's schema of this very method read it.
    const value = readRpcAnswer(declared, params, answer, `${method} at ${host}`) as RpcResult<M>
    health.good(asked)
    return { ok: true, value }
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    if (isCallFailure(error)) health.good(asked)
    else health.failed(asked, errorText(error), failureKind(error))
    return { ok: false, error: withDetails(error, { source: context.source, endpoint: method }) }
  }
}

/**
 * Reads one answer object. A result of null is an answer; an error object, a result that is left out and one that
 * belongs to another question are errors, each of its own kind.
 * @throws MonitorError `source.*`
 */
function readRpcAnswer(
  method: RpcMethod,
  params: readonly unknown[],
  answer: unknown,
  label: string,
): unknown {
  if (!isObject(answer)) throw invalid(label, 'the answer is not an object')
  const { error } = answer
  if (error !== undefined && error !== null) throw toRpcError(readErrorObject(error), label)
  if (!Object.hasOwn(answer, 'result')) throw invalid(label, 'the answer has neither a result nor an error')
  const parsed = method.result.safeParse(answer['result'])
  if (!parsed.success) {
    const unread = problemOf(parsed.error)
    throw withDetails(invalid(label, `the result breaks the contract: ${unread}`), { unread })
  }
  const problem = method.contradicts?.(parsed.data, params) ?? null
  if (problem !== null) throw invalid(label, `the result belongs to another question: ${problem}`)
  return parsed.data
}

/** The first thing wrong, with its place: `status: expected 0x1 or 0x0`. */
function problemOf(error: z.ZodError): string {
  const issue = error.issues[0]
  const place = issue?.path.map(String).join('.') ?? ''
  return `${place === '' ? '' : `${place}: `}${issue?.message ?? 'cannot be read'}`
}

function invalid(label: string, what: string): MonitorError {
  return new MonitorError('source.invalid', `${label}: ${what}`)
}
