import { createExplorer } from '../clients/explorer/createExplorer.ts'
import type { Endpoint } from '../clients/explorer/endpoint.ts'
import type { Answer } from '../clients/explorer/readAnswer.ts'
import type { WideParams } from '../clients/explorer/question.ts'
import type { Config } from '../config/config.ts'
import { MonitorError } from '../lib/errors.ts'
import { createSilentLog } from '../lib/log.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { type Job, tellUnreadable } from './query/job.ts'
import { createRowPrinter, withList } from './query/printRows.ts'
import { getEndpoint, isWide, readQueryParams } from './query/queryParams.ts'
import { beginWhole, type Reader } from './query/reader.ts'
import { readWhole, type Whole } from './query/readWhole.ts'
import { atStart, openResumeFile, type ResumeFile } from './query/resumeFile.ts'

export interface QueryCommand {
  readonly config: string
  readonly all?: boolean
  readonly json?: boolean
  readonly csv?: boolean
  readonly resume?: string
}

/**
 * `spanwatch query`: one question of the explorer API; with `--all`, or when it is larger than the API takes, split,
 * paged to the proven end and joined. Rows go to `out`, whether they are all goes to `err` and into the exit code.
 */
export async function query(
  io: Io,
  name: string,
  words: readonly string[],
  options: QueryCommand,
): Promise<number> {
  const endpoint = getEndpoint(name)
  const params = readQueryParams(endpoint, words)
  const isWhole = checkOptions(endpoint, params, options)
  const { config } = readConfig(io, options.config, { needs: ['explorer'] })
  const resume = options.resume === undefined ? null : openResume(options.resume, config, endpoint, params)
  const explorer = createExplorer({ ...config.explorer, clock: io.clock, log: createSilentLog() })
  const format = options.csv ? 'csv' : options.json ? (resume ? 'json-lines' : 'json') : 'table'
  const job: Job = { io, explorer, endpoint, params, format, unreadable: 0 }
  try {
    return isWhole ? await readAllPages(job, resume) : await readOnePage(job)
  } finally {
    await explorer.close()
  }
}

/** Whether the whole answer is wanted. @throws MonitorError `usage` */
function checkOptions(endpoint: Endpoint, params: WideParams, options: QueryCommand): boolean {
  if (options.json && options.csv)
    throw new MonitorError('usage', 'query: --json and --csv exclude each other')
  const isWhole = options.all === true || isWide(endpoint, params)
  const paged = ['page', 'limit'].find((name) => params[name] !== undefined)
  if (isWhole && paged !== undefined)
    throw new MonitorError('usage', `query: the whole answer is read, so leave out --${paged}`)
  if (options.resume === undefined) return isWhole
  if (!isWhole) throw new MonitorError('usage', 'query: --resume goes with --all')
  if (!options.csv && !options.json)
    throw new MonitorError('usage', 'query: --resume goes with --csv or --json, whose parts can be joined')
  return isWhole
}

function openResume(path: string, config: Config, endpoint: Endpoint, params: WideParams): ResumeFile {
  const { baseUrl, chains } = config.explorer
  return openResumeFile(path, JSON.stringify([baseUrl, chains, endpoint.id, params]))
}

async function readOnePage(job: Job): Promise<number> {
  const { io, endpoint } = job
  const answer = await job.explorer.call(endpoint, job.params, { priority: 'urgent', signal: io.stop })
  const printer = createRowPrinter(io.out, job.format)
  printer.add(withList(answer.records, answer.list))
  printer.end()
  tellUnreadable(job, answer.quarantined)
  io.err(`${describePage(endpoint, answer)}\n`)
  return job.unreadable > 0 ? exitCodes.wrong : exitCodes.fine
}

function describePage(endpoint: Endpoint, answer: Answer<unknown>): string {
  if (answer.beyondHead) return `${endpoint.id}: this height is beyond the head`
  if (answer.empty)
    return `${endpoint.id}: an empty answer. That is no proof of absence: the service may give it when it is busy`
  const rows = `${answer.records.length} row${answer.records.length === 1 ? '' : 's'}`
  if (
    endpoint.cap !== undefined &&
    endpoint.maxLimit === null &&
    answer.records.length >= endpoint.cap * 0.95
  )
    return `${endpoint.id}: ${rows}, cut off by the service${endpoint.hasRange ? '; --all narrows the range until nothing is' : ''}`
  if ((answer.totalPage ?? 1) <= 1) return `${endpoint.id}: ${rows}`
  const total = answer.total === null ? '' : ` of ${answer.total}`
  return `${endpoint.id}: ${rows}${total}, page ${answer.page ?? 1} of ${answer.totalPage}; --all reads every page`
}

async function readAllPages(job: Job, resume: ResumeFile | null): Promise<number> {
  const { io, endpoint } = job
  const from = resume?.progress ?? atStart
  if (from.rows > 0) io.err(`going on after ${from.rows.toLocaleString('en')} rows\n`)
  const printer = createRowPrinter(io.out, job.format, from.rows > 0)
  const reader = beginWhole(job, printer, resume)
  try {
    const whole = await readWhole(reader)
    reader.bar?.end()
    resume?.finish()
    return tellEnd(job, whole)
  } catch (error) {
    reader.bar?.end()
    io.err(
      `${endpoint.id}: not complete: stopped after ${reader.rows.toLocaleString('en')} rows. ${howToGoOn(reader)}\n`,
    )
    if (io.stop.aborted) return exitCodes.wrong
    throw error
  } finally {
    printer.end()
  }
}

function howToGoOn({ resume, isSaved }: Reader): string {
  if (resume === null) return 'With --resume FILE a read can go on where it was stopped.'
  return isSaved ? 'The same command goes on from here.' : 'The same command begins anew.'
}

/** Endpoints that have a row for everything that can be asked of them; others have none of a transaction that moved nothing. */
const withRowForEach: ReadonlySet<string> = new Set(['E9', 'E12', 'E14'])

function tellEnd(job: Job, whole: Whole): number {
  const { io, endpoint } = job
  const { absent } = whole
  const read = `${whole.rows.toLocaleString('en')} row${whole.rows === 1 ? '' : 's'} in ${whole.requests.toLocaleString('en')} requests`
  const without = absent.length === 0 ? [] : [`no row for ${absent.join(', ')} in three readings over 30 s`]
  const isInVain = absent.length > 0 && withRowForEach.has(endpoint.id)
  if (whole.reasons.length > 0 || isInVain) {
    io.err(`${endpoint.id}: not complete: ${[...whole.reasons, ...without].join('; ')} (${read})\n`)
    return exitCodes.wrong
  }
  io.err(`${endpoint.id}: complete, ${[read, ...without].join('; ')}\n`)
  return job.unreadable > 0 ? exitCodes.wrong : exitCodes.fine
}
