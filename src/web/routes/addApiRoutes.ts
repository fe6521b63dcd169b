import type { Context, Hono } from 'hono'
import { MonitorError } from '../../lib/errors.ts'
import { cleanText } from '../../lib/text.ts'
import { caseStates } from '../caseTypes.ts'
import { readBreakQuery } from '../readBreakQuery.ts'
import { readTransferFilter } from '../readTransferFilter.ts'
import { listKnownSilences, listReports, readAudit } from '../views/pageQueries.ts'
import { readEscrowQuery } from '../readEscrowQuery.ts'
import { readEscrowOverview, readEscrowStory } from '../views/readEscrowStory.ts'
import { readSeries } from '../views/readSeries.ts'
import { readKeptReport } from '../../report/readKeptReport.ts'
import type { AlertQuery, WebDeps, WebEnv } from '../types.ts'

/** `/metrics` and what `/api/*` answers to GET. Times are milliseconds since 1970, amounts decimal strings. */
export function addApiRoutes(app: Hono<WebEnv>, deps: WebDeps): void {
  app.get('/metrics', async (c) => {
    const text = await deps.registry.metrics()
    return c.body(text, 200, { 'Content-Type': deps.registry.contentType })
  })
  app.get('/api/status', (c) => answerJson(c, deps.readStatus()))
  app.get('/api/series', (c) => answerJson(c, readSeries(deps)))
  app.get('/api/rules', (c) => answerJson(c, deps.readRules()))
  addAlertApi(app, deps)
  addCaseApi(app, deps)
  app.get('/api/transfers', (c) => {
    const { filter, problem } = readTransferFilter((name) => c.req.query(name))
    return filter === null ? refuse(c, problem ?? '') : answerJson(c, deps.listTransfers(filter))
  })
  app.get('/api/transfers/:key', (c) => {
    const stories = deps.showTransfer(c.req.param('key').slice(0, 200))
    if (stories.length === 0) return missing(c, 'The ledger holds no such transfer.')
    return answerJson(c, { transfers: stories })
  })
  app.get('/api/breaks', (c) => {
    const { query, problem } = readBreakQuery((name) => c.req.query(name))
    if (query === null) return refuse(c, problem ?? '')
    const { page, entries } = deps.readBreaks(query, { limit: 50, before: null })
    return answerJson(c, { ...page, entries })
  })
  app.get('/api/escrows', (c) => answerJson(c, readEscrowOverview(deps.escrows)))
  app.get('/api/escrows/:token', (c) => {
    const { token, ...asked } = readEscrowQuery(c.req.param('token'), (name) => c.req.query(name))
    const story = token === null ? null : readEscrowStory(deps.escrows, { ...asked, token }, deps.clock.now())
    return story === null ? missing(c, 'No escrow of such a token is watched.') : answerJson(c, story)
  })
  app.get('/api/reports', (c) => answerJson(c, { reports: listReports(deps.db) }))
  app.get('/api/reports/:day', async (c) => {
    const day = c.req.param('day')
    const kept = /^\d{4}-\d{2}-\d{2}$/.test(day) ? await readKeptReport(deps.db, day) : null
    return kept === null ? missing(c, 'No report is kept of that day.') : answerJson(c, kept.report)
  })
}

function addAlertApi(app: Hono<WebEnv>, deps: WebDeps): void {
  app.get('/api/alerts', (c) => {
    const read = (name: string) => cleanText(c.req.query(name) ?? '', 200)
    const [state, nature, text] = [read('state'), read('nature'), read('q')]
    if (state !== '' && state !== 'open') return refuse(c, 'state: expected open')
    if (nature !== '' && nature !== 'event' && nature !== 'condition')
      return refuse(c, 'nature: expected event or condition')
    if (text !== '') return answerJson(c, { alerts: deps.listAlerts({ text }) })
    const query: AlertQuery = { ...(state === 'open' && { state }), ...(nature !== '' && { nature }) }
    return answerJson(c, { alerts: deps.listAlerts(query) })
  })
  app.get('/api/alerts/:id', (c) => answerNamed(c, () => deps.showAlert(c.req.param('id').slice(0, 100))))
  app.get('/api/audit', (c) => {
    const read = (name: string) => Number(c.req.query(name) ?? '')
    const [limit, before] = [read('limit'), read('before')]
    if (!Number.isSafeInteger(limit) || !Number.isSafeInteger(before) || limit < 0 || before < 0)
      return refuse(c, 'limit, before: expected a number')
    return answerJson(c, readAudit(deps.db, { limit: limit || 200, before: before || null }))
  })
  app.get('/api/silences', (c) => answerJson(c, { silences: listKnownSilences(deps) }))
  app.get('/api/outbox', (c) => {
    const state = c.req.query('state') ?? 'queued'
    if (state !== 'queued' && state !== 'dead' && state !== 'sent')
      return refuse(c, 'state: expected queued, dead or sent')
    return answerJson(c, { items: deps.listOutbox(state) })
  })
}

function addCaseApi(app: Hono<WebEnv>, deps: WebDeps): void {
  app.get('/api/cases', (c) => {
    const given = c.req.query('state') ?? 'live'
    const state = [...caseStates, 'all' as const, 'live' as const].find((one) => one === given)
    if (state === undefined) return refuse(c, `state: expected ${caseStates.join(', ')} or all`)
    const limit = Number(c.req.query('limit') ?? '100')
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > 500) return refuse(c, 'limit: expected 1 to 500')
    return answerJson(c, { cases: deps.listCases({ state, limit }) })
  })
  app.get('/api/cases/:id', (c) => answerNamed(c, () => deps.showCase(c.req.param('id').slice(0, 100))))
}

/** What is asked for by a name: there may be none of it, or several. */
function answerNamed(c: Context<WebEnv>, read: () => object): Response {
  try {
    return answerJson(c, read())
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    return c.json({ code: error.code, error: error.message }, error.code === 'not_found' ? 404 : 400)
  }
}

function refuse(c: Context<WebEnv>, error: string): Response {
  return c.json({ code: 'usage', error }, 400)
}

function missing(c: Context<WebEnv>, error: string): Response {
  return c.json({ code: 'not_found', error }, 404)
}

function answerJson(c: Context<WebEnv>, value: unknown): Response {
  return c.body(toJson(value), 200, { 'Content-Type': 'application/json' })
}

/**
 * JSON with every bigint as a decimal string: a number would be rounded by whoever reads it.
 * @example toJson({ amountRaw: 10n ** 20n }) // '{"amountRaw":"100000000000000000000"}'
 */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner))
}
