import type { Context, Hono } from 'hono'
import { errorText } from '../lib/errors.ts'
import { cleanText } from '../lib/text.ts'
import type { HealthVerdict } from '../monitor/judgeLiveness.ts'
import { readLiveness, readReadiness } from '../monitor/liveness.ts'
import { createAddressReader } from './clientAddress.ts'
import { addEventRoute, addFallbacks, createFrame } from './createFrame.ts'
import { noticePlace } from './pages/layout.ts'
import { renderNotice } from './pages/replicaParts.ts'
import { addActionRoutes } from './routes/addActionRoutes.ts'
import { addApiRoutes } from './routes/addApiRoutes.ts'
import { addChartRoutes, addPageRoutes, addReportRoutes } from './routes/addPageRoutes.ts'
import type { WebDeps, WebEnv, WebOptions } from './types.ts'

/**
 * The status page, the JSON API, health and metrics as one app.
 * @throws MonitorError `config.invalid` when it would listen beyond this machine without a token
 * @example (await createWebApp(deps, { listenHost: '127.0.0.1', token: null }).request('/healthz')).status
 */
export function createWebApp(deps: WebDeps, options: WebOptions): Hono<WebEnv> {
  const { app, gate } = createFrame(deps, options, (open) => addHealthRoutes(open, deps))
  app.use((c, next) => addNotice(c, next, deps))
  addActionRoutes(app, { deps, gate, readAddress: createAddressReader(options.trustProxy ?? []) })
  addApiRoutes(app, deps)
  addEventRoute(app, deps)
  addPageRoutes(app, deps, gate)
  addChartRoutes(app, deps)
  addReportRoutes(app, deps)
  addFallbacks(app, deps)
  return app
}

/** Says on every page of a node that follows that it does. */
async function addNotice(
  c: Context<WebEnv>,
  next: () => Promise<void>,
  { replica, clock }: Pick<WebDeps, 'replica' | 'clock'>,
): Promise<void> {
  await next()
  const status = replica?.() ?? null
  const isPage = c.res.headers.get('content-type')?.startsWith('text/html') === true
  if (status?.role !== 'follower' || !isPage) return
  const page = await c.res.text()
  const notice = String(await renderNotice(status, clock.now()))
  c.res = new Response(
    page.replace(noticePlace, () => notice),
    c.res,
  )
}

/** Open to everyone who can connect: a probe carries no token, and reasons name no data. */
function addHealthRoutes(app: Hono<WebEnv>, deps: WebDeps): void {
  app.get('/healthz', (c) =>
    answerHealth(c, deps, () => readLiveness(deps.health, deps.clock.now(), deps.loopLag.read())),
  )
  app.get('/readyz', (c) => answerHealth(c, deps, () => readReadiness(deps.health, deps.clock.now())))
}

function answerHealth(c: Context<WebEnv>, { log }: WebDeps, judge: () => HealthVerdict): Response {
  const { ok, reasons } = judgeSafely(log, judge)
  const body = { status: ok ? 'ok' : 'failing', reasons: reasons.map((reason) => cleanText(reason, 300)) }
  return c.json(body, ok ? 200 : 503)
}

/** A health that cannot be determined is no health. */
function judgeSafely(log: WebDeps['log'], judge: () => HealthVerdict): HealthVerdict {
  try {
    return judge()
  } catch (error) {
    log.error({ problem: errorText(error) }, 'health could not be determined')
    return { ok: false, reasons: ['health could not be determined'] }
  }
}
