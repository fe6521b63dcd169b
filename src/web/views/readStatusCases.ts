import { sumCases } from '../../cases/money.ts'
import type { CaseRow } from '../../cases/store/caseRows.ts'
import type { MoneyAtRisk } from '../../delivery/channels/message.ts'
import { rankMoney, type TokenFacts } from '../../delivery/describeCase.ts'
import type { StatusFacts } from '../statusFacts.ts'
import { listInOrder } from './listInOrder.ts'
import { type CaseListSource, listCaseViews, toCaseView } from './toCaseView.ts'

/** Of those that are judged the worst are listed. */
const mostListed = 100
const mostHandled = 20

/** The cases of the status, as `/cases` has them, with what they say to the verdict. */
export function readStatusCases(
  source: CaseListSource,
): Pick<StatusFacts, 'cases' | 'moneyAtRisk' | 'handledCases' | 'caseCounts'> {
  const live = listInOrder(source, ['open', 'acknowledged']).slice(0, mostListed)
  const bySeverity = Map.groupBy(live, ({ counts }) => counts)
  return {
    cases: live.map(({ row, counts }) => ({ ...toCaseView(source, row), counts })),
    moneyAtRisk: Object.fromEntries(
      [...bySeverity].flatMap(([severity, of]) =>
        severity === null ? [] : [[severity, sumMoney(source.tokens, of)] as const],
      ),
    ),
    handledCases: listCaseViews(source, { state: 'handled', limit: mostHandled }),
    caseCounts: source.store.countCases(),
  }
}

function sumMoney(
  tokens: TokenFacts,
  cases: readonly { readonly row: Pick<CaseRow, 'money'> }[],
): MoneyAtRisk[] {
  return rankMoney(
    tokens,
    [...sumCases(cases.map(({ row }) => row.money))].map(([token, amount]) => ({ token, amount })),
  )
}
