import { Hono } from 'hono'
import { addAssets } from '../web/createFrame.ts'
import { startWebServer } from '../web/startWebServer.ts'
import type { WebEnv } from '../web/types.ts'
import type { ReplicaRun } from './replicaRun.ts'
import { createServiceNotifier, sendToServiceManager } from './serviceNotifier.ts'

export type WaitingRun = Pick<ReplicaRun, 'deps' | 'options'>

/** Says to systemd, while `work` runs, that this process gets its turns: whoever does not watch can say no more. */
export async function whileAlive<T>(
  { deps: { clock, log }, options: { env = {} } }: WaitingRun,
  work: () => Promise<T>,
): Promise<T> {
  const send = (state: string) => sendToServiceManager(env, state)
  const service = createServiceNotifier({ clock, log, env, send, isAlive: () => true })
  service.ready()
  try {
    return await work()
  } finally {
    await service.stop()
  }
}

/**
 * Serves, while `work` runs, what a node without a ledger to show can say: that it gets its turns, or a cluster would end it
 * before it has one, and why there is no page.
 * @param listReasons why it could not take over now; none where it could
 */
export async function whileWaiting<T>(
  { deps: { clock }, options: { config } }: WaitingRun,
  of: { readonly why: string; readonly listReasons: () => readonly string[] },
  work: () => Promise<T>,
): Promise<T> {
  if (config.http === null) return await work()
  const { host, port } = config.http
  const server = await startWebServer({ app: createWaitingApp(of), clock, host, port })
  try {
    return await work()
  } finally {
    await server.stop()
  }
}

/** Nothing of it is a secret, and nothing of it is of the bridge. */
function createWaitingApp({ why, listReasons }: Parameters<typeof whileWaiting>[1]): Hono<WebEnv> {
  const app = new Hono<WebEnv>({ strict: false })
  app.use(async (c, next) => {
    await next()
    c.res.headers.set('Cache-Control', 'no-store')
  })
  addAssets(app)
  app.get('/healthz', (c) => c.json({ ok: true, reasons: [] }))
  app.get('/readyz', (c) => {
    const reasons = listReasons()
    return c.json({ ok: reasons.length === 0, reasons }, reasons.length === 0 ? 200 : 503)
  })
  app.all('*', (c) => c.json({ error: why }, 503))
  return app
}
