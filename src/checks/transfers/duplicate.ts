import { z } from 'zod'
import { formatUnits } from '../../bridge/amount.ts'
import { findEarlierPayout, findOverpayment, type Overpayment } from '../../meaning/findOverpayment.ts'
import { provenBy } from '../../meaning/proveOrigin.ts'
import { findStanding } from '../../meaning/replacedPayout.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { destinationLeg, originLeg, type Transfer } from '../../bridge/transfer.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { declareFacts, defineEvent, type Found } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'

const factTypes = declareFacts({
  owed: 'string',
  owedBy: 'string',
  paid: 'string',
  payouts: 'int',
  otherHashes: 'string',
})

/** One origin paid more than once: raised for each payout that goes beyond what the origin took. */
export const transferDuplicate = defineEvent({
  kind: 'transfer.duplicate',
  docs: 'One origin was paid more than once: payouts proven on chain exceed what the origin took.',
  remedy:
    'Compare the payout transactions; if both stand on chain, pause withdrawals and trace the recipient.',
  words: {
    open: 'paid more than once',
    many: 'were paid more than once',
    over: 'it is not paid more than once any more',
  },
  sources: ['explorer'],
  ties: ['transfer', 'escrow', 'party'],
  joins: { of: 'transfer', rank: 1, loses: 'all' },
  isComparison: true,
  // What other records name has alerts of its own; which of its payouts this one names at present is no news.
  material: (_finding, transfer) => ({
    payouts: [destinationLeg(transfer), ...(transfer.replaced ?? [])]
      .flatMap((one) => one?.hash ?? [])
      .toSorted(),
  }),
  accuses: () => true,
  looksAt: ['evidence'],
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  detect: detectDuplicate,
})

function detectDuplicate(
  transfer: Transfer,
  _params: unknown,
  context: EventContext,
): Found<typeof factTypes> | null {
  return detectSurplus(transfer, context) ?? detectReplaced(transfer) ?? detectEarlier(transfer, context)
}

function detectSurplus(transfer: Transfer, context: EventContext): Found<typeof factTypes> | null {
  const origin = originLeg(transfer)
  const destination = destinationLeg(transfer)
  if (origin === null || destination === null) return null
  // What was over before anything was to be reported is history.
  if ((destination.time ?? transfer.firstSeenAt) < context.tellSince) return null
  const { bridge, learned = null, now, related } = context
  const settings = { ...toMoneySettings(bridge, learned, related), learned, now }
  const found = findOverpayment(transfer, related.ofOrigin(transfer), settings)
  if (!found?.surplus.some(({ key }) => key === transfer.key)) return null
  return toFinding(transfer, found)
}

/** Of the payouts of one origin so many are named, and the others counted. */
const mostNamed = 20

function toFinding(
  transfer: Transfer,
  { owed, owedBy, paid, payouts }: Overpayment,
): Found<typeof factTypes> {
  const inUnits = (raw: bigint) =>
    transfer.token.decimals === null ? raw.toString() : formatUnits(raw, transfer.token.decimals)
  const named = payouts.filter(({ key }, at) => at < mostNamed || key === transfer.key)
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      owed: inUnits(owed),
      owedBy,
      paid: inUnits(paid),
      payouts: payouts.length,
      otherHashes: nameOthers(transfer, named, payouts.length - named.length),
    },
    labels: labelTransfer(transfer),
    evidence: named.flatMap(notePayout),
    since: destinationLeg(transfer)?.time ?? transfer.firstSeenAt,
  }
}

function nameOthers(transfer: Transfer, named: readonly Transfer[], unnamed: number): string {
  const own = destinationLeg(transfer)?.hash
  const hashes = named.flatMap((one) => destinationLeg(one)?.hash ?? []).filter((hash) => hash !== own)
  return [...new Set(hashes), ...(unnamed > 0 ? [`and ${unnamed} more`] : [])].join(', ')
}

function notePayout(payout: Transfer) {
  const leg = destinationLeg(payout)
  const proof = leg && provenBy(payout, leg.chain, leg.hash)
  return leg && proof
    ? [{ source: proof.source, at: proof.at, says: `${leg.hash} is on the ${leg.chain} chain` }]
    : []
}

/** A payout of what was paid before the ledger begins: only the chain shows the first one. */
function detectEarlier(transfer: Transfer, { tellSince }: EventContext): Found<typeof factTypes> | null {
  const paid = findEarlierPayout(transfer)
  const arrivedAt = destinationLeg(transfer)?.time ?? transfer.firstSeenAt
  if (paid === null || arrivedAt < tellSince) return null
  const says = `the main transaction ${paid.hash} names this origin, and paid the same to the same recipient before`
  return {
    ...toTwoPayouts(transfer, paid.hash),
    evidence: [{ source: 'E19, E21', at: paid.at, says }],
    since: arrivedAt,
  }
}

/** A record that names another payout now, while one that it named before is still on chain. */
function detectReplaced(transfer: Transfer): Found<typeof factTypes> | null {
  const old = findStanding(transfer)
  if (!old) return null
  return {
    ...toTwoPayouts(transfer, old.hash),
    evidence: [{ source: old.source, at: old.at, says: `${old.hash} is still on the ${old.chain} chain` }],
    since: transfer.replaced?.find(({ hash }) => hash === old.hash)?.at ?? old.at,
  }
}

function toTwoPayouts(transfer: Transfer, otherHash: string) {
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      owed: transfer.amount ?? '',
      owedBy: 'the record',
      paid: '',
      payouts: 2,
      otherHashes: otherHash,
    },
    labels: labelTransfer(transfer),
  }
}
