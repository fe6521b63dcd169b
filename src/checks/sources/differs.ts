import { z } from 'zod'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Moment } from '../../rules/kind.ts'
import { neededTimes, type Standing, subjectOf } from './compare.ts'
import type { SourcesPart } from './facts.ts'

const factTypes = declareFacts({
  what: 'string',
  about: 'string',
  names: 'string',
  isTie: 'bool',
  says: 'string',
})

/** Where several sources of one chain are named they are asked the same, and whoever differs is told. */
export const sourceDiffers = defineCondition({
  kind: 'source.differs',
  docs: 'Of several sources of one chain one differs from the others, twice in a row: it does not answer, is behind, or shows another block, receipt, balance or record. Of two nobody can say which.',
  remedy: 'Ask a source that belongs to none of them; take the one that is wrong out of the configuration.',
  sources: [],
  ties: ['source'],
  isGuard: true,
  hasTransfer: false,
  subjectNames: ['source', 'chain'],
  facts: factTypes,
  params: z.strictObject({}),
  cannotTell: 'its sources were not compared since, or once only',
  judge({ differences: { differences, possible } }: Moment & SourcesPart): JudgementOf<typeof factTypes> {
    if (differences === null) return { findings: [], unknown: possible }
    const isFound = ({ times }: Standing) => times >= neededTimes
    return {
      findings: differences.filter(isFound).map(toFinding),
      unknown: differences.filter((one) => !isFound(one)).map(subjectOf),
    }
  },
})

function toFinding(one: Standing): Found<typeof factTypes> {
  const { chain, what, about, names, isTie, says, since, at } = one
  const named = isTie ? names.join(' and ') : names.join(', ')
  return {
    subject: subjectOf(one),
    title: `${what} by ${named}`,
    transfer: null,
    facts: { what, about, names: named, isTie, says },
    labels: { source: names.join(', '), chain },
    evidence: [{ source: names.join(', '), at, says }],
    since,
  }
}
