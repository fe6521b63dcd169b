import { z } from 'zod'
import { parseDecimal } from '../../bridge/amount.ts'
import { destinationLeg, type Transfer } from '../../bridge/transfer.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { declareFacts, defineEvent, type Found, type Said } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'

const params = z.strictObject({
  share: z
    .number({ error: 'expected a share of the escrow, such as 0.1' })
    .gt(0, 'expected a share above 0')
    .max(1, 'expected a share of at most 1')
    .optional(),
})

const factTypes = declareFacts({
  firstTimeRecipient: 'bool',
  sharePercent: 'int|null',
  escrowBalance: 'string',
  joinedByAmount: 'string',
})

/**
 * An amount over a bound. In token units the bound is the rule's `where`; as a share of what the escrow holds it is
 * the parameter. A balance that is not known has no share: nothing is found by it.
 */
export const transferLarge = defineEvent({
  kind: 'transfer.large',
  docs: "An amount over the bound of the rule's `where`, or over a share of what the escrow holds.",
  remedy: 'Confirm that sender and recipient are expected for this amount.',
  words: { open: sayLarge, many: 'are unusually large' },
  sources: ['explorer'],
  ties: ['transfer'],
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params,
  detect: detectLarge,
})

/** Of a rule of one's own: it may ask for something else than a large amount. */
function sayLarge({ what, finding: { facts } }: Said): string {
  const { sharePercent } = facts
  return typeof sharePercent === 'number' && sharePercent > 0
    ? `${what} is ${sharePercent} % of what the escrow holds`
    : `${what} is one that a rule asks for`
}

function detectLarge(
  transfer: Transfer,
  { share }: z.output<typeof params>,
  context: EventContext,
): Found<typeof factTypes> | null {
  if (Math.max(transfer.originAt, transfer.destinationAt ?? 0) < context.tellSince) return null
  const balance = balanceBeside(transfer, context)
  const percent = shareOf(transfer, balance)
  if (share !== undefined && !exceeds(transfer, balance, share)) return null
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      firstTimeRecipient: transfer.targetAddress !== '' && context.related.isFirstTo(transfer),
      sharePercent: percent,
      escrowBalance: balance?.toString() ?? '',
      joinedByAmount: context.related.joinedByAmount(transfer)?.key ?? '',
    },
    labels: labelTransfer(transfer),
    evidence: [
      {
        source: 'E3',
        at: transfer.readAt,
        says: `the record gives ${groupDigits(transfer.amount ?? transfer.amountRaw?.toString() ?? 'no amount')}`,
      },
    ],
    since: destinationLeg(transfer)?.time ?? transfer.originAt,
  }
}

/** What a transfer is compared with: of a payout what was there before it, of a deposit what there is with it. Base units. */
function balanceBeside(
  { token, direction, main, originAt, amountRaw }: Transfer,
  { now, related }: EventContext,
): bigint | null {
  if (token.isUnknown) return null
  const newest = related.escrowBalance(token.address, now)
  if (direction === 'MainToZone' || newest === null) return newest
  // What was paid since the first start and before the first balance was read was there beside that.
  return related.escrowBalance(token.address, main?.time ?? originAt) ?? newest + (amountRaw ?? 0n)
}

function exceeds({ amountRaw, direction }: Transfer, balance: bigint | null, share: number): boolean {
  const ratio = parseDecimal(share.toString())
  if (amountRaw === null || balance === null || ratio === null) return false
  if (balance === 0n && direction === 'MainToZone') return false
  return amountRaw * 10n ** BigInt(ratio.scale) > balance * ratio.digits
}

/** In percent, rounded down; null when it is not known. */
function shareOf({ amountRaw, direction }: Transfer, balance: bigint | null): number | null {
  if (amountRaw === null || balance === null) return null
  if (balance === 0n) return direction === 'MainToZone' ? null : amountRaw === 0n ? 0 : 100
  const percent = (amountRaw * 100n) / balance
  return percent > 1_000_000n ? 1_000_000 : Number(percent)
}
