import type { Secret } from '../../lib/secret.ts'
import { classifyHttp, describeBody } from './classifyHttp.ts'
import type { Channel, DeliveryResult } from './message.ts'
import type { HttpChannelDeps } from './postJson.ts'
import { createPostDeps, type PostDeps, type PostOutcome } from './postOnce.ts'
import { renderSlack, renderSlackPlain, type SlackPayload } from './renderSlack.ts'
import { toFetch } from './slackApp/api.ts'
import { parseChannelUrl } from './parseChannelUrl.ts'

export interface SlackConfig {
  readonly name: string
  readonly type: 'slack'
  readonly url: Secret
}

/**
 * A Slack incoming webhook. @slack/webhook builds and sends the request; how it ended is read from the answer itself,
 * because the library takes any 2xx as success, drops `Retry-After` and has no deadline over a dripping body.
 */
export function createSlackChannel(deps: HttpChannelDeps, config: SlackConfig): Channel {
  const url = parseChannelUrl(config.name, config.url.reveal())
  // Loaded where there is such a channel, and at once: an alert depends on no file that is there by then.
  const library = import('@slack/webhook')
  const http = { ...createPostDeps(deps), library }
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
  http: PostDeps & { readonly library: Promise<typeof import('@slack/webhook')> },
  url: URL,
  payload: SlackPayload,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const seen: PostOutcome[] = []
  const { IncomingWebhook } = await http.library
  const webhook = new IncomingWebhook(url.href, {
    retryConfig: { retries: 0 },
    fetch: toFetch(http, { signal }, (outcome) => seen.push(outcome)),
  })
  // A rejection says no more than `seen` does, and its text may hold the URL.
  await webhook.send(payload).catch(() => undefined)
  return seen[0] ?? { kind: 'failed', cause: 'network', code: 'NOT_SENT' }
}

/** Slack says yes with the two letters and nothing else; a page of HTML with status 200 is somebody else's. */
function judgeSuccess(body: string, where: string): DeliveryResult {
  if (body === 'ok') return { result: 'ack' }
  return { result: 'suspicious', reason: `${where}${describeBody(body)}, not ok` }
}
