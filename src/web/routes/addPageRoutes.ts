import { createHash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import type { ChartSpec } from '../../lib/charts.ts'
import { errorText, MonitorError } from '../../lib/errors.ts'
import { putNewest } from '../../lib/putNewest.ts'
import { cleanText } from '../../lib/text.ts'
import { type KeptReport, readKeptReport } from '../../report/readKeptReport.ts'
import { refuseReader } from '../createAccess.ts'
import { type FormGate, mayAct } from '../createFormGate.ts'
import { type AlertTab, alertsOfPage, renderAlertsPage } from '../pages/alertList.ts'
import { renderAlertPage } from '../pages/alertPage.ts'
import { renderBreaksPage } from '../pages/breaksPage.ts'
import { chartNames, chartSizes, type Drawn, toChart } from '../pages/chartCards.ts'
import { toEscrowChart } from '../pages/escrowCourse.ts'
import { renderAuditPage } from '../pages/auditPage.ts'
import { readOffset } from '../pages/formParts.ts'
import { renderMessagePage } from '../pages/messagePage.ts'
import { renderOutboxPage } from '../pages/outboxPage.ts'
import { createReportStore } from '../../report/store.ts'
import { renderReportPage, renderReportsPage } from '../pages/reportsPage.ts'
import { readRunbooks, renderRunbookPage } from '../pages/runbookPage.ts'
import { renderRulesPage } from '../pages/rulesPage.ts'
import { renderSilencesPage } from '../pages/silencesPage.ts'
import { addCasePages, findCase } from './addCasePages.ts'
import { addEscrowPages } from './addEscrowRoutes.ts'
import { showNewSilence } from './showNewSilence.ts'
import { renderBlindPage, renderStatusPage } from '../pages/statusPage.ts'
import { renderSeveralTransfers, renderTransferPage } from '../pages/transferPage.ts'
import { renderSearchPage, renderTransfersPage } from '../pages/transfersPage.ts'
import { findTokenProblem } from '../namedTokens.ts'
import { readBreakQuery } from '../readBreakQuery.ts'
import { readEscrowQuery } from '../readEscrowQuery.ts'
import { toAlertPath, toCasePath, toTransferPath } from '../pages/words.ts'
import { readTransferFilter } from '../readTransferFilter.ts'
import type { AlertQuery, WebDeps, WebEnv } from '../types.ts'
import type { AlertStory } from '../caseTypes.ts'
import { listKnownSilences, listReports, readAudit } from '../views/pageQueries.ts'
import { readEscrowCourse } from '../views/readEscrowStory.ts'
import { readSeries } from '../views/readSeries.ts'

/** Breaks on one page, and entries about them. */
const breaksListed = '15'
const entriesListed = 20

/** Both charts in both schemes and widths, twice over while one follows another. */
const mostKept = 16

export function addPageRoutes(app: Hono<WebEnv>, deps: WebDeps, gate: FormGate): void {
  app.get('/', (c) => {
    const status = readSafely(deps, 'the status', () => deps.readStatus())
    if (status === null) return c.html(renderBlindPage(), 500)
    const series = readSafely(deps, 'the charts', () => readSeries(deps))
    return c.html(renderStatusPage(status, { form: gate.context(c), series }))
  })
  addTransferPages(app, deps, gate)
  addBreakPage(app, deps, gate)
  addCasePages(app, deps, gate)
  addEscrowPages(app, deps)
  addAlertPages(app, deps, gate)
  app.get('/rules', (c) => {
    const read = (name: string) => cleanText(c.req.query(name) ?? '', 100).trim()
    const filter = { q: read('q'), severity: read('severity'), state: read('state') }
    return c.html(renderRulesPage({ ...deps.readRules(), filter }, deps.clock.now()))
  })
  // They come with the program, and change with it alone.
  const runbooks = readRunbooks()
  app.get('/runbooks/:kind', (c) => {
    const kind = c.req.param('kind')
    const chapter = runbooks.get(kind)
    return chapter === undefined
      ? c.html(renderMessagePage('Not found', 'There is no runbook of this name.'), 404)
      : c.html(renderRunbookPage(kind, chapter))
  })
  app.get('/outbox', (c) => {
    const lists = { queued: deps.listOutbox('queued'), dead: deps.listOutbox('dead') }
    return c.html(renderOutboxPage(lists, { now: deps.clock.now(), form: gate.context(c) }))
  })
}

function addTransferPages(app: Hono<WebEnv>, deps: WebDeps, gate: FormGate): void {
  app.get('/transfers', (c) => {
    const { typed, filter, problem: unread } = readTransferFilter((name) => c.req.query(name))
    const now = deps.clock.now()
    const problem = unread ?? sayToken(deps, typed.token)
    if (filter === null || problem !== null)
      return c.html(renderTransfersPage({ typed, page: null, problem, now, links: deps.links }), 400)
    const page = deps.listTransfers(filter)
    const [only] = page.transfers
    const isSearch = typed.q !== '' && filter.cursor === null
    if (isSearch && only && page.transfers.length === 1) return c.redirect(toTransferPath(only.key), 303)
    return c.html(renderTransfersPage({ typed, page, problem, now, links: deps.links }))
  })
  app.get('/transfers/:key', (c) => {
    const key = c.req.param('key').slice(0, 200)
    const stories = deps.showTransfer(key)
    const [first] = stories
    if (!first) return c.html(renderMessagePage('Not found', 'The ledger holds no such transfer.'), 404)
    const now = deps.clock.now()
    return c.html(
      stories.length === 1
        ? renderTransferPage(first, { now, links: deps.links, form: gate.context(c) })
        : renderSeveralTransfers(key, stories, { now, links: deps.links }),
    )
  })
  app.get('/search', (c) => search(c, deps))
}

function addBreakPage(app: Hono<WebEnv>, deps: WebDeps, gate: FormGate): void {
  app.get('/breaks', async (c) => {
    const {
      typed,
      query: asked,
      problem: unread,
    } = readBreakQuery((name) => c.req.query(name) ?? (name === 'limit' ? breaksListed : undefined))
    const problem = unread ?? sayToken(deps, typed.token)
    const query = problem === null ? asked : null
    const before = Number(c.req.query('before') ?? '')
    const { page, entries } = await deps.readBreaks(query, {
      limit: entriesListed,
      before: Number.isSafeInteger(before) && before > 0 ? before : null,
    })
    const read = (name: string) => cleanText(c.req.query(name) ?? '', 200)
    const chosen = { payout: read('payout'), origin: read('origin') }
    const { clock, links } = deps
    const view = { typed, page, problem, entries, chosen, now: clock.now(), form: gate.context(c), links }
    return c.html(renderBreaksPage(view), query === null ? 400 : 200)
  })
}

function sayToken(deps: WebDeps, token: string): string | null {
  const problem = findTokenProblem(token, deps.escrows.tokens)
  return problem && `token: ${problem}`
}

/** What stands before a name in messages, and in links to these pages. */
const ownWords = /^(?:(?:case|alert|entry) |https?:\/\/\S+\/(?:cases|alerts|transfers)\/(?=[^/]+$))/i

/** Straight to the one thing that is meant, else a list of all that names it. */
async function search(c: Context<WebEnv>, deps: WebDeps): Promise<Response> {
  const query = cleanText(c.req.query('q') ?? '', 200).replace(ownWords, '')
  if (query === '') return c.redirect('/transfers', 303)
  const [, kind = '', digits = ''] = /^#?([ce])(\d{1,15})$/.exec(query.toLowerCase()) ?? []
  if (kind === 'c' && findCase(deps, kind + digits) !== null)
    return c.redirect(toCasePath(kind + digits), 303)
  if (kind === 'e') {
    const before = Number(digits) + 1
    const { entries } = await deps.readBreaks(null, { limit: 1, before })
    if (entries[0]?.id === kind + digits) return c.redirect(`/breaks?before=${before}#${kind}${digits}`, 303)
  }
  // Without its `#` an id is one when it is whole: what is shorter may be the beginning of anything.
  const alert = /^(?:#|[\da-f]{8}$)/.test(query) ? findAlert(deps, query) : null
  if (alert !== null) return c.redirect(toAlertPath(alert.id), 303)
  const { filter } = readTransferFilter((name) => (name === 'q' ? query : undefined))
  const page = filter === null ? { transfers: [], next: null } : deps.listTransfers(filter)
  const found = deps.listAlerts({ text: query })
  const [only] = page.transfers
  const others = found.filter(({ transferKey }) => transferKey === null || transferKey !== only?.key)
  if (only && page.transfers.length === 1 && others.length === 0)
    return c.redirect(toTransferPath(only.key), 303)
  return c.html(renderSearchPage({ query, page, alerts: found, now: deps.clock.now(), links: deps.links }))
}

function addAlertPages(app: Hono<WebEnv>, deps: WebDeps, gate: FormGate): void {
  app.get('/alerts', (c) => {
    const tab = readTab(c.req.query('show'))
    const offset = readOffset(c.req.query('cursor'))
    const next = `/alerts?show=${tab}${offset === 0 ? '' : `&cursor=${offset}`}`
    const view = { now: deps.clock.now(), form: gate.context(c), next, offset }
    const limit = alertsOfPage + 1
    return c.html(renderAlertsPage(tab, deps.listAlerts({ ...queryOfTab[tab], limit, offset }), view))
  })
  app.get('/alerts/:id', (c) => {
    const alert = findAlert(deps, c.req.param('id').slice(0, 100))
    if (alert === null) return c.html(renderMessagePage('Not found', 'The ledger holds no such alert.'), 404)
    return c.html(renderAlertPage(alert, { now: deps.clock.now(), form: gate.context(c) }))
  })
  app.get('/silences', (c) => {
    const view = { now: deps.clock.now(), form: gate.context(c) }
    return c.html(renderSilencesPage(listKnownSilences(deps), view))
  })
  app.get('/audit', (c) => {
    const before = Number(c.req.query('before') ?? '')
    const at = Number.isSafeInteger(before) && before > 0 ? before : null
    return c.html(renderAuditPage(readAudit(deps.db, { limit: 100, before: at })))
  })
  app.get('/silences/new', (c) => {
    const id = c.req.query('alert')
    const alert = id === undefined ? null : findAlert(deps, id.slice(0, 100))
    const form = gate.context(c)
    if (!mayAct(form)) return refuseReader(c)
    return c.html(showNewSilence(deps, { alert, form }))
  })
}

function readTab(show: string | undefined): AlertTab {
  return show === 'events' || show === 'all' ? show : 'open'
}

const queryOfTab: Readonly<Record<AlertTab, AlertQuery>> = {
  open: { state: 'open', bySeverity: true },
  events: { nature: 'event' },
  all: {},
}

/** Null when there is none, or several begin like that. */
function findAlert(deps: WebDeps, id: string): AlertStory | null {
  try {
    return deps.showAlert(id)
  } catch (error) {
    if (error instanceof MonitorError) return null
    throw error
  }
}

/** Null when it cannot be read: the page then says that it knows nothing. */
function readSafely<T>(deps: WebDeps, what: string, read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    deps.log.error({ problem: errorText(error) }, `${what} could not be read`)
    return null
  }
}

/** Charts as images: drawn here, once for each state of their numbers. */
export function addChartRoutes(app: Hono<WebEnv>, deps: WebDeps): void {
  const kept = new Map<string, Promise<string>>()
  app.get('/charts/:file', async (c) => {
    const drawn = readChart(deps, c)
    if (drawn === null) return c.notFound()
    const theme = c.req.query('theme') === 'dark' ? 'dark' : 'light'
    const asked = c.req.query('size')
    const size = asked === 'narrow' || asked === 'broad' ? asked : 'wide'
    const svg = await draw({ ...drawn, ...chartSizes[size], theme })
    // An image runs no script, and its text is styled inline.
    c.set('policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    return c.body(svg, 200, { 'Content-Type': 'image/svg+xml' })
  })

  function draw(spec: ChartSpec): Promise<string> {
    const key = JSON.stringify(spec)
    const known = kept.get(key)
    if (known) return known
    const drawing = deps.charts.svg(spec)
    putNewest(kept, key, drawing, mostKept)
    drawing.catch(() => kept.delete(key))
    return drawing
  }
}

/** Null for a chart that there is not. */
function readChart(deps: WebDeps, c: Context<WebEnv>): Drawn | null {
  const file = c.req.param('file')
  const name = chartNames.find((one) => `${one}.svg` === file)
  if (name !== undefined) return toChart(name, readSeries(deps))
  const { token, ...asked } = readEscrowQuery(c.req.query('token'), (key) => c.req.query(key))
  if (file !== 'escrow.svg' || token === null) return null
  const now = deps.clock.now()
  const known = readEscrowCourse(deps.escrows, { ...asked, token }, now)
  return known && toEscrowChart(known, now)
}

/** The daily reports that are kept, to be looked at again. */
export function addReportRoutes(app: Hono<WebEnv>, deps: WebDeps): void {
  app.get('/reports', (c) => {
    const of = { daily: deps.dailyReport, lastDay: createReportStore(deps.db).readLastDay() }
    return c.html(renderReportsPage(listReports(deps.db), of, deps.clock.now()))
  })
  app.get('/reports/:day', (c) => withReport(c, deps, (report) => c.html(renderReportPage(report))))
  app.get('/reports/:day/mail', (c) =>
    withReport(c, deps, ({ html }) => (c.set('policy', toPolicy(html)), c.html(html))),
  )
  app.get('/reports/:day/:file', (c) =>
    withReport(c, deps, ({ csv }) => {
      const file = csv.find(({ name }) => name === c.req.param('file'))
      if (!file) return c.notFound()
      return c.body(file.content, 200, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="${file.name}"`,
      })
    }),
  )
}

async function withReport(
  c: Context<WebEnv>,
  deps: WebDeps,
  answer: (report: KeptReport) => Response | Promise<Response>,
): Promise<Response> {
  const report = await readKeptReport(deps.db, c.req.param('day') ?? '', deps.charts)
  if (report !== null) return answer(report)
  return c.html(renderMessagePage('Not found', 'No report is kept of that day.'), 404)
}

/** A mail has its styles inline: exactly those of this page are allowed, and its images lie inside. No script runs. */
function toPolicy(markup: string): string {
  const sheets = [...markup.matchAll(/<style>([\s\S]*?)<\/style>/g)]
  const styles = [...markup.matchAll(/ style="([^"]*)"/g)]
  const texts = new Set([...sheets, ...styles].map(([, text = '']) => decodeEntities(text)))
  const hashes = [...texts].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  return `default-src 'none'; img-src data:; style-src 'unsafe-hashes' ${hashes.join(' ')}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox`
}

/** Hashes are of what the browser reads, not of how it is written. */
function decodeEntities(text: string): string {
  return text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
