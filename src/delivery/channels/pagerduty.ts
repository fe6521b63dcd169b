import type { Secret } from '../../lib/secret.ts'
import { describeBody, readJsonObject, type Refusal } from './classifyHttp.ts'
import { type Channel, type DeliveryResult, moot } from './message.ts'
import { parseChannelUrl } from './parseChannelUrl.ts'
import { type HttpChannelDeps, postJson } from './postJson.ts'
import { createPostDeps } from './postOnce.ts'
import { renderPagerDuty } from './renderPagerDuty.ts'

export interface PagerDutyConfig {
  readonly name: string
  readonly type: 'pagerduty'
  /** Of an Events API v2 integration. */
  readonly routingKey: Secret
  readonly url: Secret
}

const path = '/v2/enqueue'

/**
 * PagerDuty by its Events API v2: a case is one alert there, known by its key. Sending an event again does no harm: the
 * key says that it is the same, so a message of several events is simply sent anew as a whole.
 */
export function createPagerDutyChannel(deps: HttpChannelDeps, config: PagerDutyConfig): Channel {
  const url = parseChannelUrl(config.name, config.url.reveal())
  if (url.pathname === '/') url.pathname = path
  const http = createPostDeps(deps)
  const receiver = { ...deps, http, url, judgeSuccess, judgeRefusal, throttledMs }
  return {
    name: config.name,
    type: 'pagerduty',
    followsCases: true,
    async deliver(message, options) {
      const { events, key } = renderPagerDuty(message, options)
      if (events.length === 0) return { ...moot, ...(key !== null && { thread: key }) }
      for (const event of events) {
        const body = { routing_key: config.routingKey.reveal(), ...event }
        const result = await postJson(receiver, body, options.signal)
        if (result.result !== 'ack') return result
      }
      return key === null ? { result: 'ack' } : { result: 'ack', thread: key }
    },
    close: () => http.close(),
  }
}

/** It says what became of the event; a page of HTML with status 200 is somebody else's. */
function judgeSuccess(body: string, where: string): DeliveryResult {
  if (readJsonObject(body)?.['status'] === 'success') return { result: 'ack' }
  return { result: 'suspicious', reason: `${where}${describeBody(body)}, not success` }
}

/** The limit is counted over the last minute, and what it advises is to try again half a minute later. */
const throttledMs = 30_000

/** Every later event would be refused for the same routing key: it is the channel and not the message. */
function judgeRefusal({ status, body, reason }: Refusal): DeliveryResult | null {
  return status === 400 && /routing.key/i.test(body ?? '')
    ? { result: 'dead', reason: `${reason}: it does not know this routing key` }
    : null
}
