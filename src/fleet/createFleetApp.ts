import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { parseDuration } from '../lib/duration.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { sayIssues } from '../lib/schemaProblems.ts'
import { cleanText } from '../lib/text.ts'
import type { Query } from '../replicas/connect.ts'
import type { Actor } from '../store/actor.ts'
import { caseBody, silenceBody } from '../web/actionBodies.ts'
import { addressOf, createAddressReader } from '../web/clientAddress.ts'
import { addEventRoute, addFallbacks, createFrame } from '../web/createFrame.ts'
import type { FormGate } from '../web/createFormGate.ts'
import { renderMessagePage } from '../web/pages/messagePage.ts'
import { type Fields, readFields } from '../web/readFields.ts'
import { notOwn, readBody, refuseCrossSite } from '../web/routes/addActionRoutes.ts'
import { clientHeader, type WebDeps, type WebEnv, type WebOptions } from '../web/types.ts'
import { askHolder } from './askHolder.ts'
import { judgeBridge } from './judgeFleet.ts'
import { renderFleetCasePage } from './pages/fleetCasePage.ts'
import { renderBlindFleet, renderFleetPage } from './pages/fleetPage.ts'
import { fleetSite, toFleetCasePath } from './pages/fleetWords.ts'
import { renderFoundPage } from './pages/foundPage.ts'
import { type Fleet, type FleetCase, readCases, readFleet } from './readFleet.ts'
import { listCaseAlerts, readTerm, searchFleet } from './searchFleet.ts'

export interface FleetDeps extends Pick<WebDeps, 'clock' | 'log' | 'db' | 'accesses' | 'listeners'> {
  readonly query: Query
  readonly version: string
  readonly stop: AbortSignal
}

/** What the routes stand on. */
interface Doors {
  readonly deps: FleetDeps
  readonly gate: FormGate
  readonly readAddress: ReturnType<typeof createAddressReader>
  readonly read: () => Promise<Fleet>
}

const maxBody = bodyLimit({ maxSize: 65_536 })
/** Many open pages cost what one does. */
const keptMs = 1_000

/** The page over all bridges and its API. @throws MonitorError `config.invalid` */
export function createFleetApp(deps: FleetDeps, options: WebOptions): Hono<WebEnv> {
  const { app, gate } = createFrame(deps, { ...options, site: fleetSite }, (open) =>
    open.get('/healthz', (c) => c.json({ status: 'ok', reasons: [] })),
  )
  const readAddress = createAddressReader(options.trustProxy ?? [])
  const doors: Doors = { deps, gate, readAddress, read: keepFleet(deps) }
  app.use('/api/*', refuseCrossSite, maxBody)
  addPages(app, doors)
  addApi(app, doors)
  addForms(app, doors)
  addEventRoute(app, deps)
  addFallbacks(app, deps)
  return app
}

function keepFleet({ query, clock }: FleetDeps): () => Promise<Fleet> {
  let kept: { readonly at: number; readonly fleet: Promise<Fleet> } | null = null
  return () => {
    const at = clock.monotonicMs()
    if (kept === null || at - kept.at >= keptMs) kept = { at, fleet: readFleet(query) }
    return kept.fleet
  }
}

function addPages(app: Hono<WebEnv>, { deps, gate, read }: Doors): void {
  const { clock, query, version } = deps
  app.get('/', async (c) => {
    try {
      return c.html(renderFleetPage(await read(), { now: clock.now(), form: gate.context(c), version }))
    } catch (error) {
      if (!(error instanceof MonitorError)) throw error
      return c.html(renderBlindFleet(error.message), 503)
    }
  })
  app.get('/search', async (c) => {
    const typed = cleanText(c.req.query('q') ?? '', 200)
    const view = { typed, now: clock.now() }
    try {
      const found = await searchFleet(query, readTerm(typed))
      return c.html(renderFoundPage({ ...view, found, problem: null }))
    } catch (error) {
      if (!(error instanceof MonitorError)) throw error
      return c.html(renderFoundPage({ ...view, found: null, problem: error.message }), statusOf(error))
    }
  })
  app.get('/bridges/:bridge/cases/:id', (c) => showCase(c, { deps, gate }, { problem: null }))
}

async function showCase(
  c: Context<WebEnv>,
  { deps, gate }: Pick<Doors, 'deps' | 'gate'>,
  { problem, status = 200 }: { readonly problem: string | null; readonly status?: 200 | 400 | 404 | 503 },
): Promise<Response> {
  const named = readCaseName(c.req.param('bridge') ?? '', c.req.param('id') ?? '')
  const one = await findCase(deps.query, named)
  const alerts = await listCaseAlerts(deps.query, one.bridge, one.id)
  const done = doneWords.get(c.req.query('done') ?? '') ?? null
  const view = { now: deps.clock.now(), form: gate.context(c), problem, done }
  return c.html(renderFleetCasePage(one, alerts, view), status)
}

const doneWords: ReadonlyMap<string, string> = new Map([
  ['ack', 'Acknowledged. This page shows it within seconds.'],
  ['silence', 'Silenced.'],
])

/** @throws MonitorError `not_found` */
function readCaseName(bridge: string, id: string): { readonly bridge: string; readonly id: number } {
  const [, digits] = /^c?(\d{1,15})$/.exec(id) ?? []
  if (digits === undefined) throw new MonitorError('not_found', 'There is no such case.')
  return { bridge, id: Number(digits) }
}

