import { z } from 'zod'
import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { sayIssues } from '../lib/schemaProblems.ts'
import type { Actor, Origin } from '../store/actor.ts'
import type { AsJson } from './api/apiRoute.ts'
import type { Fields } from './readFields.ts'
import type { WebOperations } from './types.ts'

/** What somebody changes, when and from where. */
export interface Change {
  readonly operations: WebOperations
  readonly now: UnixMs
  /** `:id` of the path; '' where it has none. */
  readonly id: string
  readonly from: Origin
}

/** What its document says of an action. */
export interface ActionWords {
  /** What programs that are made from the document call it. */
  readonly operation: string
  readonly title: string
  readonly example: object
  /** What else the body may say, in Markdown. */
  readonly note?: string
  /** What it answers with, in Markdown. */
  readonly says: string
  /** Nothing is changed by it: a node that follows answers as well. */
  readonly isLook?: true
}

/** One thing that may be changed over HTTP: as JSON below `/api`, and where a page has a form for it as that form. */
export interface Action extends ActionWords {
  readonly path: string
  readonly body: z.ZodType
  /** What is answered. */
  readonly done: z.ZodType
  /** A JSON body in, what was done out. */
  readonly answer: (change: Change, body: unknown) => object
  /** A form's fields in, out who signed it and the page that follows; null where no page has such a form. */
  readonly submit: ((change: Change, fields: Fields) => Submitted) | null
}

interface Submitted {
  readonly next: string
  readonly by: string | null
}

interface ActionSpec<T, R extends object> extends ActionWords {
  readonly path: string
  readonly body: z.ZodType<T>
  readonly done: z.ZodType<AsJson<NoInfer<R>>>
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

/** One action; its schemas check what is asked, and describe it. */
export function defineAction<T, R extends object>({ work, by, form, ...of }: ActionSpec<T, R>): Action {
  const { path, body } = of
  const run = ({ operations, id, from }: Change, read: T) =>
    work(operations, read, { id, actor: { by: by(read) ?? '', from } })
  return {
    ...of,
    answer(change, given) {
      const parsed = body.safeParse(given)
      if (!parsed.success) throw new MonitorError('usage', sayIssues(body, parsed.error.issues))
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
