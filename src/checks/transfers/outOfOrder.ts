import { z } from 'zod'
import { destinationLeg, originLeg, type Transfer } from '../../bridge/transfer.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { sayDuration } from '../../lib/sayTime.ts'
import { declareFacts, defineEvent, type Found } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'

/** Two chains' clocks, and block times in whole seconds: this much proves nothing. */
const allowanceMs = 2_000

const factTypes = declareFacts({ beforeOriginMs: 'int', aheadMs: 'int' })

export const transferOutOfOrder = defineEvent({
  kind: 'transfer.out_of_order',
  docs: 'The destination leg is older than the origin leg, or a block time lies in the future; two seconds are allowed.',
  remedy: 'Check the two block times; what arrived before its origin is a forged or a wrongly joined record.',
  words: {
    open: 'its times are out of order',
    many: 'have times out of order',
    over: 'its times are in order by now',
  },
  sources: ['explorer'],
  ties: ['transfer'],
  risksTransfer: true,
  isComparison: true,
  // How far ahead a time is changes by itself.
  material: ({ facts }) => ({ isBefore: facts['beforeOriginMs'] !== 0 }),
  looksAt: ['outOfOrder'],
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  detect: detectOutOfOrder,
})

function detectOutOfOrder(
  transfer: Transfer,
  _params: unknown,
  context: EventContext,
): Found<typeof factTypes> | null {
  const originTime = originLeg(transfer)?.time ?? null
  const destinationTime = destinationLeg(transfer)?.time ?? null
  const beforeMs = originTime !== null && destinationTime !== null ? originTime - destinationTime : 0
  const isBefore = beforeMs > allowanceMs && !wasInOrder(transfer, context)
  const lastTime = Math.max(originTime ?? 0, destinationTime ?? 0)
  // Judged as soon as the answer is there: measured from the request, a slow answer would come from the future. Only a
  // clock that was set back since makes the request the later of the two.
  const aheadMs = lastTime - Math.max(context.now, transfer.readAt)
  const isAhead = aheadMs > allowanceMs + context.clockAheadMs
  if (!isBefore && !isAhead) return null
  if (lastTime < context.tellSince) return null
  const says = isBefore
    ? `the destination leg is ${sayDuration(beforeMs)} older than the origin leg`
    : `a block time lay ${sayDuration(aheadMs)} in the future when it was read`
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: { beforeOriginMs: isBefore ? beforeMs : 0, aheadMs: isAhead ? aheadMs : 0 },
    labels: labelTransfer(transfer),
    evidence: [{ source: 'E3', at: transfer.readAt, says }],
    since: Math.min(destinationTime ?? transfer.firstSeenAt, transfer.firstSeenAt),
  }
}

/**
 * A deposit may be credited from its preconfirmation, and a reorganisation move it behind its credit: what its records
 * said of the same transaction before that was in order. A withdrawal is not paid before it is final.
 */
function wasInOrder(transfer: Transfer, { related }: EventContext): boolean {
  const { direction, originProof } = transfer
  if (direction !== 'MainToZone' || originProof === 'absent' || originProof === 'failed') return false
  const firstAt = related.firstOriginTime(transfer)
  const creditedAt = destinationLeg(transfer)?.time ?? null
  return firstAt !== null && creditedAt !== null && firstAt - creditedAt <= allowanceMs
}
