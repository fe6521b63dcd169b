import type { Context, Hono } from 'hono'
import { errorText } from '../../lib/errors.ts'
import { cleanText } from '../../lib/text.ts'
import type { WebDeps, WebEnv } from '../types.ts'
import type { HealthVerdict } from '../../monitor/judgeLiveness.ts'

/** Open to everyone who can connect: a probe carries no token, and reasons name no data. */
export function addHealthRoutes(app: Hono<WebEnv>, deps: WebDeps): void {
  app.get('/healthz', (c) => answerHealth(c, deps, () => deps.isLive()))
  app.get('/readyz', (c) => answerHealth(c, deps, () => deps.isReady()))
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
