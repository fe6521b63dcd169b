import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { MonitorError } from '../../lib/errors.ts'
import { once } from '../../lib/once.ts'
import { toJson } from '../../lib/toJson.ts'
import type { ApiRoute } from '../api/apiRoute.ts'
import { describeApi } from '../api/describeApi.ts'
import { readQuery } from '../api/parameters.ts'
import { apiRoutes } from '../api/routes.ts'
import type { WebDeps, WebEnv } from '../types.ts'

/** `/metrics`, what `/api/*` answers to GET, and the document that describes it. */
export function addApiRoutes(app: Hono<WebEnv>, deps: WebDeps): void {
  app.get('/metrics', async (c) => {
    const text = await deps.registry.metrics()
    return c.body(text, 200, { 'Content-Type': deps.registry.contentType })
  })
  const describe = once(describeApi)
  app.get('/api/openapi.json', (c) => answerJson(c, describe()))
  for (const route of apiRoutes) app.get(route.path, (c) => answer(c, deps, route))
}

const nothingAsked = z.object({})

/** What cannot be meant, and what is not there, is said; all else that fails is a failure. */
async function answer(c: Context<WebEnv>, deps: WebDeps, { query, respond }: ApiRoute): Promise<Response> {
  const read = readQuery(query ?? nothingAsked, (name) => c.req.query(name), Object.keys(c.req.query()))
  if (!read.ok) return c.json({ code: 'usage', error: read.problem }, 400)
  const param = (name: string) => (c.req.param(name) ?? '').slice(0, 200)
  try {
    return answerJson(c, await respond(deps, { query: read.value, param }))
  } catch (error) {
    if (!(error instanceof MonitorError) || (error.code !== 'not_found' && error.code !== 'usage'))
      throw error
    return c.json({ code: error.code, error: error.message }, error.code === 'not_found' ? 404 : 400)
  }
}

function answerJson(c: Context<WebEnv>, value: unknown): Response {
  return c.body(toJson(value), 200, { 'Content-Type': 'application/json' })
}
