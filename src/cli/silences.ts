import { cleanText } from '../lib/text.ts'
import { formatDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { createAlertStore } from '../alerts/store/alertStore.ts'
import { findSilenceProblem, showSilence } from '../alerts/silences.ts'
import { sayMatched, type SilencePreview } from '../alerts/previewSilence.ts'
import { sayScope, type TransferInput } from '../alerts/transferSilence.ts'
import type { SilenceRow } from '../alerts/store/silenceRows.ts'
import { kinds } from '../checks/index.ts'
import type { Config } from '../config/config.ts'
import { readRules } from '../rules/readRules.ts'
import type { LoadedRule } from '../rules/types.ts'
import { type Column, formatTable } from './formatTable.ts'
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
  /** A key, an id or a hash: for what the alerts of that transfer say now. */
  readonly transfer?: string
  /** With commas between. */
  readonly kinds?: string
  readonly untilOver?: boolean
  readonly allowUnknown?: boolean
  readonly comment?: string
  readonly by?: string
  /** Says what it would match, and makes nothing. */
  readonly preview?: boolean
  readonly json?: boolean
}

/** `spanwatch silences add`: says what it matches, and makes it; with `--preview` it only says. */
export async function addSilence(
  io: Io,
  matchers: readonly string[],
  options: AddSilenceCommand,
): Promise<number> {
  if (options.preview) return await previewSilence(io, matchers, options)
  const { config } = readConfig(io, options.config, { needs: ['http'] })
  const { comment } = options
  if (comment === undefined) throw new MonitorError('usage', 'expected why it is silent: --comment TEXT')
  const author = readAuthor(io, options.by)
  const now = io.clock.now()
  const input = { ...readInput(matchers, options, now), author, comment }
  const operations = openOperations(io, config, await readRulesOrNull(config))
  try {
    const preview = await operations.previewSilence(input)
    const silence = await operations.addSilence(input, toActor(author))
    if (options.json) io.out(`${JSON.stringify(silence, null, 2)}\n`)
    else
      io.out(
        `${format(silence, now)}    matches now ${sayMatched(preview.now)}; of the past week ${sayMatched(preview.week)}\n`,
      )
    return exitCodes.fine
  } finally {
    operations.close()
  }
}

/** `spanwatch silences preview`: what it would match, and makes nothing. */
export async function previewSilence(
  io: Io,
  matchers: readonly string[],
  options: AddSilenceCommand,
): Promise<number> {
  const { config } = readConfig(io, options.config, { needs: ['http'] })
  const isOpen = options.for === undefined && options.until === undefined && options.transfer === undefined
  const input = readInput(matchers, { ...options, ...(isOpen && { for: '2h' }) }, io.clock.now())
  const operations = openOperations(io, config, await readRulesOrNull(config))
  try {
    const preview = await operations.previewSilence({ ...input, author: '', comment: '' })
    io.out(options.json ? `${JSON.stringify(preview, null, 2)}\n` : formatPreview(preview))
    return exitCodes.fine
  } finally {
    operations.close()
  }
}

function readInput(matchers: readonly string[], options: AddSilenceCommand, now: number) {
  const startsAt = options.from === undefined ? null : readTime('--from', options.from, { now, sign: 1 })
  const transfer = readTransfer(options, matchers)
  const endsAt = readEnd(options, startsAt ?? now, now)
  const { allowUnknown = false } = options
  return { matchers, startsAt, endsAt, ...(transfer && { transfer }), ...(allowUnknown && { allowUnknown }) }
}

