import { portOf } from '../lib/portOf.ts'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Clock } from '../lib/clock.ts'
import { codeOf, errorText, MonitorError } from '../lib/errors.ts'
import { boundConnections } from './boundConnections.ts'
import type { WebEnv } from './types.ts'

export interface WebServerOptions {
  readonly app: Hono<WebEnv>
  readonly clock: Pick<Clock, 'sleep'>
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

export interface WebServer {
  /** Where people open it, without a path. */
  readonly url: string
  readonly port: number
  /** May be called more than once. Requests in flight get a moment, event streams are ended. */
  stop(): Promise<void>
}

const graceMs = 250
/** Many times more than may follow events, and half of the descriptors that a process is usually given. */
const mostConnections = 512

/** Listens; rejects with `config.invalid` when the address cannot be used. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const { app, clock, host, port } = options
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    // A reader who never finishes asking must not hold a connection for ever.
    serverOptions: {
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 5_000,
      // Node's own 30 s would make both of the above 30 s longer.
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16_384,
    },
  })
  // One who never reads what he asked for must not hold it in memory; an event stream says something every 10 s.
  server.setTimeout(60_000)
  if ('maxRequestsPerSocket' in server) {
    server.maxRequestsPerSocket = 1_000
    boundConnections(server, mostConnections)
  }
  server.on('connection', (socket) => socket.setNoDelay(true))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)))
    server.listen(port, host, resolve)
  })
  const listening = portOf(server)
  let stopped: Promise<void> | null = null
  const stop = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    if ('closeIdleConnections' in server) server.closeIdleConnections()
    await Promise.race([closed, clock.sleep(graceMs)])
    if ('closeAllConnections' in server) server.closeAllConnections()
    await closed
  }
  return { url: toUrl(host, listening), port: listening, stop: () => (stopped ??= stop()) }
}

function toListenError(error: unknown, host: string, port: number): MonitorError {
  const code = codeOf(error)
  const where = `${host}:${port}`
  if (code === 'EADDRINUSE') {
    return new MonitorError(
      'config.invalid',
      `port in use: another program listens on ${where}; change http.listen`,
      {
        cause: error,
        details: { host, port },
      },
    )
  }
  return new MonitorError(
    'config.invalid',
    `cannot listen on ${where}: ${errorText(error)}; see http.listen`,
    {
      cause: error,
      details: { host, port },
    },
  )
}

function toUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
