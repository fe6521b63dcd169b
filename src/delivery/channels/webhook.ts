import { createHmac } from 'node:crypto'
import { errorText, MonitorError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { Secret } from '../../lib/secret.ts'
import { runInTurns } from '../../lib/steps.ts'
import { classifyHttp } from './classifyHttp.ts'
import { compileBody } from './compileBody.ts'
import type { Channel, Message } from './message.ts'
import type { HttpChannelDeps } from './postJson.ts'
import { createPostDeps, jsonHeaders, postOnce } from './postOnce.ts'
import { basicAuthorization, parseChannelUrl } from './parseChannelUrl.ts'
import { writeWebhookBody } from './renderWebhook.ts'
import { headerId, part } from './textParts.ts'

export interface WebhookConfig {
  readonly name: string
  readonly type: 'webhook'
  readonly url: string | Secret
  readonly secret?: Secret
  /** A Liquid template that the body is made by; the documented body without it. */
  readonly body?: string
  readonly contentType?: string
}

export interface WebhookDeps extends HttpChannelDeps {
  readonly log?: Pick<Logger, 'warn'>
}

/**
 * A generic webhook: one POST of JSON (see `toWebhookBody` in renderWebhook.ts) or of a body of one's own, any 2xx is an acknowledgement. With a secret it carries
 * `x-spanwatch-signature: sha256=<hex>`, the HMAC-SHA256 over `<x-spanwatch-timestamp>.<body>`; a receiver should
 * refuse timestamps that are minutes old. `x-spanwatch-id` repeats when a message may have arrived before.
 */
export function createWebhookChannel(deps: WebhookDeps, config: WebhookConfig): Channel {
  const url = parseChannelUrl(config.name, config.url instanceof Secret ? config.url.reveal() : config.url)
  const authorization = basicAuthorization(url)
  const http = createPostDeps(deps)
  const makeBody = createBodyMaker(deps, config)
  return {
    name: config.name,
    type: 'webhook',
    followsCases: true,
    async deliver(message, options) {
      const { contentType, body } = await makeBody(message, options.degraded)
      const timestamp = Math.floor(deps.clock.now() / 1_000)
      const headers = {
        ...jsonHeaders,
        'content-type': contentType,
        'x-spanwatch-id': headerId(message.id),
        'x-spanwatch-attempt': String(message.attempt),
        'x-spanwatch-timestamp': String(timestamp),
        ...(config.secret === undefined
          ? {}
          : { 'x-spanwatch-signature': signBody(config.secret, timestamp, body) }),
        ...(authorization === null ? {} : { authorization }),
      }
      const outcome = await postOnce(http, { url: url.href, headers, body, signal: options.signal })
      return classifyHttp(outcome, { host: url.host, now: deps.clock.now() })
    },
    close: () => http.close(),
  }
}

/**
 * A body that cannot be made must not keep the message back: the documented one goes out, and says why.
 * @throws MonitorError `config.invalid`, when the template is none
 */
function createBodyMaker(
  { log }: Pick<WebhookDeps, 'log'>,
  { name, body: text, contentType = jsonHeaders['content-type'] }: WebhookConfig,
) {
  const compiled = text === undefined ? null : compileBody(text, contentType)
  if (compiled?.ok === false) {
    throw new MonitorError('config.invalid', `channel ${name}: body: ${compiled.problem.message}`)
  }
  const documented = async (message: Message, degraded: boolean, bodyError: string | null) => ({
    contentType: jsonHeaders['content-type'] as string,
    body: await runInTurns(writeWebhookBody(message, { degraded, bodyError })),
  })
  return async (message: Message, degraded: boolean) => {
    if (compiled === null) return documented(message, degraded, null)
    try {
      return { contentType, body: compiled.run(message, degraded) }
    } catch (error) {
      const says = part(errorText(error), 200)
      log?.warn(
        { channel: name, error: says },
        'the body of a webhook could not be made: the documented one is sent',
      )
      return documented(message, degraded, says)
    }
  }
}

/** @example signBody(secret, 1763715600, '{}') // 'sha256=…', 64 hex digits */
function signBody(secret: Secret, timestamp: number, body: string): string {
  return `sha256=${createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex')}`
}
