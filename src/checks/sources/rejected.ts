import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import { cleanText } from '../../lib/text.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { describeSource } from './describeSource.ts'
import { defineCondition, type Judgement } from '../../rules/kind.ts'

/** Refused credentials: no retry helps, so it is said at once. */
export const sourceRejected = defineCondition({
  kind: 'source.rejected',
  docs: "A source refuses the monitor's credentials.",
  hasTransfer: false,
  subjectNames: ['source'],
  facts: { host: 'string', reason: 'string', notJudged: 'int' },
  params: z.strictObject({}),
  judge: judgeRejected,
})

function judgeRejected(facts: SharedFacts): Judgement {
  const findings = facts.sources.flatMap((source): Finding[] => {
    if (source.rejected === null) return []
    const reason = cleanText(source.rejected.reason, 200)
    return [
      {
        kind: 'source.rejected',
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
  return { findings, unknown: [] }
}
