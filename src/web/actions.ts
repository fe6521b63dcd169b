import { z } from 'zod'
import { caseVerbs } from '../alerts/caseOperations.ts'
import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import type { Actor, Origin } from '../store/actor.ts'
import type { Fields } from './readFields.ts'
import { readSilenceForm } from './readSilenceForm.ts'
import type { WebOperations } from './types.ts'

/** What somebody changes, when and from where. */
export interface Change {
  readonly operations: WebOperations
  readonly now: UnixMs
  /** `:id` of the path; '' where it has none. */
  readonly id: string
  readonly from: Origin
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

/** Everything that may be changed. Times are UnixMs. */
export const actions: readonly Action[] = [
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
      body: z.strictObject({
        by: name,
        text: z.string().max(5_000).nullable().default(null),
        turn: z.int().positive().optional(),
      }),
      work: (operations, { text, turn }, { id, actor }) =>
        operations.changeCase({ id, do: verb, text, turn }, actor),
      by: signer,
      form: {
        read: ({ by = '', text = '', turn = '' }) => ({
          by,
          text: text === '' ? null : text,
          turn: /^[1-9]\d{0,8}$/.test(turn) ? Number(turn) : undefined,
        }),
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
