import { createHash } from 'node:crypto'
import type { EvidenceNote, Finding } from '../bridge/finding.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { Detector } from '../rules/kind.ts'
import { texts } from '../store/table.ts'

/** What an event says that a reader acts on: when it changes, a correction is sent. */
interface Material {
  readonly amount: string
  readonly token: string
  /** What else the kind is about. */
  readonly own: object
}

/** Digest of what an event says that a reader acts on. */
export function digestMaterial(kind: Detector | null, finding: Finding): string {
  const facts = finding.transfer ? materialOf(kind, finding, finding.transfer) : recurrenceOf(kind, finding)
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16)
}

/** Whether the newer finding only fills in what the older one did not know. */
export function isOnlyFilledIn(kind: Detector | null, older: Finding, newer: Finding): boolean {
  if (!older.transfer || !newer.transfer) return false
  const [before, after] = [materialOf(kind, older, older.transfer), materialOf(kind, newer, newer.transfer)]
  const isFilled = (name: 'amount' | 'token') => before[name] === '' || before[name] === after[name]
  return isFilled('amount') && isFilled('token') && JSON.stringify(before.own) === JSON.stringify(after.own)
}

/** Digests of what was sent, oldest first; none where they cannot be read any more: then what is found is sent once more. */
export function readMaterial(text: string): readonly string[] {
  return texts.read(text) ?? []
}

/**
 * What was sent of an event, in the digests of this version: another one may have compared more of it, or less, and what it
 * kept is then no longer the digest of the finding that it kept. Of a comparison the first finding of this version counts
 * as sent, unless it differs in what every version compares; `putIntoCase` has more money told.
 */
export function toPresentForm(
  kind: Detector | null,
  told: readonly string[],
  { kept, found }: { readonly kept: Finding; readonly found: Finding },
): readonly string[] {
  if (told.length === 0 || kept.transfer === null || found.transfer === null) return told
  const known = digestMaterial(kind, kept)
  if (told.at(-1) === known) return told
  const isSame = kind?.isComparison === true && isAlike(kept, found)
  return [...told.slice(0, -1), isSame ? digestMaterial(kind, found) : known]
}

function isAlike(one: Finding, other: Finding): boolean {
  return digestMaterial(null, one) === digestMaterial(null, other)
}

const settleMs = 300_000
export const longestSettleMs = 3_600_000

/**
 * How long a digest has to wait before it is sent after those that were, newest last; null for what was sent last. What
 * was corrected may turn out to hold after all, and that is sent at once. A source that goes on changing its answer is
 * followed more and more slowly: what was sent before has to stand so long, so that what holds in the end is the last
 * thing that is said; what is new waits so long after what was sent last, and no longer, or it could be kept back for ever.
 */
export function settlingOf(told: readonly string[], digest: string): number | null {
  if (told.at(-1) === digest) return null
  const times = Math.floor(told.length / 2)
  return times < 2 ? 0 : Math.min(settleMs * 2 ** (times - 2), longestSettleMs)
}

/**
 * An event that was sent, with its transfer as it is now.
 * @param isFound whether its rule still finds it; null when that could not be judged
 */
export function reconsider(
  kind: Detector | null,
  told: Finding,
  { transfer, isFound }: { readonly transfer: Transfer; readonly isFound: boolean | null },
): Finding {
  const { isOver: wasOver, ...finding } = told
  const isOver = kind?.isComparison === true && (isFound === null ? wasOver === true : !isFound)
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

function materialOf(kind: Detector | null, finding: Finding, transfer: Transfer): Material {
  return {
    amount: transfer.amountRaw?.toString() ?? '',
    token: transfer.token.address,
    // Of what is over nobody acts on what it said.
    own: finding.isOver ? { isOver: true } : (kind?.material?.(finding, transfer) ?? {}),
  }
}

function recurrenceOf(kind: Detector | null, { since, isOver }: Finding): object {
  return kind?.isOncePerSubject ? {} : { since, ...(isOver && { isOver }) }
}
