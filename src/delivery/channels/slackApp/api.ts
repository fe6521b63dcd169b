import type { Logger, LogLevel, WebClientOptions } from '@slack/web-api'
import type { Secret } from '../../../lib/secret.ts'
import { type PostDeps, type PostOutcome, type PostRequest, postOnce } from '../postOnce.ts'
import { type AnswerOf, readAnswer, type SlackAnswer } from './answers.ts'

/**
 * An answer repeats the message that it is about, and writes what is not ASCII six times as long: 64 KiB are too few.
 * A page of a thread's messages is larger still.
 */
export const maxBodyBytes = 2 * 1024 * 1024

/** One method of Slack's Web API and what it is asked. */
interface SlackCall {
  readonly method: string
  readonly args: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

export interface SlackApi {
  /** Sends one request: no retry, no redirect. Never throws. */
  call(call: SlackCall): Promise<SlackAnswer>
}

interface ApiConfig {
  readonly url: string
  readonly token: Secret
  readonly now: AnswerOf['now']
}

/**
 * Slack's Web API. @slack/web-api writes the request; how it ended is read from the answer itself, as for the incoming
 * webhook: the library's errors no longer tell a broken connection from a wrong answer.
 */
export function createSlackApi(http: PostDeps, config: ApiConfig): SlackApi {
  const { host } = new URL(config.url)
  // Loaded where there is such a channel, and at once: an alert depends on no file that is there by then.
  const library = import('@slack/web-api')
  return {
    async call({ method, args, signal }) {
      const seen: PostOutcome[] = []
      const { WebClient } = await library
      const client = new WebClient(config.token.reveal(), {
        ...clientOptions(config.url),
        fetch: toFetch(http, { signal, maxBodyBytes }, (outcome) => seen.push(outcome)),
      })
      await client.apiCall(method, { ...args }).catch(() => undefined)
      const outcome: PostOutcome = seen[0] ?? { kind: 'failed', cause: 'network', code: 'NOT_SENT' }
      return readAnswer(outcome, { host, now: config.now })
    },
  }
}

/** The library with nothing of its own going on: no retries, no waiting, no lines on the console. */
export function clientOptions(url: string) {
  return {
    slackApiUrl: url,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: silentLogger,
  } satisfies WebClientOptions
}

/** What the library would say stands in the answer, and its lines may hold what is secret. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  // The library's own name for it; to take it from there would load all of it.
  getLevel: () => 'error' as LogLevel,
  setName: () => {},
}

/** The library's way to the network: `postOnce`, with its limits. */
export function toFetch(
  http: PostDeps,
  how: Pick<PostRequest, 'signal' | 'maxBodyBytes'>,
  onOutcome: (outcome: PostOutcome) => void,
): NonNullable<WebClientOptions['fetch']> {
  return async (target, init) => {
    const outcome = await postOnce(http, {
      url: String(target),
      headers: init?.headers ?? {},
      body: typeof init?.body === 'string' ? init.body : '',
      ...how,
    })
    onOutcome(outcome)
    return toFetchResponse(outcome)
  }
}

type FetchResponse = Awaited<ReturnType<NonNullable<WebClientOptions['fetch']>>>

function toFetchResponse(outcome: PostOutcome): FetchResponse {
  if (outcome.kind === 'failed') throw new Error(outcome.cause)
  const { status, retryAfter, body } = outcome
  const headers = new Headers(retryAfter === null ? {} : { 'retry-after': retryAfter })
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    url: '',
    headers: { get: (name) => headers.get(name), entries: () => headers.entries() },
    arrayBuffer: async () => new TextEncoder().encode(body ?? '').buffer,
    json: async () => JSON.parse(body ?? 'null'),
    text: async () => body ?? '',
  }
}
