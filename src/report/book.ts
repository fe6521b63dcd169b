import {
  addDecimals,
  type Decimal,
  formatDecimal,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../bridge/decimal.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { EscrowDay } from './readEscrowDays.ts'
import type { ReportToken } from './reportToken.ts'
import type { Crossing } from './reconcile.ts'

/** So many of so much, token units; the amounts of `unknown` of them are not in it. */
export interface BookSum {
  readonly count: number
  readonly amount: string
  readonly unknown: number
}

/** One token's day, in token units, exact. Null: not known. */
export interface BookLine {
  readonly token: ReportToken
  /** Locked on the main chain on the day: what failed before that is not in it. */
  readonly deposits: BookSum
  /** Paid out on the main chain on the day. */
  readonly withdrawals: BookSum
  /** Of failed deposits, given back on the day; left out of what was kept before this was counted. */
  readonly refunded?: BookSum
  /** What the escrows paid on the day for transactions of their own; left out where that is nothing. */
  readonly gas?: string
  /** What the escrows should hold more at its end: deposits − withdrawals − refunded − gas. */
  readonly net: string
  /** At the end of the day, both ways. */
  readonly inFlight: BookSum
  /** Came to rest so on the day. */
  readonly failed: BookSum
  /** Paid on the day without an origin of its own, what was paid twice among it; null in what was kept before this was counted. */
  readonly unbacked: BookSum | null
  /** What moved at the escrows without a transfer that explains it, in − out; null where no escrow is watched. */
  readonly unexplained: string | null
  /** What the escrows hold more than at the start of the day. */
  readonly escrowChange: string | null
  /** Of that, what the transfers do not explain: escrow change − net. */
  readonly difference: string | null
}

/** What is known of a token beside its transfers. */
export interface BookExtras {
  readonly token: ReportToken
  readonly refunded: BookSum
  readonly unbacked: BookSum
  /** Signed: in − out. */
  readonly unexplained: string
}

type Open = { token: ReportToken } & Record<'deposits' | 'withdrawals' | 'inFlight' | 'failed', Sum>
interface Sum {
  count: number
  amount: Decimal
  unknown: number
}

export interface Book {
  add(crossing: Crossing): void
  lines(): BookLine[]
}

/**
 * The day as a book, a line a token: by the address under which the escrows hold it, so that both sides of it are one.
 * `from` belongs to the day, `until` to the next.
 */
export function openBook(
  window: { readonly from: number; readonly until: number },
  known: {
    readonly escrows: readonly EscrowDay[]
    readonly extras: readonly BookExtras[]
    /** Whether it is in the extras, and so nothing else. */
    isExtra(crossing: Crossing): boolean
  },
): Book {
  const lines = new Map<string, Open>()
  const open = (token: ReportToken): Open => {
    const before = lines.get(token.address) ?? { token, ...emptySums() }
    // What an escrow holds does not say what the token calls itself: a transfer does.
    const { name, symbol } = before.token
    const line =
      (name === '' && token.name !== '') || (symbol === null && token.symbol !== null)
        ? { ...before, token: { ...before.token, name: name || token.name, symbol: symbol ?? token.symbol } }
        : before
    lines.set(token.address, line)
    return line
  }
  for (const { token } of [...known.escrows, ...known.extras]) open(token)
  const isOf = (line: Open) => (one: { readonly token: ReportToken }) =>
    one.token.address === line.token.address
  return {
    add(crossing) {
      const parts = partsOf(crossing, window)
      if (parts.length === 0 || known.isExtra(crossing)) return
      const line = open(crossing.held)
      const amount = crossing.amount === null ? null : toDecimal(crossing.amount)
      for (const part of parts) add(line[part], amount)
    },
    lines: () =>
      [...lines.values()]
        .sort((a, b) => countOf(b) - countOf(a) || (a.token.address < b.token.address ? -1 : 1))
        .map((line) => close(line, window, known.escrows.find(isOf(line)), known.extras.find(isOf(line)))),
  }
}

/** The busiest token first. */
function countOf({ deposits, withdrawals, inFlight, failed }: Open): number {
  return deposits.count + withdrawals.count + inFlight.count + failed.count
}

function emptySums(): Omit<Open, 'token'> {
  const sum = (): Sum => ({ count: 0, amount: noAmount, unknown: 0 })
  return { deposits: sum(), withdrawals: sum(), inFlight: sum(), failed: sum() }
}

function add(sum: Sum, amount: Decimal | null): void {
  sum.count += 1
  if (amount === null) sum.unknown += 1
  else sum.amount = addDecimals(sum.amount, amount)
}

function partsOf(
  { direction, startedAt, end, isLocked }: Crossing,
  { from, until }: { readonly from: number; readonly until: number },
): (keyof Omit<Open, 'token'>)[] {
  if (startedAt >= until || (end !== null && end.at < from)) return []
  const isOver = end !== null && end.at < until
  return [
    ...(direction === 'MainToZone' && startedAt >= from && isLocked ? (['deposits'] as const) : []),
    ...(direction === 'ZoneToMain' && isOver && end.how === 'completed' ? (['withdrawals'] as const) : []),
    ...(isOver ? [] : (['inFlight'] as const)),
    ...(isOver && end.how === 'failed' ? (['failed'] as const) : []),
  ]
}

function close(
  line: Open,
  { until }: { readonly until: UnixMs },
  escrow: EscrowDay | undefined,
  extras: BookExtras | undefined,
): BookLine {
  const refunded = extras?.refunded ?? noSum
  const crossed = subtractDecimals(line.deposits.amount, line.withdrawals.amount)
  const { gas } = escrow ?? {}
  const left = sumDecimals([refunded.amount, gas ?? ''].map((amount) => toDecimal(amount) ?? noAmount))
  const net = subtractDecimals(crossed, left)
  const change = toDecimal(escrow?.change ?? '')
  const unexplained = escrow === undefined ? null : (extras?.unexplained ?? '0')
  // What lacks an amount cannot be compared, nor what was read at another moment.
  const isWhole = line.deposits.unknown + line.withdrawals.unknown === 0 && escrow?.at === until
  return {
    token: line.token,
    deposits: toBookSum(line.deposits),
    withdrawals: toBookSum(line.withdrawals),
    refunded,
    ...(gas !== undefined && { gas }),
    net: formatDecimal(net),
    inFlight: toBookSum(line.inFlight),
    failed: toBookSum(line.failed),
    unbacked: extras?.unbacked ?? noSum,
    unexplained: escrow && escrow.unexplained !== undefined ? escrow.unexplained : unexplained,
    escrowChange: change && formatDecimal(change),
    difference: change && isWhole ? formatDecimal(subtractDecimals(change, net)) : null,
  }
}

export const noSum: BookSum = { count: 0, amount: '0', unknown: 0 }

function toBookSum({ count, amount, unknown }: Sum): BookSum {
  return { count, amount: formatDecimal(amount), unknown }
}
