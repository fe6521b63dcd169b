import type { Secret } from '../../lib/secret.ts'
import { describeBody, readJsonObject, type Refusal } from './classifyHttp.ts'
import { isObject } from '../../lib/isObject.ts'
import type { Channel, DeliveryResult } from './message.ts'
import { parseChannelUrl } from './parseChannelUrl.ts'
import { type HttpChannelDeps, postJson } from './postJson.ts'
import { createPostDeps } from './postOnce.ts'
import { renderTeams, renderTeamsPlain } from './renderTeams.ts'

export interface TeamsConfig {
  readonly name: string
  readonly type: 'teams'
  /** Of a workflow that begins when a webhook request is received. */
  readonly url: Secret
}

/**
 * Microsoft Teams by the webhook of a workflow: one adaptive card a message. The connectors of former times are
 * understood as well: they say what is wrong in the text of a 200.
 */
export function createTeamsChannel(deps: HttpChannelDeps, config: TeamsConfig): Channel {
  const url = parseChannelUrl(config.name, config.url.reveal())
  const http = createPostDeps(deps)
  return {
    name: config.name,
    type: 'teams',
    deliver(message, { degraded, signal }) {
      const card = degraded ? renderTeamsPlain(message) : renderTeams(message)
      return postJson({ ...deps, http, url, judgeSuccess, judgeRefusal, throttledMs }, card, signal)
    },
    close: () => http.close(),
  }
}

/** A minute's limit is counted over half a minute. */
const throttledMs = 30_000

/** A workflow says yes with nothing, a connector with a one; what it failed at it says with status 200 as well. */
function judgeSuccess(body: string, where: string): DeliveryResult {
  const text = body.trim()
  if (text === '' || text === '1') return { result: 'ack' }
  const failed = /endpoint returned HTTP error (\d{3})\b/.exec(text)?.[1]
  if (failed !== undefined) return judgeInner(Number(failed), `${where}, and Teams behind it ${failed}`)
  if (/error contacting .* endpoint/i.test(text)) {
    return { result: 'transient', reason: `${where}, but could not reach Teams` }
  }
  return { result: 'suspicious', reason: `${where}${describeBody(body)}, not 1` }
}

function judgeInner(status: number, reason: string): DeliveryResult {
  if (status === 429) return { result: 'throttled', retryAfterMs: throttledMs, reason }
  if (status >= 500 || status === 408) return { result: 'transient', reason }
  if (status === 400 || status === 413) return { result: 'bad_message', reason }
  return { result: 'dead', reason }
}

/** What a workflow that is switched off, deleted or locked calls it, with whatever status. */
const deadCodes = new Set([
  'DirectApiAuthorizationRequired',
  'DirectApiInvalidAuthorizationScheme',
  'WorkflowNotFound',
  'WorkflowTriggerIsNotEnabled',
  'WorkflowTriggerNotFound',
])

function judgeRefusal({ body, reason }: Refusal): DeliveryResult | null {
  const error = readJsonObject(body)?.['error']
  const code = isObject(error) ? error['code'] : null
  return typeof code === 'string' && deadCodes.has(code)
    ? { result: 'dead', reason: `${reason}: ${code}` }
    : null
}
