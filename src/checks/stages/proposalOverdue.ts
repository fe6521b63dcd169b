import { z } from 'zod'
import type { SharedFacts } from '../../kernel/facts.ts'
import { formatDuration } from '../../lib/duration.ts'
import { sayDuration } from '../../lib/sayTime.ts'
import { boundText } from '../../rules/durationText.ts'
import { declareFacts, defineCondition, type JudgementOf } from '../../rules/kind.ts'
import type { StagesPart } from './facts.ts'
import { shownUntil } from './listStanding.ts'

type Facts = SharedFacts & StagesPart

const params = z.strictObject({ within: boundText.default(30 * 60_000) })
const factTypes = declareFacts({ everyMs: 'int', withinMs: 'int' })

/** Without proposals no withdrawal goes on, whoever wants to prove or claim it. */
export const proposalOverdue = defineCondition({
  kind: 'proposal.overdue',
  docs: 'No proposal that withdrawals are proven by came in its time.',
  remedy: 'Check that the proposer runs and has gas; no withdrawal goes on without it.',
  words: { open: ({ now, finding }) => `No proposal has come for ${sayDuration(now - finding.since)}` },
  sources: ['explorer'],
  ties: [],
  needs: ['bridge.stages'],
  restsOn: ['source', 'chain'],
  cannotTell: 'the logs that would show it are not read so far',
  hasTransfer: false,
  subjectNames: ['chain'],
  facts: factTypes,
  params,
  judge: judgeProposals,
})

function judgeProposals(facts: Facts, { within }: z.output<typeof params>): JudgementOf<typeof factTypes> {
  const { since, everyMs, newestProposalAt } = facts.stages
  const [now, shown] = [facts.now, shownUntil(facts)]
  if (since === null || everyMs === null) return { findings: [], unknown: [] }
  const from = Math.max(newestProposalAt ?? since, since)
  const deadline = from + everyMs + within
  if (now <= deadline) return { findings: [], unknown: [] }
  if (shown === null || shown <= deadline) return { findings: [], unknown: ['main'] }
  const says = `no proposal for ${formatDuration(shown - from)}; one comes every ${formatDuration(everyMs)}`
  return {
    findings: [
      {
        subject: 'main',
        title: 'proposals on the main chain',
        transfer: null,
        facts: { everyMs, withinMs: within },
        labels: { chain: 'main' },
        evidence: [{ source: 'E19', at: shown, says }],
        since: from,
      },
    ],
    unknown: [],
  }
}
