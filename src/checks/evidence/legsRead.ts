import type { NonEmptyOptions } from '../../clients/explorer/createExplorer.ts'
import type { MainRow } from '../../clients/explorer/endpoints/mainList.ts'
import type { Answer } from '../../clients/explorer/readAnswer.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import type { Read, ReadPriority } from '../../kernel/reads/reads.ts'

export const pageSize = 100
/** Far more than 20 transactions of a bridge hold: where there is more, each is asked for with fewer beside it. */
export const maxPages = 20

export interface EvidenceAskOptions {
  readonly priority: ReadPriority
  readonly signal: AbortSignal
  /** One of what is asked for is known to have an answer: an empty one is then no answer. */
  readonly isKnown?: boolean
  /** Who would have paid or been paid by the transaction itself. */
  readonly parties?: readonly string[]
}

/** What one answer said of the legs that it held; `readings` has none of the others. */
export interface LegsRead extends Pick<Read<unknown>, 'bad'> {
  readonly requestedAt: UnixMs
  readonly readings: readonly EvidenceReading[]
}

/** Of what moved, the rows of another question may stand in the place of the ones that matter. */
export function refusePart<R>(answer: Answer<R>): Answer<R> {
  const [problem] = answer.misfits
  if (problem === undefined) return answer
  throw new MonitorError('source.mismatched', `${answer.endpoint}: ${problem}`, { retryable: true })
}

export function toHow(options: EvidenceAskOptions): NonEmptyOptions {
  return { priority: options.priority, signal: options.signal, isKnown: options.isKnown ?? false }
}

export function toRead(answer: Answer<unknown>, readings: readonly EvidenceReading[]): LegsRead {
  return { requestedAt: answer.requestedAt, readings, bad: toBad(answer) }
}

export function toBad(answer: Answer<unknown>): LegsRead['bad'][number][] {
  return answer.quarantined.map(({ raw, problem }) => ({ endpoint: answer.endpoint, problem, raw }))
}

/** Where no answer says how many pages there are one that is not full is the last; what cannot be read fills it too. */
export function isLastPage(
  { totalPage, limit, records, quarantined }: Answer<unknown>,
  page: number,
): boolean {
  return totalPage === null ? records.length + quarantined.length < (limit ?? pageSize) : page >= totalPage
}

export function isNothing({ amount }: Pick<MainRow, 'amount'>): boolean {
  return amount !== null && /^0*(\.0*)?$/.test(amount)
}
