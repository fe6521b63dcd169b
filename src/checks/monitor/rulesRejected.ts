import { z } from 'zod'
import { cleanText } from '../../lib/text.ts'
import type { MonitorPart } from './facts.ts'
import { defineCondition, type Judgement, type Moment } from '../../rules/kind.ts'

type Facts = Moment & MonitorPart

export const monitorRulesRejected = defineCondition({
  kind: 'monitor.rules_rejected',
  docs: 'The newest edit of the rules is broken; the rules before it stay in force.',
  hasTransfer: false,
  subjectNames: [],
  facts: { problems: 'int', first: 'string' },
  params: z.strictObject({}),
  judge: judgeRejected,
})

function judgeRejected(facts: Facts): Judgement {
  const rejected = facts.rulesRejected
  if (rejected === null) return { findings: [], unknown: [] }
  const first = cleanText(rejected.problems[0] ?? 'no detail', 300)
  return {
    findings: [
      {
        kind: 'monitor.rules_rejected',
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
