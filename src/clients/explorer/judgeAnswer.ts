import type { z } from 'zod'
import { MonitorError } from '../../lib/errors.ts'
import type { Endpoint } from './endpoint.ts'
import type { Asked } from './health.ts'
import type { Lease } from './pace.ts'
import type { Answer } from './readAnswer.ts'
import { parseRetryAfter } from './retry.ts'
import type { ExplorerContext } from './explorerContext.ts'
import type { CallOptions } from './callOptions.ts'

/** One question as it is sent, and how. */
export interface Call<R> {
  readonly endpoint: Endpoint<z.ZodType, R>
  readonly params: Readonly<Record<string, string>>
  readonly label: string
  readonly how: CallOptions
}

/** Rows of another question are remembered; an answer of which no row fits is none at all. */
export function refuseMismatch(context: ExplorerContext, answer: Answer<unknown>, label: string): void {
  const { endpoint, misfits, records, quarantined } = answer
  const [problem] = misfits
  if (problem === undefined) return
  context.mismatches.note(endpoint, context.options.clock.now(), problem)
  if (records.length > 0) return
  const details = { endpoint, rows: quarantined.length }
  throw new MonitorError('source.mismatched', `${label}: ${problem}`, { retryable: true, details })
}

export function judgeEmpty<R>(
  context: ExplorerContext,
  { endpoint, params, how }: Call<R>,
  { answer, lease, asked }: { readonly answer: Answer<R>; readonly lease: Lease; readonly asked: Asked },
): Answer<R> {
  const now = context.options.clock.now()
  const isEmpty = answer.empty && !answer.beyondHead
  const question = { endpoint: endpoint.id, family: endpoint.family, params }
  const contradicted =
    !answer.beyondHead && context.guard.judge(question, { isEmpty, isKnown: how.isKnown ?? false, at: now })
  if (contradicted) {
    // One endpoint that contradicts itself is its own trouble: several are too much asked.
    if (context.guard.isSpread(now)) lease.throttled()
    const reason = `${endpoint.id} at ${context.host}: an empty answer where something is known to be`
    context.health.failed(asked, reason, 'throttled')
    return { ...answer, contradicted }
  }
  context.health.good(asked)
  return answer
}

export function noteThrottling(context: ExplorerContext, error: unknown, lease: Lease): void {
  if (!(error instanceof MonitorError) || !isSignOfLoad(error)) return
  lease.throttled(Math.min(parseRetryAfter(retryAfterOf(error), context.options.clock.now()) ?? 0, 10_000))
}

/** The service asks to be asked less, is away for a moment, or does not answer in time. */
function isSignOfLoad({ code, details }: MonitorError): boolean {
  const { status = 0, code: told = '' } = details
  return (
    code === 'source.throttled' ||
    [408, 503, 504].includes(Number(status)) ||
    ['50001', '50004'].includes(String(told)) ||
    'timeoutMs' in details
  )
}

/** A question that was contradicted again and again is not asked for a while, but for the tail: it cannot wait. */
export function refuseSetAside<R>(context: ExplorerContext, { endpoint, params, label, how }: Call<R>): void {
  const { isKnown = false, priority } = how
  const question = { endpoint: endpoint.id, family: endpoint.family, params }
  const until = context.guard.asideUntil(question, { isKnown, at: context.options.clock.now() })
  if (until === null || priority === 'tail') return
  const details = { ...placeOf(question), asideUntil: until }
  throw new MonitorError(
    'source.empty',
    `${label}: set aside after empty answers where something is known to be`,
    {
      details,
    },
  )
}

/** Where a question was asked, as the source's health names it. */
export function placeOf({ endpoint }: Pick<Asked, 'endpoint'>) {
  return { source: 'explorer', endpoint }
}

export function hasNoFilter(error: unknown): boolean {
  return error instanceof MonitorError && ['source.refused', 'source.mismatched'].includes(error.code)
}

export function retryAfterOf(error: MonitorError): string | null {
  const value = error.details['retryAfter']
  return value === undefined ? null : String(value)
}
