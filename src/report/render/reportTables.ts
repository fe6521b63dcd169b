import { formatDuration } from '../../lib/duration.ts'
import { shortAmount, signedAmount } from '../../lib/shortAmount.ts'
import { shortHash } from '../../lib/shortHash.ts'
import type { BookLine, BookSum } from '../book.ts'
import { bookOfFlows } from '../bookOfFlows.ts'
import type { CoverageLine, DailyReport, FindingLine, ReportSum, TransferLine } from '../dailyReport.ts'
import { periodOf } from '../reportDay.ts'
import { listBreakTables } from './breakTables.ts'
import { type Line, number, type ReportTable, text } from './reportTable.ts'
import { sayCases } from '../summarizeCases.ts'
import { directionLabel, durationLabel, shareLabel, sumLabel, timeLabel, unknownText } from './reportWords.ts'
import { tokenLabel } from './tokenLabel.ts'

/** Makes addresses on the page; null without a page. */
export type Linker = (path: string) => string | null

/** All sections below the headline in their order: money first, then what went wrong, then what stands behind it. */
export function listReportTables(report: DailyReport, link: Linker): ReportTable[] {
  return [
    bookTable(report),
    correctionTable(report),
    findingTable(report, link),
    ...(report.breaks === undefined ? [] : listBreakTables(report, report.breaks)),
    oldestTable(report, link),
    escrowTable(report),
    restatedTable(report),
    latencyTable(report),
  ].filter(({ rows, none }) => rows.length > 0 || none !== '')
}

interface BookColumn {
  readonly name: string
  readonly of: (line: BookLine) => string
}

/** The columns of a book, for every form: what was given back, or paid for gas, stands in it where something was. */
export function bookColumnsOf(lines: readonly BookLine[]): readonly BookColumn[] {
  const hasRefunds = lines.some(({ refunded }) => refunded !== undefined && refunded.count > 0)
  const hasGas = lines.some(({ gas }) => gas !== undefined)
  return bookColumns.filter(({ name }) => (hasRefunds || name !== 'Refunded') && (hasGas || name !== 'Gas'))
}

const bookColumns: readonly BookColumn[] = [
  { name: 'Deposits', of: ({ deposits }) => bookLabel(deposits) },
  { name: 'Withdrawals', of: ({ withdrawals }) => bookLabel(withdrawals) },
  { name: 'Refunded', of: ({ refunded }) => (refunded === undefined ? 'unknown' : bookLabel(refunded)) },
  { name: 'Gas', of: ({ gas = '0' }) => shortAmount(gas) },
  { name: 'Net', of: ({ net }) => signedAmount(net) },
  { name: 'In flight', of: ({ inFlight }) => bookLabel(inFlight) },
  { name: 'Failed', of: ({ failed }) => bookLabel(failed) },
  { name: 'Unbacked', of: ({ unbacked }) => (unbacked === null ? 'unknown' : bookLabel(unbacked)) },
  { name: 'Unexplained', of: ({ unexplained }) => signedOr(unexplained) },
  { name: 'Escrow change', of: ({ escrowChange }) => signedOr(escrowChange) },
  { name: 'Difference', of: ({ difference }) => signedOr(difference) },
]

export function bookOf({ book, flows }: DailyReport): readonly BookLine[] {
  return book ?? bookOfFlows(flows)
}

export const bookNote =
  'Deposits locked and withdrawals paid on the main chain by block times. Net is what the escrows should hold more; the difference is what they hold beyond that.'

function bookTable(report: DailyReport): ReportTable {
  const lines = bookOf(report)
  const columns = bookColumnsOf(lines)
  return {
    title: 'Reconciliation',
    note: bookNote,
    columns: [text('Token'), ...columns.map(({ name }) => number(name))],
    rows: lines.map((line) => [tokenLabel(line.token), ...columns.map(({ of }) => of(line))]),
    none: 'No transfer was under way.',
  }
}

function bookLabel({ count, amount, unknown }: BookSum): string {
  if (count === 0) return '0'
  const lacking = unknown === 0 ? '' : `, ${unknown} of unknown amount`
  return `${shortAmount(amount)}\n(${count}${lacking})`
}

