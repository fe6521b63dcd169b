import { formatDecimal } from '../bridge/decimal.ts'
import { sumCases } from '../cases/money.ts'
import { countCases, listLiveCases } from '../cases/store/caseRows.ts'
import type { Window } from '../ledger/slicesUnderWay.ts'
import { shortAmount } from '../lib/shortAmount.ts'
import { cleanText } from '../lib/text.ts'
import type { Database } from '../store/database.ts'
import { columns, int, type Read, text } from '../store/table.ts'

/** What became of cases in a day, and what is open when the report is made. Names and reasons are as they were typed. */
export interface CaseSummary {
  readonly opened: number
  readonly handled: readonly { readonly id: string; readonly by: string; readonly reason: string }[]
  /** Open or acknowledged. */
  readonly open: number
  /** What is at risk in those, by token; token units. */
  readonly atRisk: readonly { readonly symbol: string; readonly amount: string }[]
}

const entries = columns({ caseId: int, what: text, by: text.orNull(), text })
type Entry = Read<typeof entries>

/** Open cases of which the money is added up. */
const mostSummed = 5_000

export function summarizeCases(
  db: Database,
  { from, until }: Window,
  symbolOf: (token: string) => string | null,
): CaseSummary {
  const changed = entries.all(
    db,
    `SELECT l.case_id, l.what, l.by, l.text FROM cases c JOIN case_log l ON l.case_id = c.id
      WHERE c.changed_at >= ?1 AND l.what IN ('opened', 'handled') AND l.at >= ?1 AND l.at < ?2 ORDER BY l.id`,
    from,
    until,
  )
  const count = (what: string) =>
    new Set(changed.filter((one) => one.what === what).map(({ caseId }) => caseId))
  return {
    opened: count('opened').size,
    handled: changed.filter(({ what }) => what === 'handled').map(toHandled),
    open: countCases(db)
      .filter(({ state }) => state !== 'handled')
      .reduce((sum, one) => sum + one.count, 0),
    atRisk: sumMoney(db).map(({ token, amount }) => ({
      symbol: symbolOf(token) ?? (token === '' ? 'native currency' : token),
      amount,
    })),
  }
}

function toHandled({ caseId, by, text: reason }: Entry): CaseSummary['handled'][number] {
  return { id: `c${caseId}`, by: cleanText(by ?? '', 100), reason: cleanText(reason, 300) }
}

function sumMoney(db: Database): { token: string; amount: string }[] {
  const live = listLiveCases(db, { states: ['open', 'acknowledged'], limit: mostSummed })
  return [...sumCases(live.map(({ money }) => money))]
    .filter(([, amount]) => amount.digits > 0n)
    .map(([token, amount]) => ({ token, amount: formatDecimal(amount) }))
}

const mostNamed = 3

/** @example sayCases(summary) // 'Cases: 3 opened; handled: c4 by ana (refunded); 2 open, 16 USDC at risk.' */
export function sayCases({ opened, handled, open, atRisk: money }: CaseSummary): string {
  const named = handled.slice(0, mostNamed).map(({ id, by, reason }) => `${id} by ${by} (${reason})`)
  const more = handled.length - named.length
  const handledWords =
    handled.length === 0
      ? 'none handled'
      : `handled: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const sums = money.slice(0, mostNamed).map(({ amount, symbol }) => `${shortAmount(amount)} ${symbol}`)
  const others = money.length - sums.length
  const risk =
    sums.length === 0
      ? ''
      : `, ${sums.join(', ')}${others > 0 ? ` and ${others} more ${others === 1 ? 'token' : 'tokens'}` : ''} at risk`
  return `Cases: ${opened} opened; ${handledWords}; ${open} open${risk}.`
}
