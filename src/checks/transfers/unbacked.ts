import { onlyCertain } from '../../meaning/habit.ts'
import { z } from 'zod'
import { tellUnasked } from '../../meaning/describeEvidence.ts'
import { doubtOrigin } from '../../meaning/doubtOrigin.ts'
import { saySources } from '../../bridge/agreement.ts'
import type { EvidenceNote, Finding } from '../../bridge/finding.ts'
import { hasArrived, mayHaveFailed } from '../../meaning/mayHaveFailed.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { waitsFor } from '../../meaning/standing.ts'
import {
  destinationLeg,
  type Leg,
  type LegEvidence,
  originLeg,
  type Transfer,
} from '../../bridge/transfer.ts'
import { cleanText } from '../../lib/text.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { declareFacts, defineEvent, type Found } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'

/** A record may be listed so much later than its block, where nothing longer was learned. */
const defaultSettleMs = 60_000
/** So many readings of an origin without a status are seven minutes apart. */
const unconfirmedReads = 4
/** Nothing waits longer than this for lists that lag. */
const capMs = 90_000

const factTypes = declareFacts({
  reason: ['absent', 'failed', 'unconfirmed', 'unnamed', 'unlisted', 'other', 'doubtful'],
  leg: 'string',
  action: 'string',
  asked: 'string',
  reads: 'int|null',
  listLags: 'bool?',
  fewSamples: 'bool',
})

/**
 * Value that arrived without proof that it left. The origin is looked for by the rules of absence before this is said;
 * a record that names no origin was read again after the time that records take; a payout without a record was looked
 * for in the list.
 */
export const transferUnbacked = defineEvent({
  kind: 'transfer.unbacked',
  docs: 'Value arrived and nothing proves that it left: the origin is not there, failed, never shows whether it succeeded, is not named or is no withdrawal, or there is no record.',
  remedy:
    'Treat as theft until proven otherwise: pause withdrawals, then look for the origin transaction by hand.',
  words: {
    open: 'arrived without proof that it left',
    many: 'arrived without proof that they left',
    corrected: (finding) => (isProvenSince(finding) ? 'its origin is proven by now' : null),
  },
  sources: ['explorer'],
  ties: ['transfer', 'escrow', 'party'],
  joins: { of: 'transfer', rank: 2, loses: 'all' },
  stands: (finding) => !isProvenSince(finding),
  accuses: ({ reason }) => reason !== 'doubtful' && reason !== 'unconfirmed',
  readsActions: ({ reason }) => reason === 'other' || reason === 'doubtful',
  // A record that names an origin now proves nothing: only the origin itself takes back what was sent.
  material: (_finding, transfer) => ({
    isProven: transfer.originProof === 'proven',
    hasArrived: destinationLeg(transfer) !== null,
  }),
  looksAt: ['evidence'],
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  detect: detectUnbacked,
})

/** Of an origin that was there from the first, and is no withdrawal, that it is there takes nothing back. */
function isProvenSince({ transfer, facts: { reason } }: Pick<Finding, 'transfer' | 'facts'>): boolean {
  return transfer?.originProof === 'proven' && reason !== 'other' && reason !== 'doubtful'
}

/** Why nothing stands behind a transfer, and the answers that say so. */
interface Ground {
  readonly reason: 'absent' | 'failed' | 'unconfirmed' | 'unnamed' | 'unlisted' | 'other' | 'doubtful'
  /** What kind of action the origin is, where that is the reason. */
  readonly action?: string
  readonly evidence: readonly EvidenceNote[]
  readonly reads: number | null
  /** Whether fewer samples than accuse say what such an origin is. */
  readonly fewSamples?: boolean
}

function detectUnbacked(
  transfer: Transfer,
  _params: unknown,
  context: EventContext,
): Found<typeof factTypes> | null {
  const destination = destinationLeg(transfer)
  if (destination === null) return null
  const arrivedAt = Math.min(destination.time ?? transfer.firstSeenAt, transfer.firstSeenAt)
  if (arrivedAt < context.tellSince) return null
  if (transfer.status === 'failed' && !hasArrived(transfer, destination)) return null
  if (transfer.originProof === 'failed' && mayHaveFailed(transfer, destination)) return null
  const ground = findGround(transfer, destination, arrivedAt, context)
  if (ground === null) return null
  const origin = originLeg(transfer)
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      reason: ground.reason,
      leg: origin === null ? 'not named' : `${origin.chain} ${origin.hash}`,
      action: ground.action ?? '',
      asked: [...new Set(ground.evidence.map(({ source }) => source))].join(', '),
      reads: ground.reads,
      fewSamples: ground.fewSamples ?? false,
      ...(!hasPassed(arrivedAt, context) && { listLags: true }),
    },
    labels: labelTransfer(transfer),
    evidence: ground.evidence,
    since: arrivedAt,
  }
}