async function findCase(
  query: Query,
  named: { readonly bridge: string; readonly id: number },
): Promise<FleetCase> {
  const [one] = await readCases(query, [named])
  if (one === undefined) throw new MonitorError('not_found', 'There is no such case.')
  return one
}

function addApi(app: Hono<WebEnv>, doors: Doors): void {
  const { deps, read } = doors
  app.get('/api/bridges', (c) =>
    answer(c, async () => {
      const { bridges } = await read()
      return { bridges: bridges.map((one) => ({ ...one, ...judgeBridge(one) })) }
    }),
  )
  app.get('/api/cases', (c) => answer(c, async () => ({ cases: (await read()).cases })))
  app.get('/api/search', (c) => answer(c, () => searchFleet(deps.query, readTerm(c.req.query('q') ?? ''))))
  app.post('/api/bridges/:bridge/cases/:id/ack', (c) =>
    answer(c, async () => {
      const body = parse(caseBody, await readBody(c))
      return await ack(c, doors, body, 'api')
    }),
  )
  app.post('/api/bridges/:bridge/silences', (c) =>
    answer(c, async () => {
      const body = parse(silenceBody, await readBody(c))
      return await silence(c, doors, body, 'api')
    }),
  )
}

async function answer(c: Context<WebEnv>, work: () => Promise<object>): Promise<Response> {
  try {
    return c.json(await work())
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    return c.json({ code: error.code, error: error.message }, statusOf(error))
  }
}

function statusOf({ code }: MonitorError): 400 | 404 | 503 {
  return code === 'not_found' ? 404 : code.startsWith('replica.') ? 503 : 400
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw new MonitorError('usage', sayIssues(schema, parsed.error.issues))
  return parsed.data
}

async function ack(
  c: Context<WebEnv>,
  doors: Doors,
  body: z.output<typeof caseBody>,
  via: 'api' | 'page',
): Promise<object> {
  const { bridge, id } = readCaseName(c.req.param('bridge') ?? '', c.req.param('id') ?? '')
  const actor = actorOf(c, doors, body.by, via)
  return await ask(doors, { bridge, what: 'ack', body: { id: `c${id}`, turn: body.turn }, actor })
}

async function silence(
  c: Context<WebEnv>,
  doors: Doors,
  body: z.output<typeof silenceBody>,
  via: 'api' | 'page',
): Promise<object> {
  const actor = actorOf(c, doors, body.author, via)
  return await ask(doors, { bridge: c.req.param('bridge') ?? '', what: 'silence', body, actor })
}

async function ask({ deps }: Doors, asked: Parameters<typeof askHolder>[1]): Promise<object> {
  const { log } = deps
  const about = { bridge: cleanText(asked.bridge, 80), what: asked.what, by: cleanText(asked.actor.by, 100) }
  try {
    const done = await askHolder(deps, asked, deps.stop)
    log.info(about, 'the holder did what was asked')
    return done
  } catch (error) {
    log.warn({ ...about, problem: errorText(error) }, 'the holder did not do what was asked')
    throw error
  }
}

function actorOf(c: Context<WebEnv>, { readAddress }: Doors, by: string, via: 'api' | 'page'): Actor {
  return {
    by,
    from: {
      via: via === 'api' && c.req.header(clientHeader) === 'cli' ? 'cli' : via,
      address: readAddress(addressOf(c), c.req.header('x-forwarded-for')),
      role: c.get('role') ?? null,
      session: c.get('session') ?? null,
    },
  }
}

function addForms(app: Hono<WebEnv>, doors: Doors): void {
  app.post('/bridges/:bridge/cases/:id/ack', maxBody, (c) =>
    submit(c, doors, 'ack', async (fields) => {
      await ack(c, doors, parse(caseBody, { by: fields['by'] ?? '' }), 'page')
      return readCaseName(c.req.param('bridge') ?? '', c.req.param('id') ?? '')
    }),
  )
  app.post('/bridges/:bridge/silences', maxBody, (c) =>
    submit(c, doors, 'silence', async (fields) => {
      const body = parse(silenceBody, readSilence(fields, doors.deps.clock.now()))
      await silence(c, doors, body, 'page')
      return readCaseName(c.req.param('bridge') ?? '', fields['case'] ?? '')
    }),
  )
}

/** The form of a case's page as the body that the API takes. */
function readSilence(fields: Fields, now: number): object {
  const { what = '', comment = '', by = '' } = fields
  const forMs = parseDuration(fields['for'] ?? '')
  const [, key] = /^(t\d{1,15})$/.exec(what) ?? []
  return {
    author: by,
    comment,
    endsAt: forMs === null ? null : now + forMs,
    ...(key === undefined
      ? { matchers: [what] }
      : { transfer: { name: key, kinds: null, untilOver: false } }),
  }
}

/** Forms work without a script: what was refused is said on the page of the case. */
async function submit(
  c: Context<WebEnv>,
  { deps, gate }: Doors,
  what: 'ack' | 'silence',
  work: (fields: Fields) => Promise<{ readonly bridge: string; readonly id: number }>,
): Promise<Response> {
  const fields = await readFields(c)
  if (!gate.isOwn(c, fields['proof'])) return c.html(renderMessagePage('Refused', notOwn, fleetSite), 403)
  try {
    const named = await work(fields)
    gate.remember(c, fields['by'] ?? '')
    return c.redirect(`${toFleetCasePath(named)}?done=${what}`, 303)
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    const status = statusOf(error)
    if (what === 'ack' && status !== 404)
      return showCase(c, { deps, gate }, { problem: error.message, status })
    return c.html(renderMessagePage('Not done', error.message, fleetSite), status)
  }
}
