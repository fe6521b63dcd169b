import { z } from 'zod'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Moment } from '../../rules/kind.ts'
import { neededTimes, type Standing, subjectOf } from '../../kernel/compareWords.ts'
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
  docs: 'Of several sources of one chain one differs from the others, twice in a row: it does not answer, is behind, or shows another block, receipt, balance or record; or they contradict each other about what would accuse. Of two nobody can say which.',
  remedy: 'Ask a source that belongs to none of them; take the one that is wrong out of the configuration.',
  sources: [],
  ties: ['source'],
  isGuard: true,
  hasTransfer: false,
  subjectNames: ['source', 'chain'],
  facts: factTypes,
  params: z.strictObject({}),
  cannotTell: 'its sources were not compared since, or once only',
  judge({ differences: of }: Moment & SourcesPart): JudgementOf<typeof factTypes> {
    const { differences, contradictions, possible } = of
    const isFound = ({ times }: Standing) => times >= neededTimes
    const all = [...contradictions, ...(differences ?? [])]
    // Of two about the same sources one says it.
    const found = new Map(all.filter(isFound).map((one) => [subjectOf(one), one]))
    const open = differences === null ? possible : all.map(subjectOf)
    return {
      findings: [...found.values()].map(toFinding),
      unknown: open.filter((subject) => !found.has(subject)),
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
