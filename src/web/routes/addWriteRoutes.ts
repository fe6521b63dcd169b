import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { MonitorError } from '../../lib/errors.ts'
import type { WebDeps, WebEnv } from '../types.ts'

const id = z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER)
const time = z.coerce.number().int().nonnegative().max(8.64e15)
const ackBody = z.strictObject({ by: z.string().max(200) })
const silenceBody = z.strictObject({
  matchers: z.array(z.string().max(2_000)).max(50),
  startsAt: time.nullable().default(null),
  endsAt: time,
  author: z.string().max(200),
  comment: z.string().max(2_000),
})
const rewindBody = z.strictObject({ until: time })
const nothing = z.looseObject({})

/** What changes something: POST, JSON in and out, times in UnixMs. The forms of the pages have routes of their own. */
export function addWriteRoutes(app: Hono<WebEnv>, { operations }: WebDeps): void {
  app.use('/api/*', refuseCrossSite)
  app.use('/api/*', bodyLimit({ maxSize: 65_536 }))
  const post = <T>(path: string, schema: z.ZodType<T>, work: (body: T, c: Context<WebEnv>) => unknown) => {
    app.post(path, async (c) => answer(c, schema, (body) => work(body, c)))
  }
  post('/api/alerts/:id/ack', ackBody, ({ by }, c) => operations.ackAlert(c.req.param('id') ?? '', by))
  post('/api/silences', silenceBody, (body) => operations.addSilence(body))
  post('/api/silences/:id/expire', nothing, (_, c) => operations.expireSilence(readId(c)))
  post('/api/outbox/:id/retry', nothing, (_, c) =>
    operations.retryOutbox(c.req.param('id') === 'dead' ? 'dead' : readId(c)),
  )
  post('/api/outbox/:id/drop', nothing, (_, c) => operations.dropOutbox(readId(c)))
  post('/api/cursors/rewind', rewindBody, ({ until }) => operations.rewindCursors(until))
}

function readId(c: Context<WebEnv>): number {
  const parsed = id.safeParse(c.req.param('id'))
  if (parsed.success) return parsed.data
  throw new MonitorError('usage', 'expected a number as the id')
}

async function answer<T>(
  c: Context<WebEnv>,
  schema: z.ZodType<T>,
  work: (body: T) => unknown,
): Promise<Response> {
  try {
    const parsed = schema.safeParse(await readBody(c))
    if (!parsed.success) {
      const problems = parsed.error.issues.map(
        ({ path, message }) => `${path.join('.') || 'body'}: ${message}`,
      )
      return c.json({ code: 'usage', error: problems.join('; ') }, 400)
    }
    return c.json(work(parsed.data) as object)
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    return c.json({ code: error.code, error: error.message }, error.code === 'not_found' ? 404 : 400)
  }
}

async function readBody(c: Context<WebEnv>): Promise<Record<string, unknown>> {
  const text = await c.req.text()
  try {
    const body: unknown = text.trim() === '' ? {} : JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
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
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return next()
  return c.json({ error: 'expected Content-Type: application/json' }, 415)
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}
