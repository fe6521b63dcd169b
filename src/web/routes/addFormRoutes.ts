import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { parseDuration } from '../../lib/duration.ts'
import { MonitorError } from '../../lib/errors.ts'
import { cleanText } from '../../lib/text.ts'
import type { FormGate } from '../createFormGate.ts'
import { renderMessagePage } from '../pages/messagePage.ts'
import { renderSilenceForm, type TypedSilence } from '../pages/silenceForm.ts'
import type { WebDeps, WebEnv } from '../types.ts'

type Fields = Readonly<Record<string, string>>

/**
 * The forms of the pages: they work without a script. What was done shows on the page that follows; what is refused
 * is said, a silence with what was typed.
 */
export function addFormRoutes(app: Hono<WebEnv>, deps: WebDeps, gate: FormGate): void {
  const { operations } = deps
  const post = (path: string, work: (fields: Fields, c: Context<WebEnv>) => string) =>
    app.post(path, bodyLimit({ maxSize: 65_536 }), async (c) => {
      const fields = await readFields(c)
      if (!gate.isOwn(c, fields['proof'])) return refuse(c)
      try {
        return c.redirect(toNext(fields['next'], work(fields, c)), 303)
      } catch (error) {
        if (!(error instanceof MonitorError)) throw error
        const status = error.code === 'not_found' ? 404 : 400
        return path === '/silences'
          ? c.html(renderSilenceForm(toTyped(fields), gate.context(c), error.message), status)
          : c.html(renderMessagePage('Not done', error.message), status)
      }
    })
  post('/alerts/:id/ack', ({ by = '' }, c) => {
    const id = c.req.param('id') ?? ''
    const acked = operations.ackAlert(id, by)
    gate.remember(c, by)
    return `/alerts/${acked.id}`
  })
  post('/silences', (fields, c) => {
    const typed = toTyped(fields)
    const forMs = parseDuration(typed.for)
    if (forMs === null || forMs <= 0) throw new MonitorError('usage', 'For: expected a duration such as 2h')
    const { id } = operations.addSilence({
      matchers: typed.matchers
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
      startsAt: null,
      endsAt: deps.clock.now() + forMs,
      author: typed.by,
      comment: typed.comment,
    })
    gate.remember(c, typed.by)
    return `/silences#silence-${id}`
  })
  post('/silences/:id/expire', (_, c) => (operations.expireSilence(readId(c)), '/silences'))
  post('/outbox/dead/retry', () => (operations.retryOutbox('dead'), '/outbox'))
  post('/outbox/:id/retry', (_, c) => (operations.retryOutbox(readId(c)), '/outbox'))
  post('/outbox/:id/drop', (_, c) => (operations.dropOutbox(readId(c)), '/outbox'))
}

async function readFields(c: Context<WebEnv>): Promise<Fields> {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') return {}
  return Object.fromEntries(new URLSearchParams(await c.req.text()))
}

function refuse(c: Context<WebEnv>): Response | Promise<Response> {
  const text =
    'This form did not come from a page that spanwatch showed lately, so nothing was changed. Open the page again and repeat it.'
  return c.html(renderMessagePage('Refused', text), 403)
}

function toTyped(fields: Fields): TypedSilence {
  const read = (name: string, max: number) => (fields[name] ?? '').slice(0, max)
  return {
    matchers: read('matchers', 20_000).replace(/\r\n?/g, '\n'),
    for: cleanText(read('for', 40), 40),
    by: cleanText(read('by', 400), 100),
    comment: cleanText(read('comment', 4_000), 500),
  }
}

function readId(c: Context<WebEnv>): number {
  const id = Number(c.req.param('id'))
  if (Number.isSafeInteger(id) && id > 0) return id
  throw new MonitorError('not_found', 'There is no such number.')
}

/** A page of ours, nothing that leads elsewhere. */
function toNext(next: string | undefined, otherwise: string): string {
  return next !== undefined && /^\/(?!\/)[\w/?=&%#.-]*$/.test(next) ? next : otherwise
}