function findGround(
  transfer: Transfer,
  destination: Leg,
  arrivedAt: number,
  context: EventContext,
): Ground | null {
  const origin = originLeg(transfer)
  if (origin !== null) return groundOfOrigin(transfer, origin) ?? groundOfKind(transfer, origin, context)
  if (isWaiting(transfer, context)) return null
  if (transfer.unsaid?.includes(destination.chain === 'main' ? 'zoneHash' : 'mainHash')) return null
  const mayTell = hasPassed(arrivedAt, context) || context.now - transfer.firstSeenAt >= capMs
  if (!mayTell) return null
  if (!transfer.isListed) return groundOfUnlisted(transfer, destination)
  const settleMs = Math.min(context.settleMs ?? defaultSettleMs, capMs)
  if (transfer.readAt < arrivedAt + settleMs) return null
  const says = `the record names no ${destination.chain === 'main' ? 'zone' : 'main'} transaction`
  const source = destination.chain === 'zone' ? 'E12' : 'E3'
  return { reason: 'unnamed', evidence: [{ source, at: transfer.readAt, says }], reads: null }
}

/** It names an origin that is proven, or cannot be shown yet; or it may be the payout of the one transfer that it fits. */
function isWaiting(transfer: Transfer, { horizons, related, now }: EventContext): boolean {
  if (horizons === undefined) return false
  const { claim } = transfer
  const sharing = claim === undefined ? [] : related.allSharing('zone', claim.hash)
  return waitsFor(transfer, { sharing, partner: related.joinedByAmount(transfer), horizons, now }) !== null
}

function groundOfOrigin(transfer: Transfer, origin: Leg): Ground | null {
  const { originProof } = transfer
  if (originProof === 'unverified') return groundOfUnconfirmed(transfer, origin)
  if (originProof !== 'absent' && originProof !== 'failed') return null
  const against = evidenceOf(transfer, origin).filter((one) => one.status === originProof)
  const says = originProof === 'failed' ? 'has status 0x0' : 'is not known'
  return {
    reason: originProof,
    evidence: against.map((by) => ({
      source: by.source,
      at: by.at,
      says: `the ${origin.chain} transaction ${says}${tellUnasked(by)}${saySources(by.agreement)}`,
    })),
    reads: against.find((one) => one.reads !== undefined)?.reads ?? null,
  }
}

/** An origin that is there and does not say that it succeeded, however often it is asked, while others do. */
function groundOfUnconfirmed(transfer: Transfer, origin: Leg): Ground | null {
  const by = evidenceOf(transfer, origin).find(
    (one) => one.status === 'unknown' && (one.reads ?? 0) >= unconfirmedReads,
  )
  if (by === undefined) return null
  const says = `the ${origin.chain} transaction does not show whether it succeeded, and others do`
  return {
    reason: 'unconfirmed',
    evidence: [{ source: by.source, at: by.at, says }],
    reads: by.reads ?? null,
  }
}

/** An origin that is there, and is not what a payout comes from. */
function groundOfKind(transfer: Transfer, origin: Leg, context: EventContext): Ground | null {
  const { learned, bridge, related } = context
  if (!learned || transfer.originProof !== 'proven') return null
  const sharing = related.allSharing(origin.chain, origin.hash)
  const money = toMoneySettings(bridge, learned, related)
  const doubt = (by: typeof learned) => doubtOrigin(transfer, sharing, { ...money, learned: by })
  const likely = doubt(learned)
  if (likely === null) return null
  const { kind, what, says, by } = likely
  const note = {
    source: by.source,
    at: by.at,
    says: `the zone transaction is "${cleanText(kind, 40)}" and ${says}`,
  }
  return {
    reason: what === 'new' ? 'doubtful' : 'other',
    action: cleanText(kind, 40),
    evidence: [note],
    reads: null,
    fewSamples: what === 'other' && doubt(onlyCertain(learned))?.what !== 'other',
  }
}

function groundOfUnlisted(transfer: Transfer, destination: Leg): Ground | null {
  if (destination.chain === 'zone') {
    // That it has no record was proven before its transfer was opened.
    const says = 'no record tells of this credit in the zone transaction'
    return { reason: 'unlisted', evidence: [{ source: 'E12', at: transfer.readAt, says }], reads: 3 }
  }
  const looked = evidenceOf(transfer, destination).find(
    (one) => one.source === 'E3' && one.status === 'absent',
  )
  if (!looked) return null
  const says = `no record tells of this payout in the ${destination.chain} transaction${saySources(looked.agreement)}`
  return {
    reason: 'unlisted',
    evidence: [{ source: 'E3', at: looked.at, says }],
    reads: looked.reads ?? null,
  }
}

function hasPassed(time: number, { watermark }: EventContext): boolean {
  return watermark === undefined || (watermark !== null && watermark >= time)
}

function evidenceOf(transfer: Transfer, leg: Leg): LegEvidence[] {
  return transfer.evidence.filter((one) => one.chain === leg.chain && one.hash === leg.hash)
}
