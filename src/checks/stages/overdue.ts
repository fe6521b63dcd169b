import { z } from 'zod'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { Standing } from '../../kernel/stages.ts'
import { sayDuration, sayInstant } from '../../lib/sayTime.ts'
import { durationText } from '../../rules/durationText.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Said } from '../../rules/kind.ts'
import type { StagesPart } from './facts.ts'
import { listStanding, shownUntil } from './listStanding.ts'

type Facts = SharedFacts & StagesPart

const stages = ['left', 'proposed', 'challengeable', 'provable', 'proven', 'claimable'] as const

const params = z.strictObject({
  stage: z.enum(stages).optional(),
  /** How long before its end it is told already. */
  before: durationText.default(0),
  /** How long after it. */
  after: durationText.default(0),
})

const factTypes = declareFacts({ stage: 'string', sinceMs: 'int', untilMs: 'int', isOver: 'bool' })

/**
 * A withdrawal that is longer in a stage than the stage lasts: its proposal did not come, nobody proved it, or its claim
 * expires. Nothing is said while the logs that would show the next stage are not read so far.
 */
export const transferStageOverdue = defineCondition({
  kind: 'transfer.stage_overdue',
  docs: 'A withdrawal is still in a stage whose time is over, or is about to be.',
  remedy:
    'See who has to act: the proposer (`left`), the recipient (`provable`, `claimable`), or whoever disputes (`challengeable`).',
  words: { open: sayOverdue, many: 'are late in their stage' },
  sources: ['explorer'],
  ties: ['transfer', 'delay'],
  risksTransfer: true,
  needs: ['bridge.stages'],
  restsOn: ['source', 'chain'],
  joins: { of: 'transfer', rank: 6, saysAllAtOnce: true },
  endsWhenPaid: true,
  cannotTell: 'the logs that would show the next stage are not read so far',
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params,
  judge: judgeOverdue,
})

function sayOverdue({ what, finding: { facts }, now }: Said): string {
  const { stage, sinceMs, untilMs, isOver } = facts
  const since = `${String(stage)} since ${sayInstant(Number(sinceMs), now)}`
  return isOver === true
    ? `${what} has been ${since}, ${sayDuration(now - Number(untilMs))} longer than it may take`
    : `${what} has been ${since}, and expires in ${sayDuration(Number(untilMs) - now)}`
}

function judgeOverdue(
  facts: Facts,
  { stage, before, after }: z.output<typeof params>,
): JudgementOf<typeof factTypes> {
  const shown = shownUntil(facts)
  const late = listStanding(facts).filter(
    ({ standing }) =>
      (stage === undefined || standing.stage === stage) &&
      standing.until !== null &&
      facts.now >= standing.until - before + after,
  )
  // What is told ahead rests on what is shown now; what is over, on what is shown beyond its end.
  const isShown = ({ until }: Standing) =>
    shown !== null && until !== null && shown > Math.min(until, facts.now - lateMs)
  return {
    findings: late
      .filter(({ standing }) => isShown(standing))
      .map(({ transfer, standing }) => toFinding(transfer, standing, facts.now)),
    unknown: late.filter(({ standing }) => !isShown(standing)).map(({ transfer }) => transfer.key),
  }
}

/** Logs are read up to so long ago. */
const lateMs = 120_000

function toFinding(
  transfer: Transfer,
  { stage, since, until }: Standing,
  now: number,
): Found<typeof factTypes> {
  const untilMs = until ?? now
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: { stage, sinceMs: since, untilMs, isOver: now >= untilMs },
    labels: labelTransfer(transfer),
    evidence: [
      {
        source: 'E19',
        at: now,
        says: `${stage} since ${sayInstant(since, now)}, and no event of a later stage`,
      },
    ],
    since: Math.min(untilMs, now),
  }
}
