import type { WideParams } from '../../clients/explorer/question.ts'
import type { Answer } from '../../clients/explorer/readAnswer.ts'
import { type Bar, createBar } from '../createBar.ts'
import type { Job } from './job.ts'
import type { RowPrinter } from './printRows.ts'
import { atStart, type ResumeFile } from './resumeFile.ts'

/** The read of a whole answer: where its rows go, and how far it has come. */
export interface Reader {
  readonly job: Job
  readonly printer: RowPrinter
  /** What a read that is stopped goes on from; null when it is not to be gone on with. */
  readonly resume: ResumeFile | null
  /** Whether how far it has come was saved. */
  isSaved: boolean
  readonly reasons: Set<string>
  readonly missing: Set<string>
  control: string | null
  /** Why the newest reading is not whole. Only the last one of a piece counts: it is read again in doubt. */
  newest: readonly string[]
  requests: number
  rows: number
  toldAt: number
  /** Null in a pipe, where a line now and then says how far it is. */
  readonly bar: Bar | null
  /** Rows of the present walk, which are given when all of it is read. */
  part: unknown[]
  /** Some rows of the present walk were of another question. */
  hasMisfits: boolean
  /** How often a row of the present piece was given by an earlier run. */
  readonly given: Map<string, number>
  doneFrom: number | null
  /** What the list said of itself last. */
  list: Answer<unknown>['list']
  /** Where the newest request stood. */
  asked: WideParams
  pageRows: number
}

/** A read that goes on where an earlier one was stopped. */
export function beginWhole(job: Job, printer: RowPrinter, resume: ResumeFile | null): Reader {
  const { rows, reasons, missing, control, given, doneFrom } = resume?.progress ?? atStart
  return {
    job,
    printer,
    resume,
    isSaved: rows > 0,
    reasons: new Set(reasons),
    missing: new Set(missing),
    control,
    newest: [],
    requests: 0,
    rows,
    toldAt: job.io.clock.monotonicMs(),
    bar: createBar(job.io, 'rows'),
    part: [],
    hasMisfits: false,
    given: countEach(given),
    doneFrom,
    list: {},
    asked: {},
    pageRows: 0,
  }
}

/** Says how it is getting on, beside what is printed. */
export function tell({ job }: Reader, line: string): void {
  job.io.err(`${job.endpoint.id}: ${line}\n`)
}

export function countEach(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

export function heightOf(value: WideParams[string]): number | null {
  const height = Number(value)
  return value !== undefined && Number.isSafeInteger(height) ? height : null
}
