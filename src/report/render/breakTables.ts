import { breakWords } from '../../breaks/break.ts'
import type { ShownEntry, ShownShare } from '../../breaks/showEntry.ts'
import type { BreakSummary } from '../../breaks/summarizeBreaks.ts'
import type { CsvFile } from '../../delivery/channels/message.ts'
import { part } from '../../delivery/channels/textParts.ts'
import { shortAmount } from '../../lib/shortAmount.ts'
import { toCsvLine } from '../../lib/csv.ts'
import type { DailyReport } from '../dailyReport.ts'
import { periodOf } from '../reportDay.ts'
import { number, type ReportTable, text } from './reportTable.ts'
import { timeLabel } from './reportWords.ts'

/** What does not reconcile, and what people settled of it on the day. */
export function listBreakTables(report: DailyReport, breaks: BreakSummary): ReportTable[] {
  return [openTable(report, breaks), entryTable(report, breaks)]
}

function openTable({ builtAt, window }: DailyReport, { sums, isCut }: BreakSummary): ReportTable {
  const cut = isCut ? ' There are more than are read at once: these are of what was read.' : ''
  return {
    title: 'Breaks',
    note: `What does not reconcile, as of ${timeLabel(builtAt, window.zone)}. Settled by hand: by entries that hold.${cut}`,
    columns: [
      text('Token'),
      number('Open'),
      number('amount'),
      text('Oldest since'),
      number('Settled by hand'),
      number('amount settled'),
    ],
    rows: sums.map(({ token, symbol, inBaseUnits, open, settled, oldestAt }) => [
      nameToken({ address: token, symbol }, inBaseUnits),
      String(open.count),
      open.unknown === 0
        ? shortAmount(open.amount)
        : `${shortAmount(open.amount)} and ${open.unknown} of unknown amount`,
      oldestAt === null ? '' : timeLabel(oldestAt, window.zone),
      String(settled.count),
      shortAmount(settled.amount),
    ]),
    none: '',
  }
}

function entryTable({ window }: DailyReport, { entries }: BreakSummary): ReportTable {
  return {
    title: 'Settled by hand',
    note: `What people matched, wrote off and took back ${nameTime(window.day)}. What the chains show stays what it is.`,
    columns: [text('Time'), text('Entry'), text('By'), text('Why'), text('Breaks'), number('Amount')],
    rows: entries.map((entry) => [
      timeLabel(entry.at, window.zone),
      `${entry.id} ${sayWhat(entry)}`,
      entry.who,
      entry.reason,
      entry.shares.map(sayShare).join('\n'),
      entry.shares.map(sayAmount).join('\n'),
    ]),
    none: '',
  }
}

function nameTime(name: string): string {
  const period = periodOf(name) ?? 'day'
  return period === 'day' ? 'on this day' : `in this ${period}`
}

function sayWhat({ what, undoes, undoneBy }: ShownEntry): string {
  if (undoes !== null) return `takes back ${undoes}`
  return undoneBy === null ? what : `${what}, taken back by ${undoneBy}`
}

function sayShare({ name, part: of, kind }: ShownShare): string {
  return `${of === 'all' ? '' : `${of} `}${name}, ${breakWords[kind]}`
}

function sayAmount({ amount, token, inBaseUnits }: ShownShare): string {
  return `${amount === null ? 'an unknown amount of' : shortAmount(amount)} ${nameToken(token, inBaseUnits)}`
}

function nameToken(
  { address, symbol }: { readonly address: string; readonly symbol: string | null },
  inBaseUnits: boolean,
): string {
  const name = symbol === null ? address || 'native currency' : part(symbol, 64)
  return inBaseUnits ? `base units of ${name}` : name
}

/** The same for a spreadsheet: amounts exact and plain. */
export function renderBreakCsv(day: string, { sums, entries }: BreakSummary): CsvFile[] {
  const unitOf = (inBaseUnits: boolean) => (inBaseUnits ? 'base' : 'token')
  const isoOf = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  const open = sums.map((sum) => [
    sum.token,
    sum.symbol,
    unitOf(sum.inBaseUnits),
    sum.open.count,
    sum.open.amount,
    sum.open.unknown,
    isoOf(sum.oldestAt),
    sum.settled.count,
    sum.settled.amount,
  ])
  const made = entries.flatMap((entry) =>
    entry.shares.map((share) => [
      entry.id,
      isoOf(entry.at),
      entry.what,
      entry.undoes,
      entry.undoneBy,
      entry.who,
      entry.from,
      entry.reason,
      entry.difference,
      share.part,
      share.name,
      share.kind,
      share.token.address,
      share.token.symbol,
      unitOf(share.inBaseUnits),
      share.amount,
    ]),
  )
  return [
    { name: `breaks-${day}.csv`, content: [openNames, ...open].map(toCsvLine).join('') },
    { name: `entries-${day}.csv`, content: [entryNames, ...made].map(toCsvLine).join('') },
  ]
}

const openNames = [
  'token',
  'symbol',
  'unit',
  'open_count',
  'open_amount',
  'open_unknown_amounts',
  'oldest_since',
  'settled_count',
  'settled_amount',
]

const entryNames = [
  'entry',
  'time',
  'what',
  'takes_back',
  'taken_back_by',
  'who',
  'from',
  'reason',
  'difference',
  'part',
  'break',
  'kind',
  'token',
  'symbol',
  'unit',
  'amount',
]
