import type { BreakKind } from '../../breaks/break.ts'
import { formatDuration } from '../../lib/duration.ts'
import { shortAmount } from '../../lib/shortAmount.ts'
import type { Correction, DailyReport } from '../dailyReport.ts'
import type { Problem } from '../problems.ts'
import { periodOf } from '../reportDay.ts'
import { tokenLabel } from './tokenLabel.ts'

const problemWords: Readonly<Record<BreakKind, string>> = {
  unbacked: 'paid without origin',
  duplicate: 'paid twice',
  out: 'left an escrow unexplained',
  mismatch: 'paid otherwise than recorded',
  failed: 'failed',
  stalled: 'in flight',
  in: 'came into an escrow unexplained',
}

/** Findings that are breaks: they stand in the headline as those. */
const breakOf: Readonly<Record<string, BreakKind>> = {
  'transfer.unbacked': 'unbacked',
  'transfer.duplicate': 'duplicate',
  'transfer.mismatch': 'mismatch',
  'batch.mismatch': 'mismatch',
  'transfer.failed': 'failed',
  'transfer.stalled': 'stalled',
  'escrow.drift': 'out',
}

const mostNamed = 4

/** How urgent a report is: what is lost, or critical, before what may come right and what was not seen. */
export function judgeReport({ problems, findings, missing }: DailyReport): 'critical' | 'warning' | 'info' {
  const isLost = (problems ?? []).some(({ kind }) => kind !== 'failed' && kind !== 'stalled' && kind !== 'in')
  if (isLost || findings.some(({ severity }) => severity === 'critical')) return 'critical'
  return (problems ?? []).length > 0 || missing.length > 0 ? 'warning' : 'info'
}

/**
 * The day in one sentence: what does not reconcile, the gravest first, then what else is critical.
 * @example 'not reconciled: 3.5 WETH paid without origin, 18,250.75 USDC in flight for 15 h'
 */
export function sayVerdict(report: DailyReport): string {
  const { problems, window } = report
  const until = Math.min(window.until, report.builtAt)
  const said = (problems ?? []).map((problem) => sayProblem(problem, until))
  const others = listOthers(report)
  const parts = [...capped(said), ...(others === '' ? [] : [others])]
  const main = parts.length > 0 ? `not reconciled: ${parts.join(', ')}` : sayFine(report)
  const corrected = sayCorrections(report.corrections ?? [])
  return [main, corrected, report.missing.length > 0 ? 'incomplete' : '']
    .filter((one) => one !== '')
    .join('; ')
}

function capped(said: readonly string[]): string[] {
  const more = said.length - mostNamed
  return more > 0 ? [...said.slice(0, mostNamed), `and ${more} more`] : [...said]
}

function sayFine({ problems, book, coverage, window }: DailyReport): string {
  if (problems === null || problems === undefined) return 'what does not reconcile is unknown'
  const count = (name: 'deposits' | 'withdrawals') =>
    (book ?? []).reduce((sum, line) => sum + line[name].count, 0)
  // Nothing where nobody looked is no day that reconciles.
  const isUnseen = (coverage ?? []).every(({ share, note }) => share === 0 || note !== null)
  if (isUnseen && count('deposits') + count('withdrawals') === 0)
    return `what does not reconcile is unknown: nothing of the ${periodOf(window.day) ?? 'day'} was observed`
  return `reconciled: ${plural(count('deposits'), 'deposit')}, ${plural(count('withdrawals'), 'withdrawal')}`
}

function sayProblem(
  { kind, token, amount, inBaseUnits, unknown, count, oldestAt }: Problem,
  until: number,
): string {
  const name = `${inBaseUnits ? 'base units of ' : ''}${tokenLabel(token)}`
  const isAllUnknown = unknown === count
  const sum = isAllUnknown
    ? `${plural(count, 'transfer')} of unknown amount of ${name}`
    : `${shortAmount(amount)} ${name}`
  const more = unknown > 0 && !isAllUnknown ? ` and ${unknown} of unknown amount` : ''
  const since = kind === 'stalled' ? ` for ${formatDuration(Math.max(0, until - oldestAt))}` : ''
  return `${sum}${more} ${problemWords[kind]}${since}`
}

/** Critical findings that name no break. */
function listOthers({ findings, problems }: DailyReport): string {
  const groups = findings.filter(
    ({ severity, kind }) => severity === 'critical' && (problems == null || breakOf[kind] === undefined),
  )
  const count = groups.reduce((sum, one) => sum + one.count, 0)
  if (count === 0) return ''
  const kinds = groups.slice(0, mostNamed).map(({ kind }) => kind)
  return `${plural(count, 'critical finding')} (${kinds.join(', ')}${groups.length > mostNamed ? ', …' : ''})`
}

/** What was learned of earlier days, where money is in it. */
function sayCorrections(corrections: readonly Correction[]): string {
  // What is open too long is said of the day itself.
  const withMoney = corrections.filter(
    ({ money, severity, kind }) => money.length > 0 && severity !== 'info' && breakOf[kind] !== 'stalled',
  )
  const days = Map.groupBy(withMoney, ({ day }) => day)
  return capped(
    [...days].map(([day, of]) => {
      const sums = of.flatMap(({ kind, money }) =>
        money.map(({ token, amount }) => `${shortAmount(amount)} ${tokenLabel(token)} ${sayKind(kind)}`),
      )
      return `corrected for ${day}: ${capped(sums).join(', ')}`
    }),
  ).join('; ')
}

/** What a finding of a kind says of its money; the kind itself where that is no break. */
function sayKind(kind: string): string {
  const as = breakOf[kind]
  return as === undefined ? `(${kind})` : problemWords[as]
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
