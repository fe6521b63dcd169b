import type { Clock } from '../../lib/clock.ts'
import type { Secret } from '../../lib/secret.ts'
import { classifyHttp, describeBody, parseRetryAfter, readJsonObject, type Refusal } from './classifyHttp.ts'
import type { Channel, DeliveryResult } from './message.ts'
import { parseChannelUrl } from './parseChannelUrl.ts'
import { createPostDeps, jsonHeaders, type PostDeps, postOnce } from './postOnce.ts'
import { renderPagerDuty } from './renderPagerDuty.ts'

export interface PagerDutyConfig {
  readonly name: string
  readonly type: 'pagerduty'
  /** Of an Events API v2 integration. */
  readonly routingKey: Secret
  readonly url: Secret
}

export interface PagerDutyDeps extends Partial<PostDeps> {
  readonly clock: Pick<Clock, 'now'>
}

const path = '/v2/enqueue'

/**
 * PagerDuty by its Events API v2: a case is one alert there, known by its key. Sending an event again does no harm: the
 * key says that it is the same, so a message of several events is simply sent anew as a whole.
 */
export function createPagerDutyChannel(deps: PagerDutyDeps, config: PagerDutyConfig): Channel {
  const url = parseChannelUrl(config.name, config.url.reveal())
  if (url.pathname === '/') url.pathname = path
  const http = createPostDeps(deps)
  return {
    name: config.name,
    type: 'pagerduty',
    followsCases: true,
    async deliver(message, options) {
      const { events, key } = renderPagerDuty(message, options)
      for (const event of events) {
        const body = JSON.stringify({ routing_key: config.routingKey.reveal(), ...event })
        const outcome = await postOnce(http, {
          url: url.href,
          headers: jsonHeaders,
          body,
          signal: options.signal,
        })
        const now = deps.clock.now()
        const judgeRefusal = (refusal: Refusal) => judge(refusal, now)
        const result = classifyHttp(outcome, { host: url.host, now, judgeSuccess, judgeRefusal })
        if (result.result !== 'ack') return result
      }
      return key === null ? { result: 'ack' } : { result: 'ack', thread: key }
    },
    close: () => http.close(),
  }
}

/** It says what became of the event; a page of HTML with status 200 is somebody else's. */
function judgeSuccess(body: string | null, where: string): DeliveryResult {
  if (body === null) return { result: 'transient', reason: `${where}, but the body broke off` }
  if (readJsonObject(body)?.['status'] === 'success') return { result: 'ack' }
  return { result: 'suspicious', reason: `${where}${describeBody(body)}, not success` }
}

/** The limit is counted over the last minute, and what it advises is to try again half a minute later. */
const throttledMs = 30_000

function judge({ status, retryAfter, body, reason }: Refusal, now: number): DeliveryResult | null {
  if (status === 429) {
    return { result: 'throttled', retryAfterMs: parseRetryAfter(retryAfter, now, throttledMs), reason }
  }
  // Every later event would be refused for the same: it is the channel and not the message.
  if (status === 400 && /routing.key/i.test(body ?? '')) {
    return { result: 'dead', reason: `${reason}: it does not know this routing key` }
  }
  return null
}
