import type { Secret } from '../../lib/secret.ts'
import { describeBody } from './classifyHttp.ts'
import { createThreads } from './createThreads.ts'
import { type Channel, type DeliveryResult, moot } from './message.ts'
import { basicAuthorization, parseChannelUrl } from './parseChannelUrl.ts'
import { type HttpChannelDeps, postJson } from './postJson.ts'
import { createPostDeps, jsonHeaders } from './postOnce.ts'
import { type ManagedAlert, renderAlertmanager, repeatCase } from './renderAlertmanager.ts'

export interface AlertmanagerConfig {
  readonly name: string
  readonly type: 'alertmanager'
  /** Where Alertmanager is, without `/api/v2/alerts`. */
  readonly url: Secret
}

/** Alertmanager keeps alerts in memory alone: after its restart it knows of nothing until it is told again. */
const everyMs = 60_000
/** Alerts of one request: some hundred kilobytes. */
const batch = 200

/**
 * An Alertmanager by its API v2, with every receiver that it has: a case is one alert there. It ends when the case is
 * over, and never by itself: its end lies a day ahead, and what stands is told again each minute.
 */
export function createAlertmanagerChannel(deps: HttpChannelDeps, config: AlertmanagerConfig): Channel {
  const url = parseChannelUrl(config.name, config.url.reveal())
  const authorization = basicAuthorization(url)
  url.pathname = `${url.pathname.replace(/\/+(api\/v2\/alerts\/*)?$/, '')}/api/v2/alerts`
  const headers = { ...jsonHeaders, ...(authorization !== null && { authorization }) }
  const http = createPostDeps(deps)
  const receiver = { ...deps, http, url, headers, judgeSuccess }
  const { inThread, newestOf } = createThreads()
  /** What is told again at the moment. */
  let telling: Promise<unknown> = Promise.resolve()
  async function post(alerts: readonly ManagedAlert[], signal: AbortSignal): Promise<DeliveryResult> {
    for (let from = 0; from < alerts.length; from += batch) {
      const result = await postJson(receiver, alerts.slice(from, from + batch), signal)
      if (result.result !== 'ack') return result
    }
    return { result: 'ack' }
  }
  return {
    name: config.name,
    type: 'alertmanager',
    followsCases: true,
    deliver: (message, options) =>
      inThread(message, options, async (before) => {
        const { degraded } = options
        const { alerts, thread, ends } = renderAlertmanager(message, { degraded, before }, deps.clock.now())
        if (alerts.length === 0) return moot
        // What was about to be told again must not come after its end: it would stand for another day.
        if (ends) await telling
        const result = await post(alerts, options.signal)
        return result.result === 'ack' && thread !== null ? { result: 'ack', thread } : result
      }),
    refresh: {
      everyMs,
      tell(cases, { signal }) {
        const alerts = cases.flatMap(({ case: of, thread }) => {
          const told = newestOf(of.id, thread)
          return told === null ? [] : repeatCase({ case: of, thread: told }, deps.clock.now())
        })
        const told = post(alerts, signal)
        telling = told.catch(() => undefined)
        return told
      },
    },
    close: () => http.close(),
  }
}

/** It says yes with nothing. */
function judgeSuccess(body: string, where: string): DeliveryResult {
  if (body.trim() === '') return { result: 'ack' }
  return { result: 'suspicious', reason: `${where}${describeBody(body)}, where Alertmanager says nothing` }
}
