import { createHmac } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { Secret } from '../../lib/secret.ts'
import { classifyHttp } from './classifyHttp.ts'
import type { Channel, DeliveryResult, Message, MessageItem } from './message.ts'
import { createPostDeps, jsonHeaders, type PostDeps, postOnce } from './postOnce.ts'
import { basicAuthorization, parseChannelUrl } from './parseChannelUrl.ts'
import { headerId, headlineOf, isoInstant } from './textParts.ts'

export interface WebhookConfig {
  readonly name: string
  readonly type: 'webhook'
  readonly url: string | Secret
  readonly secret?: Secret
}

export interface WebhookDeps extends Partial<PostDeps> {
  readonly clock: Pick<Clock, 'now'>
}

/**
 * A generic webhook: one POST of JSON (see `toWebhookBody`), any 2xx is an acknowledgement. With a secret it carries
 * `x-spanwatch-signature: sha256=<hex>`, the HMAC-SHA256 over `<x-spanwatch-timestamp>.<body>`; a receiver should
 * refuse timestamps that are minutes old. `x-spanwatch-id` repeats when a message may have arrived before.
 */
export function createWebhookChannel(deps: WebhookDeps, config: WebhookConfig): Channel {
  const url = parseChannelUrl(config.name, config.url instanceof Secret ? config.url.reveal() : config.url)
  const authorization = basicAuthorization(url)
  const http = createPostDeps(deps)
  return {
    name: config.name,
    type: 'webhook',
    async deliver(message, options) {
      const body = JSON.stringify(toWebhookBody(message, options.degraded))
      const timestamp = Math.floor(deps.clock.now() / 1_000)
      const headers = {
        ...jsonHeaders,
        'x-spanwatch-id': headerId(message.id),
        'x-spanwatch-attempt': String(message.attempt),
        'x-spanwatch-timestamp': String(timestamp),
        ...(config.secret === undefined
          ? {}
          : { 'x-spanwatch-signature': signBody(config.secret, timestamp, body) }),
        ...(authorization === null ? {} : { authorization }),
      }
      const outcome = await postOnce(http, { url: url.href, headers, body, signal: options.signal })
      return classifyHttp(outcome, { host: url.host, now: deps.clock.now(), judgeSuccess })
    },
    close: () => http.close(),
  }
}

/** @example signBody(secret, 1763715600, '{}') // 'sha256=…', 64 hex digits */
function signBody(secret: Secret, timestamp: number, body: string): string {
  return `sha256=${createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex')}`
}

/**
 * The documented body: `version`, `id`, `attempt`, `channel`, `severity`, `headline`, `total`, `createdAt` and
 * `items`, each with its alert's id, rule, kind, severity, status, texts, fields, facts, labels and times. Strings come
 * as they are: escaping is the receiver's. The plain form leaves out `items`.
 */
function toWebhookBody(message: Message, degraded: boolean): Readonly<Record<string, unknown>> {
  return {
    version: 1,
    id: message.id,
    attempt: message.attempt,
    channel: message.channel,
    severity: message.severity,
    headline: headlineOf(message),
    total: message.total,
    createdAt: isoInstant(message.createdAt),
    pageUrl: message.pageUrl,
    items: degraded ? [] : [...message.items, ...message.rest].map(toWebhookItem),
  }
}

function toWebhookItem(item: MessageItem): object {
  return {
    ...item,
    since: isoInstant(item.since),
    at: isoInstant(item.at),
    joined: item.joined.map(toWebhookItem),
  }
}

function judgeSuccess(): DeliveryResult {
  return { result: 'ack' }
}
