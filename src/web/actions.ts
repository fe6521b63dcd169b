import { z } from 'zod'
import type { SilenceInput } from '../alerts/silences.ts'
import type { UnixMs } from '../lib/clock.ts'
import { parseDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { cleanText } from '../lib/text.ts'
import type { TypedSilence } from './pages/silenceForm.ts'
import type { WebOperations } from './types.ts'

/** What a form's fields hold, as they were typed. */
export type Fields = Readonly<Record<string, string>>

interface Change {
  readonly operations: WebOperations
  readonly now: UnixMs
  /** `:id` of the path; '' where it has none. */
  readonly id: string
}

/** One thing that may be changed over HTTP: as JSON below `/api`, and where a page has a form for it as that form. */
export interface Action {
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
  readonly work: (operations: WebOperations, body: T, id: string) => R
  readonly form?: {
    /** The fields as the body that they stand for. */
    readonly read: (fields: Fields, now: UnixMs) => T
    readonly next: (done: R) => string
    readonly by?: (body: T) => string
  }
}

const numberId = z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER)
const time = z.coerce.number().int().nonnegative().max(8.64e15)
const silenceBody = z.strictObject({
  matchers: z.array(z.string().max(2_000)).max(50),
  startsAt: time.nullable().default(null),
  endsAt: time,
  author: z.string().max(200),
  comment: z.string().max(2_000),
})
const nothing = z.looseObject({})
const leadTo = (next: string) => ({ read: () => ({}), next: () => next })

/** Times are UnixMs. */
export const actions: readonly Action[] = [
  define({
    path: '/alerts/:id/ack',
    body: z.strictObject({ by: z.string().max(200) }),
    work: (operations, { by }, id) => operations.ackAlert(id, by),
    form: { read: ({ by = '' }) => ({ by }), next: ({ id }) => `/alerts/${id}`, by: ({ by }) => by },
  }),
  define({
    path: '/silences',
    body: silenceBody,
    work: (operations, body) => operations.addSilence(body),
    form: { read: readSilence, next: ({ id }) => `/silences#silence-${id}`, by: ({ author }) => author },
  }),
  define({
    path: '/silences/:id/expire',
    body: nothing,
    work: (operations, _, id) => operations.expireSilence(Number(id)),
    form: leadTo('/silences'),
  }),
  define({
    path: '/outbox/:id/retry',
    body: nothing,
    work: (operations, _, id) => operations.retryOutbox(id === 'dead' ? id : Number(id)),
    form: leadTo('/outbox'),
  }),
  define({
    path: '/outbox/:id/drop',
    body: nothing,
    work: (operations, _, id) => operations.dropOutbox(Number(id)),
    form: leadTo('/outbox'),
  }),
  define({
    path: '/cursors/rewind',
    body: z.strictObject({ until: time }),
    work: (operations, { until }) => operations.rewindCursors(until),
  }),
]

function define<T, R extends object>({ path, body, work, form }: ActionSpec<T, R>): Action {
  return {
    path,
    answer({ operations, id }, given) {
      const parsed = body.safeParse(given)
      if (!parsed.success) throw new MonitorError('usage', describeIssues(parsed.error))
      if (!isLegalId(path, id)) throw new MonitorError('usage', 'expected a number as the id')
      return work(operations, parsed.data, id)
    },
    submit:
      form === undefined
        ? null
        : ({ operations, id, now }, fields) => {
            if (!isLegalId(path, id)) throw new MonitorError('not_found', 'There is no such number.')
            const read = form.read(fields, now)
            return { next: form.next(work(operations, read, id)), by: form.by?.(read) ?? null }
          },
  }
}

/** Alerts are named by text, all else by a number; `dead` is all of the outbox that was set aside. */
function isLegalId(path: string, id: string): boolean {
  if (!path.includes(':id') || path.startsWith('/alerts/')) return true
  return numberId.safeParse(id).success || (path === '/outbox/:id/retry' && id === 'dead')
}

function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ')
}

/** What was typed of a silence, as far as it is kept. */
export function toTyped(fields: Fields): TypedSilence {
  const read = (name: string, max: number) => (fields[name] ?? '').slice(0, max)
  return {
    matchers: read('matchers', 20_000).replace(/\r\n?/g, '\n'),
    for: cleanText(read('for', 40), 40),
    by: cleanText(read('by', 400), 100),
    comment: cleanText(read('comment', 4_000), 500),
  }
}

function readSilence(fields: Fields, now: UnixMs): SilenceInput {
  const typed = toTyped(fields)
  const forMs = parseDuration(typed.for)
  if (forMs === null || forMs <= 0) throw new MonitorError('usage', 'For: expected a duration such as 2h')
  const lines = typed.matchers.split('\n').map((line) => line.trim())
  return {
    matchers: lines.filter((line) => line !== ''),
    startsAt: null,
    endsAt: now + forMs,
    author: typed.by,
    comment: typed.comment,
  }
}
