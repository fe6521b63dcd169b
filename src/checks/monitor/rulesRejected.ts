import { z } from 'zod'
import { cleanText } from '../../lib/text.ts'
import type { MonitorPart } from './facts.ts'
import { declareFacts, defineCondition, type JudgementOf, type Moment } from '../../rules/kind.ts'

type Facts = Moment & MonitorPart

const factTypes = declareFacts({ problems: 'int', first: 'string' })

export const monitorRulesRejected = defineCondition({
  kind: 'monitor.rules_rejected',
  docs: 'The newest edit of the rules is broken; the rules before it stay in force.',
  remedy: 'Correct the newest edit of the rules: `spanwatch check` shows the line.',
  sources: [],
  ties: [],
  isGuard: true,
  hasTransfer: false,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  judge: judgeRejected,
})

function judgeRejected(facts: Facts): JudgementOf<typeof factTypes> {
  const rejected = facts.rulesRejected
  if (rejected === null) return { findings: [], unknown: [] }
  // The line of the file that stands below it is for a terminal.
  const [line = ''] = (rejected.problems[0] ?? 'no detail').split('\n')
  const first = cleanText(line, 300)
  return {
    findings: [
      {
        subject: 'rules',
        title: 'the rules folder',
        transfer: null,
        facts: { problems: rejected.problems.length, first },
        labels: {},
        evidence: [{ source: 'rules', at: rejected.at, says: first }],
        since: rejected.at,
      },
    ],
    unknown: [],
  }
}
