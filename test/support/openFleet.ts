import { onTestFinished } from 'vitest'
import { createFleetApp } from '../../src/fleet/createFleetApp.ts'
import { createSystemClock } from '../../src/lib/clock.ts'
import { createSilentLog } from '../../src/lib/log.ts'
import { Secret } from '../../src/lib/secret.ts'
import { type Connections, openConnections } from '../../src/replicas/connect.ts'
import { setupSchema } from '../../src/replicas/setupSchema.ts'
import { openDatabase } from '../../src/store/database.ts'
import type { WebOptions } from '../../src/web/types.ts'
import { fillFleet } from './fillFleet.ts'
import type { Postgres } from './startPostgres.ts'

let count = 0

/** The page over a database of its own that has four bridges. */
export async function openFleet(postgres: Postgres, options: Partial<WebOptions> = {}) {
  const url = await postgres.createDatabase(`fleet${(count += 1)}`)
  const connections: Connections = openConnections(
    { database: new Secret(url) },
    { most: 4, timeoutMs: 5_000 },
    'test',
  )
  await setupSchema(connections)
  await fillFleet(connections.query)
  const db = openDatabase(':memory:')
  const stop = new AbortController()
  onTestFinished(async () => {
    stop.abort()
    db.close()
    await connections.close()
  })
  const listeners = new Set<() => void>()
  const deps = {
    clock: createSystemClock(),
    log: createSilentLog(),
    db,
    accesses: new Map(),
    listeners,
    query: connections.query,
    version: '1.0.0',
    stop: stop.signal,
  }
  const app = createFleetApp(deps, { listenHost: '127.0.0.1', token: null, ...options })
  return { app, connections, listeners, url, query: connections.query }
}
