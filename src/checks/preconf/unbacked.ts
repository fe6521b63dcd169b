import { z } from 'zod'
import type { EvidenceNote, Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { defineRaised } from '../../rules/kind.ts'

/** Why nothing that was shown by then explains a payout. */
const reasons = {
  unnamed: 'it names no origin',
  absent: 'the zone does not show the origin that it names',
  failed: 'the origin that it names failed',
  paid: 'the origin that it names brings less, or was paid before',
} as const

export type Reason = keyof typeof reasons

/** Found while its block is being made (judgePayouts.ts), and settled when it is known what became of it. */
export const preconfUnbacked = defineRaised({
  kind: 'preconf.unbacked',
  docs: 'A transaction that is preconfirmed pays out of an escrow, and nothing that was shown by then explains it, by one reading.',
  remedy:
    'Look at the transaction now: if nobody knows of it, pause withdrawals; proof or a correction follows within minutes.',
  words: { over: 'no longer suspect' },
  sources: ['preconf', 'explorer'],
  ties: ['transaction', 'escrow', 'party'],
  joins: { of: 'escrow', missing: 'amount', isMovement: true, isUnproven: true },
  needs: ['preconf'],
  hasTransfer: false,
  subjectNames: ['escrow'],
  facts: {
    reason: [reasons.unnamed, reasons.absent, reasons.failed, reasons.paid],
    direction: ['out'],
    amount: 'string',
    token: 'string',
    party: 'string',
    mainTxHash: 'string',
    height: 'int',
    origin: 'string',
    sharePercent: 'int|null',
    aboveBound: 'bool',
    sum: 'string',
  },
  params: z.strictObject({}),
  nature: 'event',
  raisedBy: 'app',
})

/** A payout of a preconfirmed transaction that fits nothing. */
export interface UnbackedPayout {
  readonly hash: string
  readonly height: number
  readonly seenAt: UnixMs
  readonly escrow: string
  /** As movements of the main chain name it. */
  readonly token: string
  readonly tokenId: string
  readonly symbol: string
  /** Token units where its decimals are known, else base units. */
  readonly amount: string
  /** Who got the most of it. */
  readonly party: string
  readonly reason: Reason
  /** What the bridge's event names as origin; '' where it names none. */
  readonly origin: string
  /** What share of what the escrows held it is; null where that is not known. */
  readonly share: number | null
  readonly aboveBound: boolean
  /** Who else was asked. */
  readonly asked: readonly EvidenceNote[]
}

export function toUnbacked(of: UnbackedPayout): Finding {
  const { hash, height, escrow, token, tokenId, symbol, amount, party, reason, origin } = of
  return preconfUnbacked.raise({
    subject: `${hash}:${token || 'native'}:${tokenId}`,
    title: `${groupDigits(amount)} ${symbol} out of escrow ${escrow}, in transaction ${hash}`,
    transfer: null,
    facts: {
      reason: reasons[reason],
      direction: 'out',
      amount,
      token: symbol,
      party,
      mainTxHash: hash,
      height,
      origin,
      sharePercent: of.share === null ? null : Math.round(of.share * 1e4) / 100,
      aboveBound: of.aboveBound,
      sum: '',
    },
    labels: { chain: 'main', source: 'preconf', escrow, token, symbol },
    evidence: [
      {
        source: 'preconf',
        at: of.seenAt,
        says: `preconfirmed for block ${height}: ${groupDigits(amount)} ${symbol} leave the escrow for ${party}`,
      },
      ...of.asked,
    ],
    since: of.seenAt,
  })
}
