import type { Secret } from '../../lib/secret.ts'
import { boundWait, describeBody, readJsonObject, type Refusal } from './classifyHttp.ts'
import type { Channel, DeliveryResult } from './message.ts'
import { parseChannelUrl } from './parseChannelUrl.ts'
import { type HttpChannelDeps, postJson } from './postJson.ts'
import { createPostDeps } from './postOnce.ts'
import { renderDiscord, renderDiscordPlain } from './renderDiscord.ts'

export interface DiscordConfig {
  readonly name: string
  readonly type: 'discord'
  /** The webhook's, with `?thread_id=…` for a thread. */
  readonly url: Secret
}

/** A Discord webhook. It is asked to wait, so that its answer is the message itself and not only that one was read. */
export function createDiscordChannel(deps: HttpChannelDeps, config: DiscordConfig): Channel {
  const url = parseChannelUrl(config.name, config.url.reveal())
  url.searchParams.set('wait', 'true')
  const http = createPostDeps(deps)
  return {
    name: config.name,
    type: 'discord',
    deliver(message, { degraded, signal }) {
      const body = degraded ? renderDiscordPlain(message) : renderDiscord(message)
      return postJson({ ...deps, http, url, judgeSuccess, judgeRefusal }, body, signal)
    },
    close: () => http.close(),
  }
}

function judgeSuccess(body: string, where: string): DeliveryResult {
  if (typeof readJsonObject(body)?.['id'] === 'string') return { result: 'ack' }
  return { result: 'suspicious', reason: `${where}${describeBody(body)}, not the message` }
}

/** What no message to this webhook can pass. */
const deadCodes: Readonly<Record<number, string>> = {
  10_003: 'its channel is gone',
  10_015: 'it does not know this webhook',
  50_001: 'it may not see the channel',
  50_013: 'it may not write there',
  50_027: 'it does not know this token of the webhook',
  50_083: 'its thread is archived: open it again',
  160_005: 'its thread is locked: unlock it',
  220_001: 'a forum needs ?thread_id=… in the address',
}

function judgeRefusal({ status, body, reason }: Refusal): DeliveryResult | null {
  const said = readJsonObject(body)
  const code = said?.['code']
  const isDead = status !== 429 && typeof code === 'number' ? deadCodes[code] : undefined
  if (isDead !== undefined) return { result: 'dead', reason: `${reason}: ${isDead}` }
  const seconds = said?.['retry_after']
  if (status !== 429 || typeof seconds !== 'number' || !Number.isFinite(seconds)) return null
  const whose = said?.['global'] === true ? ': for everything that this machine sends there' : ''
  return {
    result: 'throttled',
    retryAfterMs: boundWait(Math.ceil(seconds * 1_000)),
    reason: `${reason}${whose}`,
  }
}
