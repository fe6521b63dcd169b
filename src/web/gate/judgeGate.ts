import type { UnixMs } from '../../lib/clock.ts'
import type { Horizons } from '../../meaning/horizon.ts'
import {
  type GateFacts,
  type GateQuestion,
  gateQuestions,
  type GateReason,
  type TransferFacts,
} from './gateFacts.ts'
import { judgeMonitor, judgeName, judgeSources } from './judgeSight.ts'
import {
  judgeAsked,
  judgeFindings,
  judgeOrigin,
  judgeRecord,
  judgeShown,
  judgeStage,
  judgeUndoubted,
  judgeUnpaid,
} from './judgeTransfer.ts'

/** `clear`: every question was answered, and nothing speaks against paying. Whatever else comes is no reason to pay. */
export type GateLevel = 'clear' | 'wait' | 'suspect'

/** What became of one question: `yes` is in favour of paying. */
type GateAnswer = 'yes' | 'no' | 'unknown'

export interface JudgedTransfer {
  readonly of: TransferFacts
  readonly verdict: GateLevel
  readonly reasons: readonly GateReason[]
}

export interface JudgedGate {
  readonly verdict: GateLevel
  readonly questions: readonly { readonly question: GateQuestion; readonly answer: GateAnswer }[]
  /** What holds for all transfers of that name. */
  readonly reasons: readonly GateReason[]
  readonly transfers: readonly JudgedTransfer[]
  /** Up to when it would be known that it was paid; null where nothing is known of that. */
  readonly unpaidUntil: UnixMs | null
}

/** Whether a transfer may be paid: a pure function of what is known, in which what is not known never counts as good. */
export function judgeGate(facts: GateFacts): JudgedGate {
  const shared = [...judgeMonitor(facts), ...judgeSources(facts), ...judgeName(facts)]
  const transfers = (facts.transfers ?? []).map((of) => {
    const reasons = judgeOne(facts, of)
    return { of, verdict: levelOf([...shared, ...reasons]), reasons }
  })
  const all = [...shared, ...transfers.flatMap(({ reasons }) => reasons)]
  // Of a name that nothing bears no question about the transfer was answered.
  const isUnknown = transfers.length === 0
  return {
    verdict: levelOf(all),
    questions: gateQuestions.map((question) => ({
      question,
      answer: answerOf(all, question, isUnknown && !sharedQuestions.has(question)),
    })),
    reasons: shared,
    transfers,
    unpaidUntil: endOfSight(facts.reach.horizons),
  }
}

const sharedQuestions: ReadonlySet<GateQuestion> = new Set(['monitor', 'sources'])

function judgeOne(facts: GateFacts, of: TransferFacts): GateReason[] {
  return [
    ...judgeShown(facts, of),
    ...judgeRecord(facts, of),
    ...judgeOrigin(facts, of),
    ...judgeStage(facts, of),
    ...judgeAsked(facts, of),
    ...judgeUnpaid(facts, of),
    ...judgeUndoubted(facts, of),
    ...judgeFindings(facts, of),
  ]
}

function levelOf(reasons: readonly GateReason[]): GateLevel {
  if (reasons.some(({ level }) => level === 'suspect')) return 'suspect'
  return reasons.length > 0 ? 'wait' : 'clear'
}

function answerOf(all: readonly GateReason[], question: GateQuestion, isUnknown: boolean): GateAnswer {
  const level = levelOf(all.filter((reason) => reason.question === question))
  if (level === 'suspect') return 'no'
  return level === 'wait' || isUnknown ? 'unknown' : 'yes'
}

/** A payout shows on both chains and in the list: what the one that is farthest behind does not show yet is not known. */
function endOfSight({ main, zone, list }: Horizons): UnixMs | null {
  return main === null || zone === null || list === null ? null : Math.min(main, zone, list)
}
