import { addDecimals, formatDecimal, noAmount, subtractDecimals, toDecimal } from '../bridge/decimal.ts'
import { type BookLine, type BookSum, noSum } from './book.ts'
import type { ReportFlow, ReportSum } from './dailyReport.ts'

/** What a report that was kept before there was a book says of one. */
export function bookOfFlows(flows: readonly ReportFlow[]): BookLine[] {
  return [...Map.groupBy(flows, ({ token }) => token.address).values()].flatMap((group): BookLine[] => {
    const [first] = group
    if (first === undefined) return []
    const sum = (of: (flow: ReportFlow) => readonly ReportSum[]) =>
      group.flatMap(of).reduce(addReportSum, noSum)
    const deposits = sum(({ direction, started }) => (direction === 'MainToZone' ? [started] : []))
    const withdrawals = sum(({ direction, completed }) => (direction === 'ZoneToMain' ? [completed] : []))
    const [locked, paid] = [deposits, withdrawals].map(({ amount }) => toDecimal(amount) ?? noAmount)
    return [
      {
        token: first.token,
        deposits,
        withdrawals,
        net: formatDecimal(subtractDecimals(locked ?? noAmount, paid ?? noAmount)),
        inFlight: sum(({ closing }) => [closing]),
        failed: sum(({ failed }) => [failed]),
        unbacked: null,
        unexplained: null,
        escrowChange: null,
        difference: null,
      },
    ]
  })
}

function addReportSum(sum: BookSum, { count, amount, unknown }: ReportSum): BookSum {
  const added = amount === null ? null : toDecimal(amount)
  return {
    count: sum.count + count,
    amount: formatDecimal(addDecimals(toDecimal(sum.amount) ?? noAmount, added ?? noAmount)),
    unknown: sum.unknown + (added === null ? count : unknown),
  }
}
