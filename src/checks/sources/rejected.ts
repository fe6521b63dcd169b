import { z } from 'zod'
import { cleanText } from '../../lib/text.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { sourceUnavailable } from './unavailable.ts'
import { describeSource, lossOfSource } from './describeSource.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'

const factTypes = declareFacts({ host: 'string', reason: 'string', notJudged: 'int' })

/** Refused credentials: no retry helps, so it is said at once. */
export const sourceRejected = defineCondition({
  kind: 'source.rejected',
  docs: "A source refuses the monitor's credentials.",
  remedy: "Renew the credentials of this source and check this machine's clock.",
  sources: [],
  ties: ['source'],
  isGuard: true,
  stops: 'source',
  inhibits: [sourceUnavailable.kind],
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: ['source'],
  configured: { source: 'source' },
  facts: factTypes,
  params: z.strictObject({}),
  judge: judgeRejected,
})

function judgeRejected(facts: SharedFacts): JudgementOf<typeof factTypes> {
  const findings = facts.sources.flatMap((source): Found<typeof factTypes>[] => {
    if (source.rejected === null) return []
    const reason = cleanText(source.rejected.reason, 200)
    return [
      {
        ...describeSource(source),
        facts: {
          host: source.host,
          reason,
          notJudged: source.source === 'explorer' ? facts.countPending() : 0,
        },
        evidence: [{ source: source.source, at: source.rejected.at, says: reason }],
        since: source.rejected.at,
      },
    ]
  })
  return { findings, unknown: [], lossOf: lossOfSource(facts) }
}
