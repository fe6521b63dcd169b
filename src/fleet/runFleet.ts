import { readFileSync } from 'node:fs'
import type { FleetConfig } from '../config/loadFleet.ts'
import { createChannel } from '../delivery/channels/createChannel.ts'
import type { Clock } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { openConnections, type Query } from '../replicas/connect.ts'
import { ensureSchema } from '../replicas/setupSchema.ts'
import { openDatabase } from '../store/database.ts'
import { startWebServer } from '../web/startWebServer.ts'
import { createFleetApp } from './createFleetApp.ts'
import { type FleetDailyDeps, sendFleetDays } from './daily/sendFleetDays.ts'

export interface FleetRunDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly write: (text: string) => void
}

const timeoutMs = 5_000
/** A day's transfers of all bridges may take longer to count than anybody waits for a page. */
const reportTimeoutMs = 120_000
const changeMs = 5_000
const dailyMs = 30_000

/**
 * Serves all bridges of a database until `stop`.
 * @throws MonitorError when it cannot start: `config.invalid`, `replica.refused`, `replica.unreachable`
 */
export async function runFleet(
  deps: FleetRunDeps,
  config: FleetConfig,
  of: { readonly version: string; readonly stop: AbortSignal; readonly onReady: (url: string) => void },
): Promise<void> {
  const { clock, log } = deps
  const { http } = config
  if (http === null) throw new MonitorError('config.invalid', 'http: expected where the page listens')
  const address = { database: config.database, ca: readCa(config.caFile) }
  const pages = openConnections(address, { most: 8, timeoutMs }, 'fleet')
  const reports = openConnections(address, { most: 1, timeoutMs: reportTimeoutMs }, 'fleet reports')
  // Only which sessions were signed out is kept there.
  const db = openDatabase(':memory:')
  try {
    await ensureSchema(pages)
    const listeners = new Set<() => void>()
    const app = createFleetApp(
      {
        clock,
        log,
        db,
        accesses: new Map(),
        listeners,
        query: pages.query,
        version: of.version,
        stop: of.stop,
      },
      { ...http, listenHost: http.host },
    )
    const server = await startWebServer({ app, clock, host: http.host, port: http.port })
    try {
      of.onReady(server.url)
      await Promise.all([
        repeat(deps, of.stop, changeMs, async () => {
          for (const listener of listeners) listener()
        }),
        sendDaily(deps, config, { query: reports.query, stop: of.stop }),
      ])
    } finally {
      await server.stop()
    }
  } finally {
    db.close()
    await Promise.all([pages.close(), reports.close()])
  }
}

function readCa(path: string | null): string | null {
  if (path === null) return null
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new MonitorError('config.invalid', `ca cannot be read: ${errorText(error)}`, { cause: error })
  }
}

async function sendDaily(
  deps: FleetRunDeps,
  { daily, channels, http }: FleetConfig,
  { query, stop }: { readonly query: Query; readonly stop: AbortSignal },
): Promise<void> {
  const settings = channels.find(({ name }) => name === daily?.channel)
  if (daily === null || settings === undefined) return
  const channel = createChannel({ clock: deps.clock, write: deps.write, color: false }, settings)
  const of: FleetDailyDeps = { ...deps, query, channel, settings: daily, pageUrl: http?.publicUrl ?? null }
  try {
    await repeat(deps, stop, dailyMs, () => sendFleetDays(of, stop))
  } finally {
    await channel.close()
  }
}

async function repeat(
  { clock, log }: FleetRunDeps,
  stop: AbortSignal,
  everyMs: number,
  work: () => Promise<void>,
): Promise<void> {
  while (!stop.aborted) {
    await work().catch((error: unknown) => log.warn({ err: error }, errorText(error)))
    await clock.sleep(everyMs, stop)
  }
}