function signedOr(amount: string | null): string {
  return amount === null ? 'unknown' : signedAmount(amount)
}

const shownCorrections = 20

function correctionTable({ corrections = [] }: DailyReport): ReportTable {
  const more = corrections.length - shownCorrections
  const cut = more > 0 ? ` Of ${corrections.length} lines the ${shownCorrections} of the newest days.` : ''
  return {
    title: 'Learned of earlier days',
    note: `Found since the report before, of days that were reported already.${cut}`,
    columns: [text('Day'), text('What'), number('Count'), number('Amount')],
    rows: corrections
      .slice(-shownCorrections)
      .map(({ day, kind, severity, count, money }) => [
        day,
        `${severity.toUpperCase()} ${kind}`,
        String(count),
        money.map(({ token, amount }) => `${shortAmount(amount)} ${tokenLabel(token)}`).join('\n'),
      ]),
    none: '',
  }
}

const shownExamples = 3

function wordOf({ day }: DailyReport['window']): string {
  return periodOf(day) ?? 'day'
}

function findingTable({ findings, alerts, cases, window }: DailyReport, link: Linker): ReportTable {
  return {
    title: `Findings of the ${wordOf(window)}`,
    note: `${alerts.told} found then, sent or not; ${alerts.suppressed} held back from a channel or from all.${cases === undefined ? '' : ` ${sayCases(cases)}`}`,
    columns: [text('What'), number('Count'), text('The largest of them')],
    rows: findings.map(({ severity, kind, count, examples }) => [
      `${severity.toUpperCase()} ${kind}`,
      String(count),
      examples
        .slice(0, shownExamples)
        .map((one) => ({ text: `${amountOf(one)}${shorten(one.title)}`, href: hrefOf(one, link) })),
    ]),
    none: 'Nothing was found.',
  }
}

/** Whole hashes stand in the files. */
function shorten(title: string): string {
  return title.replace(/0x[0-9a-f]{12,}/gi, shortHash)
}

function amountOf({ amount, token }: FindingLine): string {
  return amount && token ? `${shortAmount(amount)} ${tokenLabel(token)}: ` : ''
}

function hrefOf({ key, alertId }: FindingLine, link: Linker): string | null {
  if (key !== null) return link(`/transfers/${key}`)
  return alertId === undefined ? null : link(`/alerts/${encodeURIComponent(alertId.replace(/^#/, ''))}`)
}

const shownOldest = 5

function oldestTable({ oldest, window, builtAt }: DailyReport, link: Linker): ReportTable {
  return {
    title: `Longest in flight at the end of the ${wordOf(window)}`,
    note: oldest.length > shownOldest ? `The first ${shownOldest}; more are in the file in-flight.` : '',
    columns: [text('For'), text('Direction'), number('Amount'), text('Transfer')],
    rows: oldest
      .slice(0, shownOldest)
      .map((line) => [
        formatDuration(Math.max(0, Math.min(window.until, builtAt) - line.originAt)),
        directionLabel(line.direction),
        `${line.amount === null ? 'unknown' : shortAmount(line.amount)} ${tokenLabel(line.token)}`,
        [nameTransfer(line, link)],
      ]),
    none: '',
  }
}

function nameTransfer({ key, mainHash, zoneHash }: TransferLine, link: Linker): Line {
  const hashes = [mainHash, zoneHash].flatMap((hash) => (hash === null ? [] : shortHash(hash)))
  return { text: `${key} ${hashes.join(' ')}`.trim(), href: link(`/transfers/${key}`) }
}

function escrowTable({ escrows, window }: DailyReport): ReportTable {
  return {
    title: `Escrows at the end of the ${wordOf(window)}`,
    note: 'Owed: the balance when counting began + deposits − withdrawals since. What is held is, account by account, claims on the zone, what is on its way, fees, gas, what is being judged, and what is not explained: the file has each.',
    columns: [
      text('Token'),
      number('At the start'),
      number('Change'),
      number('At the end'),
      number('Owed'),
      number('Not explained'),
      text('As of'),
    ],
    rows: (escrows ?? []).map(({ token, opening, change, closing, owed, at, accounts, ground }) => [
      ground === 'assumed' ? `${tokenLabel(token)} (baseline assumed)` : tokenLabel(token),
      amountOr(opening),
      signedOr(change ?? null),
      amountOr(closing),
      amountOr(owed),
      signedOr(accounts?.unexplained ?? null),
      at === null ? 'never' : timeLabel(at, window.zone),
    ]),
    none: escrows === null ? unknownText : '',
    file: 'escrow',
  }
}

