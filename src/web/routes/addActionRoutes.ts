import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { MonitorError } from '../../lib/errors.ts'
import { isObject } from '../../lib/isObject.ts'
import { type Action, actions, type Fields, toTyped } from '../actions.ts'
import type { FormGate } from '../createFormGate.ts'
import { renderMessagePage } from '../pages/messagePage.ts'
import { renderSilenceForm } from '../pages/silenceForm.ts'
import type { WebDeps, WebEnv } from '../types.ts'

const maxBody = { maxSize: 65_536 }

/** Everything that changes something, each action twice: POST of JSON below `/api`, and POST of the form of a page. */
export function addActionRoutes(app: Hono<WebEnv>, deps: WebDeps, gate: FormGate): void {
  app.use('/api/*', refuseCrossSite)
  app.use('/api/*', bodyLimit(maxBody))
  for (const action of actions) {
    const { path, submit } = action
    app.post(`/api${path}`, (c) => answerJson(c, deps, action))
    if (submit) app.post(path, bodyLimit(maxBody), (c) => answerForm(c, { deps, gate, path, submit }))
  }
}

function toChange(c: Context<WebEnv>, { operations, clock }: WebDeps) {
  return { operations, now: clock.now(), id: c.req.param('id') ?? '' }
}

async function answerJson(c: Context<WebEnv>, deps: WebDeps, action: Action): Promise<Response> {
  try {
    const body = await readBody(c)
    return c.json(action.answer(toChange(c, deps), body))
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    return c.json({ code: error.code, error: error.message }, error.code === 'not_found' ? 404 : 400)
  }
}

interface Form {
  readonly deps: WebDeps
  readonly gate: FormGate
  readonly path: string
  readonly submit: NonNullable<Action['submit']>
}

/**
 * Forms work without a script. What was done shows on the page that follows; what is refused is said, a silence with
 * what was typed.
 */
async function answerForm(c: Context<WebEnv>, { deps, gate, path, submit }: Form): Promise<Response> {
  const fields = await readFields(c)
  if (!gate.isOwn(c, fields['proof'])) return c.html(renderMessagePage('Refused', notOwn), 403)
  try {
    const { next, by } = submit(toChange(c, deps), fields)
    if (by !== null) gate.remember(c, by)
    return c.redirect(toNext(fields['next'], next), 303)
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    const status = error.code === 'not_found' ? 404 : 400
    return path === '/silences'
      ? c.html(renderSilenceForm(toTyped(fields), gate.context(c), error.message), status)
      : c.html(renderMessagePage('Not done', error.message), status)
  }
}

const notOwn =
  'This form did not come from a page that spanwatch showed lately, so nothing was changed. Open the page again and repeat it.'

async function readFields(c: Context<WebEnv>): Promise<Fields> {
  if (contentTypeOf(c) !== 'application/x-www-form-urlencoded') return {}
  return Object.fromEntries(new URLSearchParams(await c.req.text()))
}

/** A page of ours, nothing that leads elsewhere. */
function toNext(next: string | undefined, otherwise: string): string {
  return next !== undefined && /^\/(?!\/)[\w/?=&%#.-]*$/.test(next) ? next : otherwise
}

async function readBody(c: Context<WebEnv>): Promise<Readonly<Record<string, unknown>>> {
  const text = await c.req.text()
  try {
    const body: unknown = text.trim() === '' ? {} : JSON.parse(text)
    if (isObject(body)) return body
  } catch {
    // Said below.
  }
  throw new MonitorError('usage', 'expected a JSON object')
}

/**
 * Lets through what this server's own pages send and what no page sends; a page of another site changes nothing here,
 * whatever cookies its reader has. Browsers say with every POST where it comes from; JSON from elsewhere would need a
 * permission that is never given.
 */
async function refuseCrossSite(c: Context<WebEnv>, next: () => Promise<void>): Promise<Response | void> {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  const isOwn = site === undefined || site === 'same-origin' || site === 'none'
  if (!isOwn || (origin !== undefined && !isSameOrigin(origin, c.req.header('host')))) {
    return c.json({ error: 'This came from another site, and is refused.' }, 403)
  }
  if (contentTypeOf(c) === 'application/json') return next()
  return c.json({ error: 'expected Content-Type: application/json' }, 415)
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}

function contentTypeOf(c: Context<WebEnv>): string | undefined {
  return (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
}
