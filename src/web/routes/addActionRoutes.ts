import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { caseVerbs } from '../../alerts/caseOperations.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import { cleanText } from '../../lib/text.ts'
import { isObject } from '../../lib/isObject.ts'
import type { FormGate } from '../createFormGate.ts'
import { renderCasePage } from '../pages/casePage.ts'
import { renderMessagePage } from '../pages/messagePage.ts'
import { readSilenceForm, wantsPreview } from '../readSilenceForm.ts'
import { showTypedSilence } from './showNewSilence.ts'
import { contentTypeOf, type Fields, readFields } from '../readFields.ts'
import type { Actor, Origin } from '../../store/actor.ts'
import { addressOf, type createAddressReader } from '../clientAddress.ts'
import { clientHeader, type WebDeps, type WebEnv, type WebOperations } from '../types.ts'

const maxBody = { maxSize: 65_536 }

interface Change {
  readonly operations: WebOperations
  readonly now: UnixMs
  /** `:id` of the path; '' where it has none. */
  readonly id: string
  readonly from: Origin
}

/** One thing that may be changed over HTTP: as JSON below `/api`, and where a page has a form for it as that form. */
interface Action {
  readonly path: string
  /** A JSON body in, what was done out. */
  readonly answer: (change: Change, body: unknown) => object
  /** A form's fields in, out who signed it and the page that follows; null where no page has such a form. */
  readonly submit: ((change: Change, fields: Fields) => Submitted) | null
}

interface Submitted {
  readonly next: string
  readonly by: string | null
}

interface ActionSpec<T, R extends object> {
  readonly path: string
  readonly body: z.ZodType<T>
  readonly work: (operations: WebOperations, body: T, by: { readonly id: string; readonly actor: Actor }) => R
  /** Who signed it. */
  readonly by: (body: T) => string | undefined
  readonly form?: {
    /** The fields as the body that they stand for. */
    readonly read: (fields: Fields, now: UnixMs) => T
    readonly next: (done: R) => string
    /** Whether the name is kept for the next form. */
    readonly isSigned?: true
  }
}

const numberId = z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER)

const time = z.coerce.number().int().nonnegative().max(8.64e15)

const silenceFields = z.strictObject({
  matchers: z.array(z.string().max(2_000)).max(50).readonly().default([]),
  startsAt: time.nullable().default(null),
  endsAt: time.nullable().default(null),
  author: z.string().max(200),
  comment: z.string().max(2_000),
  transfer: z
    .strictObject({
      name: z.string().max(200),
      kinds: z.array(z.string().max(200)).max(50).readonly().nullable().default(null),
      untilOver: z.boolean().default(false),
    })
    .nullable()
    .optional(),
  allowUnknown: z.boolean().optional(),
})

const silenceBody = silenceFields.refine(({ endsAt, transfer }) => endsAt !== null || transfer?.untilOver, {
  path: ['endsAt'],
  error: 'expected when it ends',
})

const previewBody = z.strictObject({
  ...silenceFields.shape,
  author: silenceFields.shape.author.default(''),
  comment: silenceFields.shape.comment.default(''),
})

const name = z.string().max(200)
const reason = z.string().max(2_000)

const nothing = z.looseObject({ by: name.optional() })

/** A button without fields: the name is the one that was last used here. */
const leadTo = (next: string) => ({ read: ({ by = '' }: Fields) => ({ by }), next: () => next })

const signer = ({ by }: { readonly by?: string | undefined }) => by