/** Undefined in what was kept before. */
function amountOr(amount: string | null | undefined): string {
  return amount === null || amount === undefined ? 'unknown' : shortAmount(amount)
}

function restatedTable({ restated }: DailyReport): ReportTable {
  const label = (sum: ReportSum) => `${sumLabel(sum)}\n(${sum.count})`
  return {
    title: 'Restated',
    note: 'Records of earlier days that came or changed after that day was reported: in flight at the start is not what the report before said.',
    columns: [text('Token'), text('Direction'), number('Reported'), number('Known now')],
    rows: (restated ?? []).map(({ token, direction, reported, known }) => [
      tokenLabel(token),
      directionLabel(direction),
      label(reported),
      label(known),
    ]),
    none: '',
  }
}

const shownLatencies = 8

function latencyTable({ latencies }: DailyReport): ReportTable {
  return {
    title: 'Time from origin to destination',
    note: 'In brackets the 30 days before.',
    columns: [text('Token'), text('Direction'), number('Transfers'), number('Median'), number('95 %')],
    rows: (latencies ?? [])
      .toSorted((a, b) => b.samples - a.samples)
      .slice(0, shownLatencies)
      .map(({ token, direction, samples, past, ...day }) => [
        tokenLabel(token),
        directionLabel(direction),
        `${samples} (${past.samples})`,
        ...(['p50', 'p95'] as const).map(
          (name) => `${durationLabel(day[name])} (${durationLabel(past[name])})`,
        ),
      ]),
    none: latencies === null ? unknownText : '',
    file: 'latency',
  }
}

/** How far the day was seen, in one line: what was seen whole is not named. */
export function sayCoverage({ coverage, window }: DailyReport): string {
  if (coverage === null) return `Observed: ${unknownText}.`
  const lacking = coverage.filter(({ share, note }) => share < 1 && note === null)
  const sampled = coverage.filter(({ note }) => note !== null)
  const parts = [
    lacking.length === 0 ? `all of the ${wordOf(window)}` : sayLacking(lacking, window.zone),
    ...sampled.map(({ source, share, note }) => `${source} ${shareLabel(share)} ${note ?? ''}`),
  ]
  return `Observed: ${parts.join('; ')}.`
}

const namedGaps = 2

function sayLacking(lacking: readonly CoverageLine[], zone: string): string {
  const sorted = lacking.toSorted((a, b) => a.share - b.share)
  const more = sorted.length - namedGaps
  const named = sorted.slice(0, namedGaps).map((line) => sayGaps(line, zone))
  return `${named.join('; ')}${more > 0 ? `; and ${more} more in the file coverage` : ''}`
}

function sayGaps({ source, share, gaps }: CoverageLine, zone: string): string {
  const [first] = gaps
  const more = gaps.length > 1 ? ` and ${gaps.length - 1} more` : ''
  const gap = first
    ? `, not from ${timeLabel(first.from, zone)} to ${timeLabel(first.until, zone)}${more}`
    : ''
  return `${source} ${shareLabel(share)}${gap}`
}

/** The same of preconfirmations; '' where none are watched. */
export function sayPreconf({ preconf }: DailyReport): string {
  if (preconf === null) return ''
  const { seen, kept, moved, flipped, dropped, unknown, hitRate, leadMs } = preconf
  const rate = hitRate === null ? '' : `, hit rate ${shareLabel(hitRate)}`
  return `Preconfirmations: ${seen} seen, ${kept} kept, ${moved} moved, ${flipped} flipped, ${dropped} dropped, ${unknown} unknown${rate}, mean lead ${durationLabel(leadMs)}.`
}