function formatPreview({ silence, now, week }: SilencePreview): string {
  const scope = silence.transfer === null ? silence.matchers.join(' ') : sayScope(silence.transfer)
  const clean = (text: string) => cleanText(text, 300)
  const rules = week.rules.map(
    ({ rule, kind, count }) => `    ${String(count).padStart(6)}  ${rule} (${kind})\n`,
  )
  const list = (alerts: SilencePreview['now']['first']) =>
    alerts.map(
      ({ id, severity, rule, about, amount }) =>
        `    ${id}  ${severity.padEnd(8)} ${rule}  ${amount === null ? '' : `${clean(amount)}  `}${clean(about)}\n`,
    )
  return [
    `${clean(scope)}\n`,
    `  now          ${sayMatched(now)}\n`,
    ...list(now.first),
    `  past week    ${sayMatched(week)}\n`,
    ...rules,
    ...(week.largest.length === 0 ? [] : ['  largest of the week\n', ...list(week.largest)]),
    'Nothing was made.\n',
  ].join('')
}

/** A daemon that runs knows its own: only without one are the rules of the project asked. */
export async function readRulesOrNull({ rulesDir }: Config): Promise<readonly LoadedRule[] | null> {
  const loaded = await readRules(rulesDir, kinds)
  return loaded.ok ? loaded.rules : null
}

function readTransfer(options: AddSilenceCommand, matchers: readonly string[]): TransferInput | null {
  const { transfer: name, kinds, untilOver, for: length, until } = options
  if (name === undefined) {
    if (kinds === undefined && !untilOver) return null
    throw new MonitorError(
      'usage',
      '--kinds and --until-over are of a silence of one transfer: --transfer t42',
    )
  }
  if (matchers.length > 0)
    throw new MonitorError(
      'usage',
      'expected either matchers or --transfer: a silence of one transfer takes none',
    )
  return {
    name,
    kinds: kinds?.split(',').map((kind) => kind.trim()) ?? null,
    untilOver: untilOver ?? (length === undefined && until === undefined),
  }
}

function readEnd(
  { for: length, until, transfer }: AddSilenceCommand,
  startsAt: number,
  now: number,
): number | null {
  if (length !== undefined && until === undefined)
    return readTime('--for', length, { now: startsAt, sign: 1 })
  if (until !== undefined && length === undefined) return readTime('--until', until, { now, sign: 1 })
  if (length !== undefined && until !== undefined)
    throw new MonitorError('usage', 'expected either --for or --until, not both: each says when it ends')
  if (length === undefined && until === undefined && transfer !== undefined) return null
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
    else if (io.screen !== null && silences.length > 0)
      io.out(formatTable(io.screen, listColumns(now), silences))
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

const listColumns = (now: number): readonly Column<SilenceRow>[] => [
  { name: 'ID', read: ({ id }) => `#${id}` },
  { name: 'STATE', read: (one) => sayState(one, now), style: ({ endsAt }) => (endsAt <= now ? 'dim' : null) },
  { name: 'SILENCES', read: sayWhat, least: 16 },
  { name: 'BY', read: ({ author }) => author, least: 6 },
  { name: 'COMMENT', read: ({ comment }) => comment, least: 10 },
  { name: 'SET ASIDE', read: (one) => findSilenceProblem(one) ?? '', style: () => 'red', least: 10 },
]

function sayState({ startsAt, endsAt, transfer }: SilenceRow, now: number): string {
  if (endsAt <= now) return 'over'
  if (startsAt - now >= clockToleranceMs) return `begins in ${formatDuration(startsAt - now)}`
  return `ends${transfer?.untilOver ? ' at the latest' : ''} in ${formatDuration(endsAt - now)}`
}

function sayWhat({ transfer, matchers }: SilenceRow): string {
  return transfer === null
    ? matchers.map((text) => cleanText(text, 300)).join(' ')
    : cleanText(sayScope(transfer), 600)
}

function format(silence: SilenceRow, now: number): string {
  const time = (at: number) => new Date(at).toISOString()
  const problem = findSilenceProblem(silence)
  const aside = problem === null ? '' : `    set aside, silences nothing: ${cleanText(problem, 400)}\n`
  return `#${silence.id}  ${sayState(silence, now)}  ${sayWhat(silence)}\n    ${time(silence.startsAt)} to ${time(silence.endsAt)}, by ${silence.author}: ${silence.comment}\n${aside}`
}
