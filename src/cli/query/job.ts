import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import type { Endpoint } from '../../clients/explorer/endpoint.ts'
import type { WideParams } from '../../clients/explorer/question.ts'
import type { Quarantined } from '../../clients/explorer/readAnswer.ts'
import type { Io } from '../io.ts'
import type { Format } from './printRows.ts'

/** One question of the explorer API, and where its answer goes. */
export interface Job {
  readonly io: Io
  readonly explorer: Explorer
  readonly endpoint: Endpoint
  readonly params: WideParams
  readonly format: Format
  /** Rows that could not be read. */
  unreadable: number
}

export function tellUnreadable(job: Job, rows: readonly Quarantined[]): void {
  const [first] = rows
  if (first === undefined) return
  if (job.unreadable === 0)
    job.io.err(`${job.endpoint.id}: a row cannot be read and is left out: ${first.problem}\n`)
  job.unreadable += rows.length
}
