import type { LegEvidence, Transfer } from '../bridge/transfer.ts'
import { isJudgedByTimes } from '../meaning/compareAnswers.ts'
import type { TransferChange } from '../ledger/recordAnswer.ts'

/** The last word on each transfer that is other than it was; being read again alone is no change. */
export function listChanged(changes: readonly TransferChange[]): Transfer[] {
  const changed = new Map<string, Transfer>()
  for (const { before, after } of changes) {
    if (changed.has(after.key) || before === null || isOther(before, after)) changed.set(after.key, after)
  }
  return [...changed.values()]
}

function isOther(before: Transfer, after: Transfer): boolean {
  return (
    before.changedAt !== after.changedAt ||
    before.state !== after.state ||
    before.confirmedStatus !== after.confirmedStatus ||
    before.rewrites.length !== after.rewrites.length ||
    before.evidence.length !== after.evidence.length ||
    before.evidence.some((evidence, index) => isOtherEvidence(evidence, after.evidence[index])) ||
    (isJudgedByTimes(after) &&
      before.evidence.some((evidence, index) => evidence.at !== after.evidence[index]?.at))
  )
}

function isOtherEvidence(before: LegEvidence, after: LegEvidence | undefined): boolean {
  if (before.status !== after?.status || before.amountRaw !== after.amountRaw) return true
  // How often nothing was said is all that is said.
  if (after.status === 'unknown' && before.reads !== after.reads) return true
  if (before.action !== after.action || before.earlier?.length !== after.earlier?.length) return true
  const text = (moves: LegEvidence['moves']) =>
    (moves ?? []).map((move) => Object.values(move).join('|')).join()
  return text(before.moves) !== text(after.moves)
}
