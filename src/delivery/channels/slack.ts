import { IncomingWebhook } from '@slack/webhook'
import type { Clock } from '../../lib/clock.ts'
import type { Secret } from '../../lib/secret.ts'
import { classifyHttp, describeBody } from './classifyHttp.ts'
import type { Channel, DeliveryResult } from './message.ts'
import { createPostDeps, type PostDeps, type PostOutcome, postOnce } from './postOnce.ts'
import { renderSlack, renderSlackPlain, type SlackPayload } from './renderSlack.ts'
import { parseChannelUrl } from './parseChannelUrl.ts'

export interface SlackConfig {
  readonly name: string
  readonly type: 'slack'
  readonly url: Secret
}

export interface SlackDeps extends Partial<PostDeps> {
  readonly clock: Pick<Clock, 'now'>
}

/**
 * A Slack incoming webhook. @slack/webhook builds and sends the request; how it ended is read from the answer itself,
 * because the library takes any 2xx as success, drops `Retry-After` and has no deadline over a dripping body.
 */
export function createSlackChannel(deps: SlackDeps, config: SlackConfig): Channel {
  const url = parseChannelUrl(config.name, config.url.reveal())
  const http = createPostDeps(deps)
  return {
    name: config.name,
    type: 'slack',
    async deliver(message, options) {
      const payload = options.degraded ? renderSlackPlain(message) : renderSlack(message)
      const outcome = await send(http, url, payload, options.signal)
      return classifyHttp(outcome, { host: url.host, now: deps.clock.now(), judgeSuccess })
    },
    close: () => http.close(),
  }
}

async function send(
  http: PostDeps,
  url: URL,
  payload: SlackPayload,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const seen: PostOutcome[] = []
  const webhook = new IncomingWebhook(url.href, {
    retryConfig: { retries: 0 },
    fetch: async (target, init) => {
      const outcome = await postOnce(http, {
        url: String(target),
        headers: init?.headers ?? {},
        body: typeof init?.body === 'string' ? init.body : '',
        signal,
      })
      seen.push(outcome)
      return toFetchResponse(outcome)
    },
  })
  // A rejection says no more than `seen` does, and its text may hold the URL.
  await webhook.send(payload).catch(() => undefined)
  return seen[0] ?? { kind: 'failed', cause: 'network', code: 'NOT_SENT' }
}

/** Slack says yes with the two letters and nothing else; a page of HTML with status 200 is somebody else's. */
function judgeSuccess(body: string | null, where: string): DeliveryResult {
  if (body === 'ok') return { result: 'ack' }
  if (body === null) return { result: 'transient', reason: `${where}, but the body broke off` }
  return { result: 'suspicious', reason: `${where}${describeBody(body)}, not ok` }
}

type FetchFunction = NonNullable<NonNullable<ConstructorParameters<typeof IncomingWebhook>[1]>['fetch']>
type FetchResponse = Awaited<ReturnType<FetchFunction>>

function toFetchResponse(outcome: PostOutcome): FetchResponse {
  if (outcome.kind === 'failed') throw new Error(outcome.cause)
  const headers = new Headers()
  return {
    ok: outcome.status >= 200 && outcome.status < 300,
    status: outcome.status,
    statusText: '',
    url: '',
    headers: { get: (name) => headers.get(name), entries: () => headers.entries() },
    arrayBuffer: async () => new TextEncoder().encode(outcome.body ?? '').buffer,
    json: async () => JSON.parse(outcome.body ?? 'null'),
    text: async () => outcome.body ?? '',
  }
}
