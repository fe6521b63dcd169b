import { z } from 'zod'
import type { Challenge } from './challenge.ts'
import type { Finding } from '../../bridge/finding.ts'
import { boundText } from '../../rules/durationText.ts'
import type { ChallengesPart } from './facts.ts'
import { defineCondition, type RaisedKind, type Judgement, type Moment } from '../../rules/kind.ts'

type Facts = Moment & ChallengesPart

/** Told by the poller that reads it. */
export const challengeChanged: RaisedKind = {
  kind: 'challenge.changed',
  nature: 'event',
  from: 'raised',
  raisedBy: 'app',
  docs: 'The `challengeStatus` or `l1OriginHash` of a bridge transaction changed from one value to another, or a first value is one that none had while many had others.',
  hasTransfer: false,
  subjectNames: ['chain'],
  facts: {
    field: 'string',
    before: 'string',
    after: 'string',
    mainTxHash: 'string',
    contract: 'string',
    height: 'int',
    isUnknown: 'bool',
    isRare: 'bool',
    wasTerminal: 'bool',
  },
  params: z.strictObject({}),
}

const params = z.strictObject({ after: boundText.default(10 * 86_400_000) })

/** Off while `bridge.challenge.terminal` names no value: then any value may be the last one. */
export const challengeStuck = defineCondition({
  kind: 'challenge.stuck',
  docs: 'The `challengeStatus` of a bridge transaction stayed the same, and not final, for too long.',
  cannotTell: 'it was not read since the bound passed',
  hasTransfer: false,
  subjectNames: ['chain'],
  facts: { status: 'string', mainTxHash: 'string', contract: 'string', height: 'int', limitMs: 'int' },
  params,
  judge: judgeStuck,
})

function judgeStuck(facts: Facts, { after }: z.output<typeof params>): Judgement {
  if (facts.challenges.terminal.length === 0) return { findings: [], unknown: [] }
  const findings: Finding[] = []
  const unknown: string[] = []
  for (const challenge of facts.challenges.listUnsettled(facts.now - after)) {
    if (challenge.readAt < challenge.since + after) unknown.push(challenge.hash)
    else findings.push(toStuck(challenge, after))
  }
  return { findings, unknown }
}

function toStuck(challenge: Challenge, after: number): Finding {
  const { hash, status, contract, height, readAt, since } = challenge
  return {
    kind: 'challenge.stuck',
    subject: hash,
    title: `main ${hash}, challengeStatus "${status}"`,
    transfer: null,
    facts: { status, mainTxHash: hash, contract, height, limitMs: after },
    labels: { chain: 'main' },
    evidence: [{ source: 'E6', at: readAt, says: `challengeStatus is still "${status}"` }],
    since,
  }
}
