import { type Dispatcher, request } from 'undici'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { Secret } from '../lib/secret.ts'
import { cleanText } from '../lib/text.ts'

export interface HeartbeatDeps {
  readonly url: Secret
  /** Whether the monitor really checked and committed of late. */
  isAlive(): boolean
  readonly dispatcher?: Dispatcher
}

const timeoutMs = 10_000

/**
 * Tells an outside dead man's switch that the monitor works, and says `/fail` when it runs but cannot do its work. No
 * sign of life at all is what tells of everything else.
 */
export function createHeartbeat(deps: HeartbeatDeps): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const url = new URL(deps.url.reveal())
    if (!deps.isAlive()) url.pathname = `${url.pathname.replace(/\/+$/, '')}/fail`
    const status = await ping(deps, url, signal)
    if (status >= 300)
      throw new MonitorError('channel.failed', `the heartbeat at ${url.host} answered HTTP ${status}`)
  }
}

async function ping({ dispatcher }: HeartbeatDeps, url: URL, signal: AbortSignal): Promise<number> {
  try {
    const { statusCode, body } = await request(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      ...(dispatcher && { dispatcher }),
    })
    await body.dump({ limit: 65_536 })
    return statusCode
  } catch (error) {
    // The address may hold a key: host and the system's word only.
    const code =
      error instanceof Error && 'code' in error ? String(error.code) : cleanText(errorText(error), 80)
    throw new MonitorError('channel.failed', `the heartbeat at ${url.host} cannot be reached: ${code}`)
  }
}
