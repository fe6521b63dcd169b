import { cleanText } from '../lib/text.ts'
import { formatDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { createAlertStore } from '../alerts/store/alertStore.ts'
import { findSilenceProblem, showSilence } from '../alerts/silences.ts'
import type { SilenceRow } from '../alerts/store/silenceRows.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { openOperations } from './openOperations.ts'
import { readActor, readAuthor, toActor } from './readAuthor.ts'
import { readTime } from './readTime.ts'

export interface AddSilenceCommand {
  readonly config: string
  readonly for?: string
  readonly until?: string
  readonly from?: string
  readonly comment: string
  readonly by?: string
  readonly json?: boolean
}

/** `spanwatch silences add`. */
export async function addSilence(
  io: Io,
  matchers: readonly string[],
  options: AddSilenceCommand,
): Promise<number> {
  const { config } = readConfig(io, options.config, { needs: ['http'] })
  const now = io.clock.now()
  const startsAt = options.from === undefined ? null : readTime('--from', options.from, { now, sign: 1 })
  const endsAt = readEnd(options, startsAt ?? now, now)
  const author = readAuthor(io, options.by)
  const operations = openOperations(io, config)
  try {
    const { comment } = options
    const input = { matchers, startsAt, endsAt, author, comment }
    const silence = await operations.addSilence(input, toActor(author))
    io.out(options.json ? `${JSON.stringify(silence, null, 2)}\n` : format(silence, now))
    return exitCodes.fine
  } finally {
    operations.close()
  }
}

function readEnd({ for: length, until }: AddSilenceCommand, startsAt: number, now: number): number {
  if (length !== undefined && until === undefined)
    return readTime('--for', length, { now: startsAt, sign: 1 })
  if (until !== undefined && length === undefined) return readTime('--until', until, { now, sign: 1 })
  throw new MonitorError('usage', 'expected when it ends: --for 2h, or --until 2026-03-08T06:00:00Z')
}

export interface ListSilencesCommand {
  readonly config: string
  readonly all?: boolean
  readonly json?: boolean
}

/** `spanwatch silences list`: those that hold or will; with `--all` those that are over too, as long as they are kept. */
export function listSilences(io: Io, options: ListSilencesCommand): number {
  const { db } = openLedger(readConfig(io, options.config, { needs: [] }).config)
  try {
    const now = io.clock.now()
    const silences = createAlertStore(db)
      .listSilences({ since: options.all ? -1 : now, limit: 1_000 })
      .map(showSilence)
    if (options.json) io.out(`${JSON.stringify(silences, null, 2)}\n`)
    else io.out(silences.map((silence) => format(silence, now)).join('') || 'No silence holds.\n')
    return exitCodes.fine
  } finally {
    db.close()
  }
}

/** `spanwatch silences expire`: ends one before its time. */
export async function expireSilence(
  io: Io,
  id: string,
  options: { readonly config: string; readonly by?: string; readonly json?: boolean },
): Promise<number> {
  const { config } = readConfig(io, options.config, { needs: ['http'] })
  const operations = openOperations(io, config)
  try {
    const silence = await operations.expireSilence(readId(id), readActor(io, options.by))
    io.out(options.json ? `${JSON.stringify(silence, null, 2)}\n` : format(silence, io.clock.now()))
    return exitCodes.fine
  } finally {
    operations.close()
  }
}

/** @throws MonitorError `usage` */
export function readId(text: string): number {
  const id = Number(text.replace(/^#/, ''))
  if (Number.isSafeInteger(id) && id > 0) return id
  throw new MonitorError('usage', `expected a number as the id, got "${text}"`)
}

/** The daemon's clock reads a little more than ours did: what begins now is not said to begin soon. */
const clockToleranceMs = 1_000

function format(silence: SilenceRow, now: number): string {
  const time = (at: number) => new Date(at).toISOString()
  const state =
    silence.endsAt <= now
      ? 'over'
      : silence.startsAt - now >= clockToleranceMs
        ? `begins in ${formatDuration(silence.startsAt - now)}`
        : `ends in ${formatDuration(silence.endsAt - now)}`
  const problem = findSilenceProblem(silence)
  const aside = problem === null ? '' : `    set aside, silences nothing: ${cleanText(problem, 400)}\n`
  return `#${silence.id}  ${state}  ${silence.matchers.map((text) => cleanText(text, 300)).join(' ')}\n    ${time(silence.startsAt)} to ${time(silence.endsAt)}, by ${silence.author}: ${silence.comment}\n${aside}`
}
