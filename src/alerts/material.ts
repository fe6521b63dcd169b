import { createHash } from 'node:crypto'
import type { EventKind, EvidenceNote, Finding } from '../bridge/finding.ts'
import { destinationLeg, type Transfer } from '../bridge/transfer.ts'

/** What an event says that a reader acts on: when it changes, what was told is corrected. */
interface Material {
  readonly amount: string
  readonly token: string
  /** What else the kind is about. */
  readonly own: object
}

/** Events that stand on a comparison: where it finds no difference any more, what was told is over. */
const comparisons: ReadonlySet<Finding['kind']> = new Set<EventKind>([
  'transfer.mismatch',
  'transfer.duplicate',
  'transfer.out_of_order',
  'batch.mismatch',
  'batch.unresolved',
  'source.disagreement',
])

/** Digest of what an event says that a reader acts on. */
export function digestMaterial(finding: Finding): string {
  const facts = finding.transfer ? materialOf(finding, finding.transfer) : recurrenceOf(finding)
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16)
}

/** Whether the newer finding only fills in what the older one did not know. */
export function isOnlyFilledIn(older: Finding, newer: Finding): boolean {
  if (!older.transfer || !newer.transfer) return false
  const [before, after] = [materialOf(older, older.transfer), materialOf(newer, newer.transfer)]
  const isFilled = (name: 'amount' | 'token') => before[name] === '' || before[name] === after[name]
  return isFilled('amount') && isFilled('token') && JSON.stringify(before.own) === JSON.stringify(after.own)
}

/**
 * Whether a digest is news after those that were told, newest last. What was corrected may turn out to hold after all,
 * and that is told once; a source that goes on changing its mind is not followed.
 */
export function isNews(told: readonly string[], digest: string): boolean {
  return told.at(-1) !== digest && told.filter((one) => one === digest).length < 2
}

/**
 * A told event, as it stands with the transfer as it is now.
 * @param isFound whether its rule still finds it; null when that could not be judged
 */
export function reconsider(told: Finding, transfer: Transfer, isFound: boolean | null): Finding {
  const { isOver: wasOver, ...finding } = told
  const isOver = comparisons.has(told.kind) && (isFound === null ? wasOver === true : !isFound)
  if (!isOver) return { ...finding, transfer }
  return {
    ...finding,
    transfer,
    evidence: wasOver ? told.evidence : [...told.evidence.slice(0, 6), ...noteNewest(transfer)],
    isOver,
  }
}

function noteNewest({ evidence }: Transfer): EvidenceNote[] {
  const newest = evidence.toSorted((a, b) => b.at - a.at)[0]
  if (!newest) return []
  return [{ source: newest.source, at: newest.at, says: 'nothing speaks against it any more' }]
}

function materialOf(finding: Finding, transfer: Transfer): Material {
  return {
    amount: transfer.amountRaw?.toString() ?? '',
    token: transfer.token.address,
    own: { ...(finding.isOver && { isOver: true }), ...ownOf(finding, transfer) },
  }
}

function ownOf({ kind, since }: Finding, transfer: Transfer): object {
  if (kind === 'transfer.failed') return { isFailed: transfer.state === 'failed' }
  // A record that names an origin now proves nothing: only the origin itself takes back what was told.
  if (kind === 'transfer.unbacked')
    return { isProven: transfer.originProof === 'proven', hasArrived: destinationLeg(transfer) !== null }
  if (kind === 'transfer.rewritten') return { after: transfer.rewrites.at(-1)?.after ?? {} }
  // A record that was gone and is shown again; what is merely gone keeps its digest.
  if (kind === 'transfer.vanished') return { isBack: transfer.readAt > since }
  return {}
}

/** A token stays the same news in whichever transfer it comes again. */
const oncePerSubject: ReadonlySet<Finding['kind']> = new Set([
  'transfer.unknown_token',
  'escrow.foreign_token',
])

function recurrenceOf({ kind, since, isOver }: Finding): object {
  return oncePerSubject.has(kind) ? {} : { since, ...(isOver && { isOver }) }
}
