import type { Context, Hono } from 'hono'
import { MonitorError } from '../../lib/errors.ts'
import type { WebEnv } from '../createAccess.ts'
import { readTransferFilter } from '../readTransferFilter.ts'
import { toJson } from '../toJson.ts'
import type { WebDeps } from '../types.ts'

/** `/metrics` and `/api/*`. Times are milliseconds since 1970, amounts decimal strings. */
export function addApiRoutes(app: Hono<WebEnv>, deps: WebDeps): void {
  app.get('/metrics', async (c) => {
    const text = await deps.registry.metrics()
    return c.body(text, 200, { 'Content-Type': deps.registry.contentType })
  })
  app.get('/api/status', (c) => answerJson(c, deps.readStatus()))
  app.get('/api/alerts', (c) => answerJson(c, { alerts: deps.listAlerts() }))
  app.get('/api/alerts/:id', (c) => {
    try {
      return answerJson(c, deps.showAlert(c.req.param('id').slice(0, 100)))
    } catch (error) {
      if (!(error instanceof MonitorError)) throw error
      return c.json({ code: error.code, error: error.message }, error.code === 'not_found' ? 404 : 400)
    }
  })
  app.get('/api/silences', (c) => answerJson(c, { silences: deps.listSilences() }))
  app.get('/api/transfers', (c) => {
    const { filter, problem } = readTransferFilter((name) => c.req.query(name))
    return filter === null ? c.json({ error: problem }, 400) : answerJson(c, deps.listTransfers(filter))
  })
  app.get('/api/transfers/:key', (c) => {
    const stories = deps.showTransfer(c.req.param('key').slice(0, 200))
    if (stories.length === 0) return c.json({ error: 'The ledger holds no such transfer.' }, 404)
    return answerJson(c, { transfers: stories })
  })
}

function answerJson(c: Context<WebEnv>, value: unknown): Response {
  return c.body(toJson(value), 200, { 'Content-Type': 'application/json' })
}
