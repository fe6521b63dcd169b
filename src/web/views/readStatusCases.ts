import type { StatusFacts } from '../statusFacts.ts'
import { listInOrder } from './listInOrder.ts'
import { type CaseListSource, listCaseViews, toCaseView } from './toCaseView.ts'

/** Of those that are judged the worst are listed. */
const mostListed = 100
const mostHandled = 20

/** The cases of the status, as `/cases` has them, with what they say to the verdict. */
export function readStatusCases(
  source: CaseListSource,
): Pick<StatusFacts, 'cases' | 'handledCases' | 'caseCounts'> {
  return {
    cases: listInOrder(source, ['open', 'acknowledged'])
      .slice(0, mostListed)
      .map(({ row, counts }) => ({ ...toCaseView(source, row), counts })),
    handledCases: listCaseViews(source, { state: 'handled', limit: mostHandled }),
    caseCounts: source.store.countCases(),
  }
}
