import { z } from 'zod'
import type { Challenge } from './challenge.ts'
import { boundText } from '../../rules/durationText.ts'
import type { ChallengesPart } from './facts.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Moment } from '../../rules/kind.ts'

type Facts = Moment & ChallengesPart

const params = z.strictObject({ after: boundText.default(10 * 86_400_000) })

const factTypes = declareFacts({
  status: 'string',
  mainTxHash: 'string',
  contract: 'string',
  height: 'int',
  limitMs: 'int',
})

/** Off while `bridge.challenge.terminal` names no value: then any value may be the last one. */
export const challengeStuck = defineCondition({
  kind: 'challenge.stuck',
  docs: 'The `challengeStatus` of a bridge transaction stayed the same, and not final, for too long.',
  remedy: "Ask the bridge's operator why the proof or the challenge of this transaction does not go on.",
  sources: ['explorer'],
  ties: ['transaction', 'crowd'],
  needs: ['bridge.contracts', 'bridge.challenge'],
  restsOn: ['source'],
  isForgottenByAge: true,
  cannotTell: 'it was not read since the bound passed',
  isAsOldAsAfter: true,
  hasTransfer: false,
  subjectNames: ['chain'],
  facts: factTypes,
  params,
  judge: judgeStuck,
})

function judgeStuck(facts: Facts, { after }: z.output<typeof params>): JudgementOf<typeof factTypes> {
  if (facts.challenges.terminal.length === 0) return { findings: [], unknown: [] }
  const findings: Found<typeof factTypes>[] = []
  const unknown: string[] = []
  for (const challenge of facts.challenges.listUnsettled(facts.now - after)) {
    if (challenge.readAt < challenge.since + after) unknown.push(challenge.hash)
    else findings.push(toStuck(challenge, after))
  }
  return { findings, unknown }
}

function toStuck(challenge: Challenge, after: number): Found<typeof factTypes> {
  const { hash, status, contract, height, readAt, since } = challenge
  return {
    subject: hash,
    title: `main ${hash}, challengeStatus "${status}"`,
    transfer: null,
    facts: { status, mainTxHash: hash, contract, height, limitMs: after },
    labels: { chain: 'main' },
    evidence: [{ source: 'E6', at: readAt, says: `challengeStatus is still "${status}"` }],
    since,
  }
}
