import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { MonitorError } from '../../lib/errors.ts'
import type { WebEnv } from '../createAccess.ts'
import { refuseCrossSite } from '../refuseCrossSite.ts'
import type { WebDeps } from '../types.ts'

const id = z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER)
const time = z.coerce.number().int().nonnegative().max(8.64e15)
/** A form sends one matcher as a text. */
const matchers = z.union([
  z.array(z.string().max(2_000)).max(50),
  z
    .string()
    .max(2_000)
    .transform((one) => [one]),
])

const ackBody = z.strictObject({ by: z.string().max(200) })
const silenceBody = z.strictObject({
  matchers,
  startsAt: time.nullable().default(null),
  endsAt: time,
  author: z.string().max(200),
  comment: z.string().max(2_000),
})
const rewindBody = z.strictObject({ until: time })
const nothing = z.looseObject({})

/**
 * What changes something: POST, JSON in and out, times in UnixMs. A form of our own pages may send the same fields, and
 * with `next` is led to that page afterwards.
 */
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
    const { next, ...fields } = await readBody(c)
    const parsed = schema.safeParse(fields)
    if (!parsed.success) {
      const problems = parsed.error.issues.map(
        ({ path, message }) => `${path.join('.') || 'body'}: ${message}`,
      )
      return c.json({ code: 'usage', error: problems.join('; ') }, 400)
    }
    const result = work(parsed.data)
    return typeof next === 'string' && /^\/(?!\/)[\w/?=&%#.-]*$/.test(next)
      ? c.redirect(next, 303)
      : c.json(result as object)
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    return c.json({ code: error.code, error: error.message }, error.code === 'not_found' ? 404 : 400)
  }
}

async function readBody(c: Context<WebEnv>): Promise<Record<string, unknown>> {
  const isJson = (c.req.header('content-type') ?? '').includes('json')
  const text = isJson ? await c.req.text() : null
  if (text === null) return await c.req.parseBody()
  try {
    const body: unknown = text.trim() === '' ? {} : JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
  } catch {
    // Said below.
  }
  throw new MonitorError('usage', 'expected a JSON object')
}
