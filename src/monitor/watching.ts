import { type Dispatcher, request } from 'undici'
import type { OpenCheck } from '../kernel/check.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { createRunner } from '../kernel/runner.ts'
import { createUpkeep } from '../kernel/upkeep.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { Secret } from '../lib/secret.ts'
import { cleanText } from '../lib/text.ts'
import { createReporting } from '../report/poll.ts'
import type { Voice } from './voice.ts'

const upkeepMs = 60_000

interface HeartbeatDeps {
  readonly url: Secret
  /** Whether the monitor really checked and committed of late. */
  isAlive(): boolean
  readonly dispatcher?: Dispatcher
}

const timeoutMs = 10_000

/** Everything that asks: one runner with the pollers of all checks, and what the process does beside them. */
export function createWatching(
  kernel: Kernel,
  opened: readonly OpenCheck[],
  of: { readonly voice: Voice; readonly isAlive: () => boolean },
) {
  const { heartbeat } = kernel.config
  const upkeep = createUpkeep(kernel, opened)
  const runner = createRunner(kernel, [
    ...opened.flatMap(({ pollers }) => pollers),
    ...createReporting(kernel),
    { name: 'upkeep', schedule: upkeepMs, run: async () => (of.voice.note(), upkeep()) },
    ...(heartbeat
      ? [
          {
            name: 'heartbeat',
            schedule: heartbeat.everyMs,
            run: createHeartbeat({ url: heartbeat.url, isAlive: of.isAlive }),
          },
        ]
      : []),
  ])
  return {
    runner,
    pollerStatus: () => [...runner.status(), ...opened.flatMap((check) => check.status?.() ?? [])],
  }
}

/**
 * Calls an outside dead man's switch while the monitor works, and its `/fail` when it runs but cannot do its work. Any
 * other failure shows there as no call at all.
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
