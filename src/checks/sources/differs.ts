import { z } from 'zod'
import type { SourceHealth } from '../../clients/sourceHealth.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'
import { neededTimes, type Standing, subjectOf } from '../../kernel/sources/compareWords.ts'
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
  docs: 'Of several sources of one chain one differs from the others, twice in a row: it does not answer, is behind, or shows another block, receipt, balance or record, or not a transaction that others show; or they contradict each other about what would accuse. Of two nobody can say which.',
  remedy: 'Ask a source that belongs to none of them; take the one that is wrong out of the configuration.',
  sources: [],
  ties: ['source'],
  isGuard: true,
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: ['source', 'chain'],
  facts: factTypes,
  params: z.strictObject({}),
  cannotTell: 'its sources were not compared since, or once only',
  judge({ differences: of, sources }: SharedFacts & SourcesPart): JudgementOf<typeof factTypes> {
    const { differences, possible } = of
    const contradictions = [...of.contradictions, ...sources.flatMap(toForeign)]
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

/** A node of another chain than the explorer's: which of the two it is nobody can say, and the node is asked nothing. */
function toForeign({ source, foreign }: SourceHealth): Standing[] {
  if (!foreign) return []
  const { at, height, says } = foreign
  return [
    {
      chain: 'main',
      what: 'block',
      about: String(height),
      names: [source, 'explorer'],
      isTie: true,
      says: `${says}: another chain; ${source} is asked nothing until they agree`,
      since: at,
      at,
      times: neededTimes,
    },
  ]
}

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
