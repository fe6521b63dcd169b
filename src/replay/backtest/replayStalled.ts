import type { Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Finding } from '../../bridge/finding.ts'
import { evaluateConditions } from '../../rules/evaluateRules.ts'
import type { LoadedRule } from '../../rules/types.ts'
import type { Facts } from '../../checks/facts.ts'

export interface Span {
  readonly transfer: Transfer
  readonly from: UnixMs
  /** Null: it still lasts. */
  readonly to: UnixMs | null
}

export interface Fired {
  readonly finding: Finding
  readonly firedAt: UnixMs
  /** Null: it would still fire. */
  readonly resolvedAt: UnixMs | null
}

const secondMs = 1_000

/**
 * When a rule on stalled transfers would have fired for one that was on its way for a time, and have ended: to the
 * second, by the detector itself. What is stalled once stays so until it arrives, so that the first moment can be
 * sought by halving.
 */
export function replayStalled(
  rule: LoadedRule,
  span: Span,
  of: { readonly facts: Facts; readonly until: UnixMs },
): Fired | null {
  const end = Math.min(span.to === null ? of.until : span.to - 1, of.until)
  const judge = (at: UnixMs) => findAt(rule, span.transfer, of.facts, at)
  if (end <= span.from || judge(end) === null) return null
  let low = span.from
  let high = end
  while (high - low > secondMs) {
    const middle = Math.floor((low + high) / 2)
    if (judge(middle) === null) low = middle
    else high = middle
  }
  const trueAt = judge(low) === null ? high : low
  const firedAt = trueAt + rule.forMs
  if (firedAt > end) return null
  const finding = judge(firedAt)
  if (finding === null) return null
  const resolvedAt = span.to === null ? null : span.to + rule.keepFiringForMs
  return { finding, firedAt, resolvedAt: resolvedAt !== null && resolvedAt < of.until ? resolvedAt : null }
}

function findAt(rule: LoadedRule, transfer: Transfer, facts: Facts, now: UnixMs): Finding | null {
  // It was read again all the while: that the explorer could not be asked is not in the ledger.
  const read = { ...transfer, readAt: now }
  const then: Facts = { ...facts, now, listPending: () => [read] }
  const [judged] = evaluateConditions([rule], then)
  return judged?.judgement.findings[0] ?? null
}
