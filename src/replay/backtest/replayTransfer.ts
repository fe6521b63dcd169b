import type { Finding } from '../../bridge/finding.ts'
import { destinationLeg, type LegEvidence, originLeg, type Transfer } from '../../bridge/transfer.ts'
import type { Facts } from '../../checks/index.ts'
import { deriveTransfer, type TransferContext } from '../../ledger/deriving/deriveTransfer.ts'
import type { Group, Sighting } from '../../ledger/sightings/sighting.ts'
import { formatKey, type StoredTransfer } from '../../ledger/transfers/transferRows.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { evaluateConditions } from '../../rules/evaluateRules.ts'
import type { LoadedRule } from '../../rules/types.ts'

/** A transfer's past: what was known of it, step by step. */
export interface Past {
  readonly key: string
  readonly group: Group
  readonly evidence: readonly LegEvidence[]
  /** When something of it became known, rising. */
  readonly steps: readonly UnixMs[]
}

/** What is first seen later than this after its newest block was read afterwards, as history. */
const historyMs = 600_000

/** How much later a record that names no origin has to be read again before it is judged. */
const settleMs = 60_000

/** The time in which a transfer was on its way. */
interface Span {
  readonly transfer: Transfer
  readonly from: UnixMs
  /** Null: it still lasts. */
  readonly to: UnixMs | null
}

/** When a rule would have fired. */
interface Fired {
  readonly finding: Finding
  readonly firedAt: UnixMs
  /** Null: it would still fire. */
  readonly resolvedAt: UnixMs | null
}

const secondMs = 1_000

export function toPast(stored: StoredTransfer, evidence: readonly LegEvidence[]): Past {
  const { group } = stored
  const times = new Set([...group.members.map(({ firstAt }) => firstAt), ...evidence.map(firstSaidAt)])
  for (const { firstAt, lastAt } of group.members)
    if (lastAt >= firstAt + settleMs) times.add(firstAt + settleMs)
  const first = Math.min(...group.members.map(({ firstAt }) => firstAt))
  // What a second source said of a leg before its record was read came with it.
  const known = [...times].filter((at) => at >= first).sort((a, b) => a - b)
  // What is asked at one tick is judged together.
  const steps = known.filter((at, index) => index === 0 || (known[index + 1] ?? Infinity) - at > secondMs)
  return { key: formatKey(stored.key), group, evidence, steps }
}

/** Of a leg that was asked about again and again, when the answer that stands came first. */
export function firstSaidAt({ at, since = at }: LegEvidence): UnixMs {
  return since
}

/** The transfer as it was known at a time; null before it was. */
export function deriveAt(
  past: Past,
  at: UnixMs,
  { tokens, learned }: Pick<TransferContext, 'tokens' | 'learned'>,
): Transfer | null {
  const members = past.group.members.filter(({ firstAt }) => firstAt <= at).map((one) => readUntil(one, at))
  if (members.length === 0) return null
  const evidence = past.evidence
    .filter((one) => firstSaidAt(one) <= at)
    .map((one) => ({ ...one, at: Math.min(one.at, at) }))
  const ambiguous = past.group.ambiguous.filter(({ firstAt }) => firstAt <= at)
  return deriveTransfer({ members, ambiguous }, { key: past.key, evidence, tokens, learned })
}

function readUntil(sighting: Sighting, at: UnixMs): Sighting {
  return sighting.lastAt <= at ? sighting : { ...sighting, lastAt: at }
}

/**
 * When a step is to be counted: history that was read afterwards counts when it happened, as if it had been watched.
 */
export function momentOf(transfer: Transfer, at: UnixMs): UnixMs {
  const happenedAt = Math.max(transfer.originAt, transfer.destinationAt ?? 0)
  return at - happenedAt > historyMs && destinationLeg(transfer) !== null && at === transfer.firstSeenAt
    ? happenedAt
    : at
}

/** The time in which it was on its way, as far as known; null when it was never seen to be. `to` null: it still is. */
export function pendingSpan(
  transfers: readonly { readonly at: UnixMs; readonly transfer: Transfer }[],
): Span | null {
  const first = transfers.find(({ transfer }) => isOpen(transfer))
  if (!first) return pastSpan(transfers[0])
  const last = transfers.findLast(({ transfer }) => isOpen(transfer)) ?? first
  const end = transfers.find(({ at, transfer }) => at > last.at && !isOpen(transfer))
  return { transfer: last.transfer, from: first.transfer.originAt, to: end?.at ?? null }
}

/** History that was whole when it was read: on its way between its blocks. */
function pastSpan(first: { readonly at: UnixMs; readonly transfer: Transfer } | undefined) {
  if (!first || first.transfer.state !== 'completed') return null
  const { transfer, at } = first
  const { destinationAt, originAt } = transfer
  if (destinationAt === null || originLeg(transfer) === null || momentOf(transfer, at) === at) return null
  const open: Transfer = {
    ...transfer,
    state: 'pending',
    destinationAt: null,
    ...(transfer.direction === 'MainToZone' ? { zone: null } : { main: null }),
  }
  return { transfer: open, from: originAt, to: destinationAt }
}

function isOpen(transfer: Transfer): boolean {
  return transfer.state === 'pending' && destinationLeg(transfer) === null
}

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
