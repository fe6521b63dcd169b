import type { z } from 'zod'
import type { Clock } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { ClockJump } from '../../lib/rebaseInstant.ts'
import { createScrubber } from '../../lib/secret.ts'
import { openDispatcher } from '../http.ts'
import { callEndpoint } from './callEndpoint.ts'
import type { CallOptions } from './callOptions.ts'
import { placeOf } from './judgeAnswer.ts'
import type { ExplorerContext, ExplorerOptions } from './explorerContext.ts'
import { neutralDialect } from './dialect.ts'
import { createEmptyGuard, type EmptyGuard } from './emptyGuard.ts'
import type { Endpoint } from './endpoint.ts'
import { createHealth, type ExplorerHealth } from './health.ts'
import { createKeyBook, type KeyBook } from './keyBook.ts'
import { createMismatchLog, type MismatchLog } from './mismatchLog.ts'
import { createPace, type PaceMetrics } from './pace.ts'
import type { Answer } from './readAnswer.ts'
import { type WalkOptions, walkPages } from './walk.ts'
import type { WalkResult } from './walkState.ts'

export type { CallOptions, ExplorerOptions }

export interface NonEmptyOptions extends CallOptions {
  /** How often an empty answer is read again. */
  readonly rereads?: number
}

/** One deployment of the explorer API. */
export interface Explorer {
  readonly host: string
  /**
   * Asks one question, retrying what a retry can help. An empty answer is returned as such, never interpreted.
   * @throws MonitorError `source.*`; the signal's reason when the caller gave up
   */
  call<P extends z.ZodType, R>(
    endpoint: Endpoint<P, R>,
    params: z.input<P>,
    options: CallOptions,
  ): Promise<Answer<R>>
  /**
   * As `call`, for a question that should have an answer: an empty one that something known contradicts is read
   * again after a pause.
   * @throws MonitorError `source.empty` when it stays empty: could not ask
   */
  callNonEmpty<P extends z.ZodType, R>(
    endpoint: Endpoint<P, R>,
    params: z.input<P>,
    options: NonEmptyOptions,
  ): Promise<Answer<R>>
  /** Reads a paged list to its proven end; see walkPages. */
  walk<P extends z.ZodType, R>(
    endpoint: Endpoint<P, R>,
    params: Omit<z.input<P>, 'page' | 'limit'>,
    options: CallOptions & Partial<WalkOptions<R>>,
  ): Promise<WalkResult>
  /** The same for several questions that belong together, such as pages: one source answers them all, where there are several. */
  session(): Explorer
  readonly empties: Pick<EmptyGuard, 'hasAnswered' | 'control' | 'count' | 'listAside'>
  /** Answers of which rows, or all, belonged to another question. */
  readonly mismatches: Pick<MismatchLog, 'list'>
  health(): ExplorerHealth
  /** What records lacked lately. */
  readonly keys: Pick<KeyBook, 'list' | 'hasRead'>
  /** The machine slept: the ages of its health stay as they are. */
  rebaseClock(jump: ClockJump): void
  paceMetrics(): PaceMetrics
  close(): Promise<void>
}

/** One call every 220 ms with up to 5 retries was seen to get through throttling in disguise. */
const defaultRereads = 5

const rereadPauseMs = 250

export function createExplorer(options: ExplorerOptions): Explorer {
  const url = new URL(options.baseUrl)
  const http = openDispatcher(options, options.pace.concurrency)
  const context: ExplorerContext = {
    options,
    dialect: options.dialect ?? neutralDialect,
    origin: url.origin,
    host: url.host,
    basePath: url.pathname.replace(/\/+$/, ''),
    http,
    pace: createPace(options.clock, options.pace),
    health: createHealth({ source: 'explorer', host: url.host, clock: options.clock }),
    guard: createEmptyGuard(),
    mismatches: createMismatchLog(),
    keys: createKeyBook(),
    readers: new Map(),
    scrub: createScrubber(
      options.auth ? [options.auth.key, options.auth.secret, options.auth.passphrase] : [],
    ),
  }
  const explorer: Explorer = {
    host: url.host,
    session: () => explorer,
    call: (endpoint, params, how) => callEndpoint(context, endpoint, params, how),
    callNonEmpty: (endpoint, params, how) => callNonEmpty(context, endpoint, params, how),
    walk: (endpoint, params, how) => walk(context, endpoint, params, how),
    empties: context.guard,
    mismatches: context.mismatches,
    keys: context.keys,
    health: () => context.health.read(),
    rebaseClock: (jump) => {
      context.guard.rebaseClock(jump)
      context.mismatches.rebaseClock(jump)
      context.keys.rebaseClock(jump)
    },
    paceMetrics: () => context.pace.metrics(),
    close: () => http.close(),
  }
  return explorer
}

async function callNonEmpty<P extends z.ZodType, R>(
  context: ExplorerContext,
  endpoint: Endpoint<P, R>,
  params: z.input<P>,
  how: NonEmptyOptions,
): Promise<Answer<R>> {
  const { clock } = context.options
  for (let reread = 0; ; reread++) {
    const answer = await callEndpoint(context, endpoint, params, how)
    if (!answer.contradicted) return answer
    if (reread >= (how.rereads ?? defaultRereads) || context.guard.isSilent(endpoint.id)) {
      const message = `${endpoint.id} at ${context.host}: empty answers where something is known to be, again and again`
      throw new MonitorError('source.empty', message, { details: placeOf({ endpoint: endpoint.id }) })
    }
    await clock.sleep(rereadPauseMs * 2 ** Math.min(reread, 3), how.signal)
    how.signal?.throwIfAborted()
  }
}

function walk<P extends z.ZodType, R>(
  context: ExplorerContext,
  endpoint: Endpoint<P, R>,
  params: Omit<z.input<P>, 'page' | 'limit'>,
  how: CallOptions & Partial<WalkOptions<R>>,
): Promise<WalkResult> {
  const { maxLimit } = endpoint
  if (maxLimit === null || !endpoint.rowKey) {
    const message = `${endpoint.id} at ${context.host}: not sent: this endpoint has no pages`
    return Promise.reject(new MonitorError('source.refused', message))
  }
  how.onBegin?.()
  return walkPages(
    {
      clock: context.options.clock,
      ask: ({ page, limit }) => {
        // Where pages are larger than may be asked for, nobody listens to the limit. The schema checks what this puts together.
        const asked = { ...params, page, limit: Math.min(limit, maxLimit) } as z.input<P>
        // A later page begins with rows that were given before.
        return callEndpoint(context, endpoint, asked, { ...how, isKnown: how.isKnown === true || page > 1 })
      },
      endpoint,
    },
    { ...how, limit: Math.min(how.limit ?? maxLimit, maxLimit) },
  )
}

/** The same explorer for somebody who takes no more than one turn in so many ms: it rests after each answer. */
export function unhurried(
  explorer: Pick<Explorer, 'call' | 'walk'>,
  clock: Pick<Clock, 'sleep'>,
  restMs: number,
): Pick<Explorer, 'call' | 'walk'> {
  return {
    async call(endpoint, params, options) {
      const answer = await explorer.call(endpoint, params, options)
      await clock.sleep(restMs, options.signal)
      return answer
    },
    walk: (endpoint, params, options) =>
      explorer.walk(endpoint, params, {
        ...options,
        async onPage(answer) {
          await options.onPage?.(answer)
          await clock.sleep(restMs, options.signal)
        },
      }),
  }
}