/** Times are UnixMs. */
const actions: readonly Action[] = [
  define({
    path: '/alerts/:id/ack',
    body: z.strictObject({ by: name }),
    work: (operations, _, { id, actor }) => operations.ackAlert(id, actor),
    by: signer,
    form: { read: ({ by = '' }) => ({ by }), next: ({ id }) => `/alerts/${id}`, isSigned: true },
  }),
  ...caseVerbs.map((verb) =>
    define({
      path: `/cases/:id/${verb}`,
      body: z.strictObject({ by: name, text: z.string().max(5_000).nullable().default(null) }),
      work: (operations, { text }, { id, actor }) => operations.changeCase({ id, do: verb, text }, actor),
      by: signer,
      form: {
        read: ({ by = '', text = '' }) => ({ by, text: text === '' ? null : text }),
        next: ({ id }) => `/cases/${id}`,
        isSigned: true as const,
      },
    }),
  ),
  define({
    path: '/silences',
    body: silenceBody,
    work: (operations, body, { actor }) => operations.addSilence(body, actor),
    by: ({ author }) => author,
    form: { read: readSilenceForm, next: ({ id }) => `/silences#silence-${id}`, isSigned: true },
  }),
  define({
    path: '/silences/preview',
    body: previewBody,
    work: (operations, body) => operations.previewSilence(body),
    by: () => undefined,
  }),
  define({
    path: '/silences/:id/expire',
    body: nothing,
    work: (operations, _, { id, actor }) => operations.expireSilence(Number(id), actor),
    by: signer,
    form: leadTo('/silences'),
  }),
  define({
    path: '/outbox/:id/retry',
    body: nothing,
    work: (operations, _, { id, actor }) => operations.retryOutbox(id === 'dead' ? id : Number(id), actor),
    by: signer,
    form: leadTo('/outbox'),
  }),
  define({
    path: '/outbox/:id/drop',
    body: nothing,
    work: (operations, _, { id, actor }) => operations.dropOutbox(Number(id), actor),
    by: signer,
    form: leadTo('/outbox'),
  }),
  define({
    path: '/breaks/match',
    body: z.strictObject({ payout: name, origin: name, reason, force: z.boolean().default(false), by: name }),
    work: (operations, body, { actor }) => operations.matchBreaks(body, actor),
    by: signer,
    form: {
      read: ({ payout = '', origin = '', reason = '', force, by = '' }) => ({
        payout,
        origin,
        reason,
        force: force === 'yes',
        by,
      }),
      next: ({ id }) => `/breaks#${id}`,
      isSigned: true,
    },
  }),
  define({
    path: '/breaks/write-off',
    body: z.strictObject({ name, reason, by: name }),
    work: (operations, body, { actor }) => operations.writeOffBreak(body, actor),
    by: signer,
    form: {
      read: ({ name = '', reason = '', by = '' }) => ({ name, reason, by }),
      next: ({ id }) => `/breaks#${id}`,
      isSigned: true,
    },
  }),
  define({
    path: '/breaks/undo',
    body: z.strictObject({ entry: name, reason, by: name }),
    work: (operations, body, { actor }) => operations.undoEntry(body, actor),
    by: signer,
    form: {
      read: ({ entry = '', reason = '', by = '' }) => ({ entry, reason, by }),
      next: ({ id }) => `/breaks#${id}`,
      isSigned: true,
    },
  }),
  define({
    path: '/cursors/rewind',
    body: z.strictObject({ until: time, by: name.optional() }),
    work: (operations, { until }, { actor }) => operations.rewindCursors(until, actor),
    by: signer,
  }),
]

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
      : c.html(renderMessagePage('Not done', error.message), status)
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

const notOwn =
  'This form did not come from a page that spanwatch showed lately, so nothing was changed. Open the page again and repeat it.'

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

function define<T, R extends object>({ path, body, work, by, form }: ActionSpec<T, R>): Action {
  const run = ({ operations, id, from }: Change, read: T) =>
    work(operations, read, { id, actor: { by: by(read) ?? '', from } })
  return {
    path,
    answer(change, given) {
      const parsed = body.safeParse(given)
      if (!parsed.success) throw new MonitorError('usage', describeIssues(parsed.error))
      if (!isLegalId(path, change.id)) throw new MonitorError('usage', 'expected a number as the id')
      return run(change, parsed.data)
    },
    submit:
      form === undefined
        ? null
        : (change, fields) => {
            if (!isLegalId(path, change.id)) throw new MonitorError('not_found', 'There is no such number.')
            const read = form.read(fields, change.now)
            const next = form.next(run(change, read))
            return { next, by: form.isSigned ? (by(read) ?? null) : null }
          },
  }
}

/** Alerts and cases are named by text, all else by a number; `dead` is all of the outbox that was set aside. */
function isLegalId(path: string, id: string): boolean {
  if (!path.includes(':id') || path.startsWith('/alerts/') || path.startsWith('/cases/')) return true
  return numberId.safeParse(id).success || (path === '/outbox/:id/retry' && id === 'dead')
}

function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ')
}
