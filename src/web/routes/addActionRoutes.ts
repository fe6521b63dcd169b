import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type ErrorCode, MonitorError } from '../../lib/errors.ts'
import { cleanText } from '../../lib/text.ts'
import { isObject } from '../../lib/isObject.ts'
import type { Action, Change } from '../action.ts'
import { actions } from '../actions.ts'
import type { FormGate } from '../createFormGate.ts'
import { renderCasePage } from '../pages/casePage.ts'
import { type Back, renderMessagePage } from '../pages/messagePage.ts'
import { wantsPreview } from '../readSilenceForm.ts'
import { showTypedSilence } from './showNewSilence.ts'
import { contentTypeOf, type Fields, readFields } from '../readFields.ts'
import type { Origin } from '../../store/actor.ts'
import { addressOf, type createAddressReader } from '../clientAddress.ts'
import { clientHeader, type WebDeps, type WebEnv } from '../types.ts'

const maxBody = { maxSize: 65_536 }

/** What the routes of changes need. */
interface Doors {
  readonly deps: WebDeps
  readonly gate: FormGate
  readonly readAddress: ReturnType<typeof createAddressReader>
}

/** Everything that changes something, each action twice: POST of JSON below `/api`, and POST of the form of a page. */
export function addActionRoutes(app: Hono<WebEnv>, doors: Doors): void {
  app.use('/api/*', refuseCrossSite)
  app.use('/api/*', bodyLimit(maxBody))
  for (const action of actions) {
    const { path, submit } = action
    app.post(`/api${path}`, (c) => answerJson(c, doors, action))
    if (submit) app.post(path, bodyLimit(maxBody), (c) => answerForm(c, { ...doors, path, submit }))
  }
}

/** Who can do it, where this node follows and may change nothing; null where it may. */
function sayElsewhere({ replica }: Pick<WebDeps, 'replica'>) {
  const status = replica?.() ?? null
  if (status?.role !== 'follower') return null
  const { node, holder } = status
  const page = holder?.pageUrl ?? null
  const where =
    holder === null
      ? 'no node is known to watch now'
      : `${cleanText(holder.node)} watches${page === null ? '' : `, at ${cleanText(page, 300)}`}`
  return {
    code: 'replica.follower' satisfies ErrorCode,
    error: `This node (${cleanText(node)}) follows another one, which alone may change anything: ${where}.`,
    holder: holder?.node ?? null,
    page,
  }
}

function toChange(c: Context<WebEnv>, { deps, readAddress }: Doors, isPage: boolean): Change {
  const { operations, clock } = deps
  const via = isPage ? 'page' : c.req.header(clientHeader) === 'cli' ? 'cli' : 'api'
  const from: Origin = {
    via,
    address: readAddress(addressOf(c), c.req.header('x-forwarded-for')),
    role: c.get('role') ?? null,
    session: c.get('session') ?? null,
  }
  return { operations, now: clock.now(), id: c.req.param('id') ?? '', from }
}

async function answerJson(c: Context<WebEnv>, doors: Doors, action: Action): Promise<Response> {
  const elsewhere = action.isLook ? null : sayElsewhere(doors.deps)
  if (elsewhere !== null) return c.json(elsewhere, 409)
  try {
    const body = await readBody(c)
    return c.json(action.answer(toChange(c, doors, false), body))
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    return c.json({ code: error.code, error: error.message }, error.code === 'not_found' ? 404 : 400)
  }
}

interface Form extends Doors {
  readonly path: string
  readonly submit: NonNullable<Action['submit']>
}

/**
 * Forms work without a script. What was done shows on the page that follows; what is refused is said, a silence with
 * what was typed.
 */
async function answerForm(c: Context<WebEnv>, form: Form): Promise<Response> {
  const { gate, path, submit } = form
  const typed = await readFields(c)
  const fields: Fields = { by: gate.context(c).by, ...typed }
  if (!gate.isOwn(c, fields['proof'])) return c.html(renderMessagePage('Refused', notOwn), 403)
  if (path === '/silences' && wantsPreview(fields))
    return c.html(showTypedSilence(form.deps, { fields, form: gate.context(c), problem: null }))
  const elsewhere = sayElsewhere(form.deps)
  if (elsewhere !== null) return c.html(renderMessagePage('Not done', elsewhere.error), 409)
  try {
    const { next, by } = submit(toChange(c, form, true), fields)
    if (by !== null) gate.remember(c, by)
    return c.redirect(toNext(fields['next'], next), 303)
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    const status = error.code === 'not_found' ? 404 : 400
    if (path.startsWith('/cases/') && status === 400) return showRefusedCase(c, form, { fields, error })
    return path === '/silences'
      ? c.html(showTypedSilence(form.deps, { fields, form: gate.context(c), problem: error.message }), status)
      : c.html(renderMessagePage('Not done', error.message, undefined, backOf(path, fields)), status)
  }
}

/** Where what was refused can be done otherwise, with the names that were typed; the status page where that is not known. */
function backOf(path: string, { payout = '', origin = '' }: Fields): Back | undefined {
  if (!path.startsWith('/breaks/')) return undefined
  const typed = new URLSearchParams(Object.entries({ payout, origin }).filter(([, name]) => name !== ''))
  return {
    href: typed.size === 0 ? '/breaks' : `/breaks?${typed.toString()}#match`,
    text: 'Back to the breaks',
  }
}

/** What was refused of a case, on the case's own page. */
function showRefusedCase(
  c: Context<WebEnv>,
  { deps, gate, path }: Form,
  { fields, error }: { readonly fields: Fields; readonly error: MonitorError },
): Response | Promise<Response> {
  try {
    const story = deps.showCase(c.req.param('id') ?? '')
    const verb = path.split('/').at(-1) ?? ''
    const refused = { problem: error.message, verb, text: cleanText(fields['text'] ?? '', 2_000) }
    return c.html(renderCasePage(story, { now: deps.clock.now(), form: gate.context(c), refused }), 400)
  } catch {
    return c.html(renderMessagePage('Not done', error.message), 400)
  }
}

export const notOwn =
  'This form did not come from a page that spanwatch showed lately, so nothing was changed. Open the page again and repeat it.'

/** A page of ours, nothing that leads elsewhere. */
function toNext(next: string | undefined, otherwise: string): string {
  return next !== undefined && /^\/(?!\/)[\w/?=&%#.-]*$/.test(next) ? next : otherwise
}

export async function readBody(c: Context<WebEnv>): Promise<Readonly<Record<string, unknown>>> {
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
export async function refuseCrossSite(
  c: Context<WebEnv>,
  next: () => Promise<void>,
): Promise<Response | void> {
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
