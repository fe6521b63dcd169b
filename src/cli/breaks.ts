import { breakWords } from '../breaks/break.ts'
import { openBreakSources } from '../breaks/breakSources.ts'
import type { ShownBreak } from '../breaks/describeBreak.ts'
import { type BreakList, type BreakSum, readBreakList } from '../breaks/listBreaks.ts'
import { listShownEntries, type ShownEntry } from '../breaks/showEntry.ts'
import { toCsvLine } from '../lib/csv.ts'
import { formatDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { groupDigits } from '../lib/groupDigits.ts'
import { shortHash } from '../lib/shortHash.ts'
import { cleanText, inBrackets } from '../lib/text.ts'
import { readBreakQuery } from '../web/readBreakQuery.ts'
import { type Column, formatTable } from './formatTable.ts'
import { exitCodes, type Io } from './io.ts'
import type { Screen } from './screen.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { type CommandOperations, openOperations } from './openOperations.ts'
import { readAuthor, toActor } from './readAuthor.ts'
import { readLimit, readToken } from './readOptions.ts'
import type { Actor } from '../store/actor.ts'

export interface ListBreaksCommand {
  readonly config: string
  readonly token?: string
  readonly min?: string
  readonly olderThan?: string
  readonly state: string
  readonly sort: string
  readonly limit: string
  readonly json?: boolean
  readonly csv?: boolean
}

const entriesListed = 20

/** `spanwatch breaks list`: what does not reconcile, and what people settled of it. */
export function listBreaks(io: Io, options: ListBreaksCommand): number {
  const { config } = readConfig(io, options.config, { needs: [] })
  const { token, min, olderThan: age, state, sort, limit } = options
  const given = new Map(Object.entries({ token, min, age, state, sort }))
  const { query: asked, problem } = readBreakQuery((name) => given.get(name))
  if (asked === null) throw new MonitorError('usage', `--${(problem ?? '').replace(/^age/, 'older-than')}`)
  readToken(token, config.bridge.tokens)
  const query = { ...asked, limit: readLimit(limit) }
  const { db, ledger } = openLedger(config)
  try {
    const now = io.clock.now()
    const sources = openBreakSources({ db, ledger, tokens: config.bridge.tokens })
    const list = readBreakList(sources, query, now)
    const entries = listShownEntries(sources, { limit: entriesListed, before: null }, now)
    if (options.json) io.out(`${JSON.stringify({ ...list, entries }, null, 2)}\n`)
    else io.out(options.csv ? toCsv(list) : formatList(list, entries, { now, screen: io.screen }))
    // Not among the rows: a file of them must not pass for the whole.
    if (options.csv) io.err(sayRest(list) + sayCut(list))
    return exitCodes.fine
  } finally {
    db.close()
  }
}

const csvColumns: readonly (readonly [string, (one: ShownBreak) => string | number | null])[] = [
  ['name', (one) => one.name],
  ['kind', (one) => one.kind],
  ['isOpen', (one) => String(one.isOpen)],
  ['direction', (one) => one.direction],
  ['tokenSymbol', (one) => one.token.symbol],
  ['tokenAddress', (one) => one.token.address],
  ['unit', (one) => (one.inBaseUnits ? 'base' : 'token')],
  ['amount', (one) => one.amount],
  ['left', (one) => one.left],
  ['settled', (one) => one.settled],
  ['since', (one) => new Date(one.since).toISOString()],
  ['state', (one) => one.state],
  ['mainTxHash', (one) => one.mainHash],
  ['zoneTxHash', (one) => one.zoneHash],
  ['source', (one) => one.source],
  ['target', (one) => one.target],
  ['escrow', (one) => one.escrow],
  ['case', (one) => one.caseId],
  ['evidence', (one) => one.evidence],
  ['entries', (one) => one.entries.join(' ')],
  ['remark', (one) => one.remark],
]

function toCsv({ breaks }: BreakList): string {
  return [
    toCsvLine(csvColumns.map(([name]) => name)),
    ...breaks.map((one) => toCsvLine(csvColumns.map(([, read]) => read(one)))),
  ].join('')
}

interface Shown {
  readonly now: number
  readonly screen: Screen | null
}

function formatList(list: BreakList, entries: readonly ShownEntry[], { now, screen }: Shown): string {
  const { breaks, sums } = list
  return [
    breaks.length === 0
      ? 'Nothing like this fails to reconcile.\n'
      : screen === null
        ? breaks.map((one) => formatBreak(one, now)).join('')
        : formatTable(screen, listColumns(now), breaks),
    sayRest(list),
    ...(sums.length === 0 ? [] : ['\n', ...sums.map(formatSum)]),
    sayCut(list),
    ...(entries.length === 0 ? [] : ['\nentries, newest first\n', ...entries.map(formatEntry)]),
  ].join('')
}

/** What is not among the breaks that are listed. */
function sayRest({ breaks, total }: BreakList): string {
  const rest = total - breaks.length
  return rest > 0 ? `and ${rest} more: --limit\n` : ''
}

function sayCut({ isCut }: BreakList): string {
  return isCut ? 'There are more than are read at once: these are of what was read.\n' : ''
}

const listColumns = (now: number): readonly Column<ShownBreak>[] => [
  { name: 'NAME', read: ({ name }) => name },
  { name: 'WHAT', read: ({ kind }) => breakWords[kind], style: ({ isOpen }) => (isOpen ? 'red' : 'dim') },
  { name: 'AMOUNT', read: sayAmount, isNumber: true },
  {
    name: 'TOKEN',
    read: ({ token, inBaseUnits }) => nameToken(token.symbol, token.name || token.address, inBaseUnits),
    least: 8,
  },
  { name: 'DIRECTION', read: ({ direction }) => direction },
  { name: 'AGE', read: ({ since }) => formatDuration(Math.max(0, now - since)) },
  { name: 'ABOUT', read: (one) => listAbout(one).join(', '), least: 6 },
  { name: 'MAIN', read: ({ mainHash }) => shortHash(mainHash ?? '') },
  { name: 'ZONE', read: ({ zoneHash }) => shortHash(zoneHash ?? '') },
]

function sayAmount({ isOpen, left, settled, amount }: ShownBreak): string {
  const shown = isOpen ? left : settled
  if (shown === null) return 'unknown amount'
  return shown === amount
    ? groupDigits(shown)
    : `${groupDigits(shown)} of ${groupDigits(amount ?? 'unknown amount')}`
}

function listAbout({ caseId, state, entries, remark }: ShownBreak): string[] {
  return [caseId, state, ...entries, remark].filter((word) => word !== null)
}

function formatBreak(one: ShownBreak, now: number): string {
  const token = nameToken(one.token.symbol, one.token.name || one.token.address, one.inBaseUnits)
  const amount = sayAmount(one)
  const age = formatDuration(Math.max(0, now - one.since))
  const about = listAbout(one)
  return [
    `${one.name}  ${breakWords[one.kind]}  ${amount} ${token}  ${one.direction}, ${age} old${about.length === 0 ? '' : ` (${about.join(', ')})`}\n`,
    `         main ${one.mainHash ?? '-'}  zone ${one.zoneHash ?? '-'}\n`,
    ...(one.source === '' && one.target === ''
      ? []
      : [`         from ${one.source || '-'}  to ${one.target || '-'}\n`]),
    ...(one.evidence === '' ? [] : [`         ${one.evidence}\n`]),
  ].join('')
}

function formatSum({ token, symbol, inBaseUnits, open, settled }: BreakSum): string {
  const unknown = open.unknown === 0 ? '' : ` and ${open.unknown} of unknown amount`
  return `${nameToken(symbol, token, inBaseUnits)}: ${open.count} open, ${groupDigits(open.amount)}${unknown}; ${settled.count} settled by hand, ${groupDigits(settled.amount)}\n`
}

function nameToken(symbol: string | null, name: string, inBaseUnits: boolean): string {
  const shown = symbol === null ? inBrackets(name || 'native currency') : cleanText(symbol, 80)
  return inBaseUnits ? `base units of ${shown}` : shown
}

function formatEntry(entry: ShownEntry): string {
  const { id, at, what, who, from, reason, undoes, undoneBy, difference, shares } = entry
  const about = [
    ...(undoes === null ? [] : [`of ${undoes}`]),
    ...(undoneBy === null ? [] : [`taken back by ${undoneBy}`]),
    ...(what !== 'matched' || difference === '0'
      ? []
      : [`payout less origin: ${difference === null ? 'cannot be said' : groupDigits(difference)}`]),
  ]
  const lines = shares.map(
    (share) =>
      `         ${share.part === 'all' ? '' : `${share.part} `}${share.name}: ${share.amount === null ? 'unknown amount' : groupDigits(share.amount)} ${nameToken(share.token.symbol, share.token.address, share.inBaseUnits)}, ${breakWords[share.kind]}, ${share.now}\n`,
  )
  return `${id.padEnd(8)} ${new Date(at).toISOString()}  ${what}${about.length === 0 ? '' : ` (${about.join(', ')})`} by ${cleanText(who, 100)} (${cleanText(from, 200)}): ${cleanText(reason, 500)}\n${lines.join('')}`
}

export interface ChangeBreakCommand {
  readonly config: string
  readonly reason: string
  readonly by?: string
  readonly json?: boolean
}

/** `spanwatch breaks match`: this payout belongs to that origin. */
export async function matchBreaks(
  io: Io,
  sides: { readonly payout: string; readonly origin: string },
  options: ChangeBreakCommand & { readonly force?: boolean },
): Promise<number> {
  const input = { ...sides, reason: options.reason, force: options.force ?? false }
  return await change(io, options, (operations, actor) => operations.matchBreaks(input, actor))
}

/** `spanwatch breaks write-off`. */
export async function writeOffBreak(io: Io, name: string, options: ChangeBreakCommand): Promise<number> {
  const input = { name, reason: options.reason }
  return await change(io, options, (operations, actor) => operations.writeOffBreak(input, actor))
}

/** `spanwatch breaks undo`: takes an entry back. */
export async function undoEntry(io: Io, entry: string, options: ChangeBreakCommand): Promise<number> {
  const input = { entry, reason: options.reason }
  return await change(io, options, (operations, actor) => operations.undoEntry(input, actor))
}

async function change(
  io: Io,
  options: ChangeBreakCommand,
  work: (operations: CommandOperations, actor: Actor) => Promise<ShownEntry>,
): Promise<number> {
  const { config } = readConfig(io, options.config, { needs: ['http'] })
  const actor = toActor(readAuthor(io, options.by))
  const operations = openOperations(io, config)
  try {
    const entry = await work(operations, actor)
    io.out(options.json ? `${JSON.stringify(entry, null, 2)}\n` : formatEntry(entry))
    return exitCodes.fine
  } finally {
    operations.close()
  }
}
