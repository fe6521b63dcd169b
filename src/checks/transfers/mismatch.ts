import { z } from 'zod'
import { formatUnits } from '../../bridge/amount.ts'
import { compareDecimals, isSameNumber } from '../../bridge/decimal.ts'
import { canonicalToken } from '../../bridge/movedToken.ts'
import type { Finding } from '../../bridge/finding.ts'
import { tellUnasked } from '../../meaning/describeEvidence.ts'
import { awaitsDetail } from '../../meaning/emptyBatch.ts'
import { fillFromZone } from '../../ledger/deriving/fillFromZone.ts'
import { judgeBatchAction } from '../../meaning/compareBatch.ts'
import { actionOf, judgeAction, mayBeOneRecord, noItem } from '../../meaning/judgeAction.ts'
import { judgeBatch } from '../../meaning/judgeBatch.ts'
import { bestOf, judgeZoneAmount } from '../../meaning/judgeZoneAmount.ts'
import { awaitsFee, judgeMoney, judgeTwin, type MoneyJudgement } from '../../meaning/judgeMoney.ts'
import { hasArrived } from '../../meaning/mayHaveFailed.ts'
import { moneyEvidence } from '../../meaning/moneyEvidence.ts'
import { mayBeSurplus } from '../../meaning/findOverpayment.ts'
import { findReturned } from '../../meaning/findReturned.ts'
import { isMadeAgain } from '../../meaning/replacedPayout.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import type { LearnedMoney } from '../../meaning/learnedMoney.ts'
import { judgeExtra } from '../../meaning/taught.ts'
import { destinationLeg, legTime, type LegEvidence, type Transfer } from '../../bridge/transfer.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { cleanText } from '../../lib/text.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { declareFacts, defineEvent, type Found, type Said } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'
import { judgeByCertain } from './judgeByCertain.ts'

const factTypes = declareFacts({
  what: ['amount', 'token', 'tokenId', 'recipient', 'status'],
  leg: ['main', 'zone'],
  expected: 'string',
  found: 'string',
  asked: 'string',
  fewSamples: 'bool',
})

/**
 * A record and what second sources say of its legs differ. A failed record with a good origin is a failure, not this;
 * what nobody can compare exactly is unknown, not different.
 */
export const transferMismatch = defineEvent({
  kind: 'transfer.mismatch',
  docs: "A record and its legs' own evidence disagree on amount, token, token id, recipient or status.",
  remedy:
    'Compare record and transaction in the fields named; if more was paid than left, pause the bridge; if a fee was kept, write it as `bridge.fees`.',
  words: {
    open: sayMismatch,
    many: 'disagree with their transactions',
    over: 'its record and its transactions agree by now',
  },
  sources: ['explorer'],
  ties: ['transfer', 'escrow', 'party'],
  joins: {
    of: 'transfer',
    rank: 3,
    loses: ({ what, found }) => (what === 'amount' ? String(found ?? '') : ''),
  },
  isComparison: true,
  material: ({ facts: { what, leg, found } }) => ({ what, leg, found }),
  // What may name who pays teaches which of both it names.
  accuses: ({ asked, fewSamples }) => asked !== 'E19' || fewSamples !== true,
  readsActions: ({ leg, what }) => leg === 'zone' && what !== 'status',
  looksAt: ['evidence'],
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  canJudge,
  detect: detectMismatch,
})

/** Amounts as people read them; a token's id is no amount. */
function sayMismatch({ what, finding: { facts } }: Said): string {
  const { what: field, leg, found, expected, fewSamples } = facts
  // A finding that an older version kept, or a test hands over, may not say what differs.
  if (field === undefined) return `${what}: its record and its transactions disagree`
  const few = fewSamples === true ? ', as far as few samples tell' : ''
  if (found === noItem) {
    const other = few === '' ? ': another record claims that one' : ''
    return `${what}${few}: the ${String(leg)} transaction that it names holds no item of its own for it${other}`
  }
  if (field === 'status') {
    const is = found === failedStatus ? 'failed' : 'does not exist'
    return `${what}: its ${String(leg)} transaction ${is}, and its record says that it succeeded`
  }
  const say = (value: unknown) => (field === 'amount' ? groupDigits(String(value)) : String(value))
  const name = field === 'tokenId' ? 'token id' : String(field)
  return `${what}${few}: ${name} is ${say(found)} on the ${String(leg)} chain, ${say(expected)} in the record`
}

/** As transactions say it. */
const failedStatus = '0x0'

interface Difference {
  readonly what: 'status' | 'amount' | 'token' | 'tokenId' | 'recipient'
  readonly expected: string
  readonly found: string
  readonly by: LegEvidence
}

function detectMismatch(
  transfer: Transfer,
  _params: unknown,
  context: EventContext,
): Found<typeof factTypes> | null {
  const lastAt = Math.max(transfer.originAt, transfer.destinationAt ?? transfer.originAt)
  if (lastAt < context.tellSince || isHeld(transfer, context)) return null
  const judged = judgeByCertain(context, (by) => findDifference(transfer, by))
  if (judged === null) return null
  const { verdict: difference, fewSamples } = judged
  const { what, expected, found, by } = difference
  const shown = found === '' ? 'nothing moved' : cleanText(found, 200)
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      what,
      leg: by.chain,
      expected,
      found: shown,
      asked: by.source,
      fewSamples: fewSamples || by.isFew === true,
    },
    labels: labelTransfer(transfer),
    evidence: [
      {
        source: by.source,
        at: by.at,
        says: `the ${by.chain} transaction${sayShown(difference, shown)}${tellUnasked(by)}`,
      },
    ],
    since: legTime(transfer, by.chain),
  }
}

function sayShown({ what, expected, found }: Difference, shown: string): string {
  if (what === 'status') {
    const says = found === failedStatus ? 'has status 0x0' : 'is not known'
    return ` ${says}, the record says that it succeeded`
  }
  const say = (value: string) => (what === 'amount' ? groupDigits(value) : value)
  return `: ${what} ${say(shown)}, the record says ${say(expected)}`
}

function findDifference(transfer: Transfer, context: EventContext): Difference | null {
  // All of them compare the record with what a source said.
  if (transfer.evidence.length === 0) return null
  return (
    compareStatus(transfer) ??
    compareMoney(transfer, context) ??
    compareZone(transfer, context) ??
    compareEvent(transfer) ??
    compareAction(transfer, context)
  )
}

/** A second payout of one origin is reported as that, and one that was made in the place of this one is none. */
function isHeld(transfer: Transfer, { related, now }: EventContext): boolean {
  const sharing = related.ofOrigin(transfer)
  return mayBeSurplus(transfer, sharing, now) || isMadeAgain(transfer, sharing)
}

/** A good record whose leg failed, or whose destination is not there at all. */
function compareStatus(transfer: Transfer): Difference | null {
  if (transfer.status !== 'success') return null
  for (const leg of [transfer.zone, transfer.main]) {
    const by = bestOf(transfer, leg)
    if (by?.status === 'failed') return { what: 'status', expected: '0x1', found: failedStatus, by }
  }
  const by = bestOf(transfer, destinationLeg(transfer))
  return by?.status === 'absent' ? { what: 'status', expected: '0x1', found: 'not known', by } : null
}

/**
 * Whether what was told can be compared by now. A record that says that it failed, while what it moved stands, agrees with
 * nothing; nor does one whose movements cannot be read.
 */
function canJudge({ what, leg }: Finding['facts'], transfer: Transfer, context: EventContext): boolean {
  if (what === 'status') return true
  const destination = destinationLeg(transfer)
  if (transfer.status === 'failed') return destination === null || !hasArrived(transfer, destination)
  const { main } = transfer
  if (leg !== 'main' || main === null) return true
  // What did not succeed moved nothing.
  if (moneyEvidence(transfer).some(({ status }) => status !== 'success')) return true
  return judgeMain(transfer, main.hash, context) !== null
}

function judgeMain(
  record: Transfer,
  hash: string,
  { related, learned, bridge }: EventContext,
): { readonly transfer: Transfer; readonly judged: MoneyJudgement } | null {
  const fill = (one: Transfer) => (learned ? fillFromZone(one, learned) : one)
  const transfer = fill(record)
  // Each needs money of its own, and one sum may be for all: of a part of them nothing could be said.
  const sharing = related.allSharing('main', hash)
  const filled = sharing.map(fill)
  const all = filled.some((one, at) => one !== sharing[at]) ? filled : sharing
  const judged = judgeMoney(transfer, all, toMoneySettings(bridge, learned ?? null))
  return judged && { transfer, judged }
}

function compareMoney(record: Transfer, context: EventContext): Difference | null {
  if (record.main === null || record.status === 'failed' || awaitsDetail(record, context.now)) return null
  const { learned, bridge } = context
  const of = judgeMain(record, record.main.hash, context)
  if (of === null) return null
  const { transfer, judged } = of
  const { gap, by, twin } = judged
  if (gap === 'covered') return null
  if (
    twin !== null &&
    learned &&
    judgeTwin(transfer, twin, { learned, bridge, now: context.now }) !== 'other'
  )
    return null
  if (learned && awaitsFee(transfer, judged, learned, context.now)) return null
  // A batch that was not paid in full is reported as such, once.
  if (gap.what !== 'recipient' && isBadBatch(transfer, context)) return null
  if (gap.what === 'amount' && mayGiveBack(transfer, by, context)) return null
  return { ...gap, expected: expectedOf(transfer, gap.what), by }
}

/**
 * What went back to its sender may be what failed deposits of his locked: whether it is, of each once, is judged where escrows
 * are, and told there where it is not.
 */
function mayGiveBack(transfer: Transfer, { moves }: LegEvidence, context: EventContext): boolean {
  const { bridge, related } = context
  const { contracts = [], escrows = [] } = bridge
  const isEscrow = (address: string, token: string) =>
    escrows.length === 0
      ? contracts.some((contract) => contract.toLowerCase() === address)
      : escrows.some((one) => one.address.toLowerCase() === address && canonicalToken(one.token) === token)
  if (moves === null || transfer.main === null) return false
  const sharing = related
    .allSharing('main', transfer.main.hash)
    .filter((one) => one.isListed && one.status !== 'failed')
  const settings = toMoneySettings(bridge, context.learned ?? null)
  const returned = findReturned(transfer, sharing, moves, settings, isEscrow)
  return returned !== null && compareDecimals(returned, related.locked(transfer)) <= 0
}

function isBadBatch(transfer: Transfer, context: EventContext): boolean {
  if (transfer.batchDetail === null) return false
  const sharing = transfer.zone ? context.related.sharing('zone', transfer.zone.hash) : []
  return judgeBatch(transfer, sharing, toMoneySettings(context.bridge, context.learned ?? null)) !== null
}

/** The zone's own word on the amount. */
function compareZone(transfer: Transfer, { related, learned, bridge, now }: EventContext): Difference | null {
  const sharing = transfer.zone ? related.allSharing('zone', transfer.zone.hash) : []
  const by = judgeZoneAmount(transfer, sharing, {
    ...toMoneySettings(bridge, learned ?? null, related),
    learned: learned ?? null,
    now,
  })
  if (by === null) return null
  const [found, expected] = [by.amount ?? (by.amountRaw ?? '').toString(), expectedOf(transfer, 'amount')]
  // Of another token as much was taken, by a record that was there before.
  return { what: 'amount', expected, found: isSameNumber(found, expected) ? noItem : found, by }
}

/** What the zone's own transaction does, item by item. */
function compareAction(transfer: Transfer, context: EventContext): Difference | null {
  const { learned, bridge } = context
  const by = actionOf(transfer)
  if (by === null || transfer.zone === null || !learned) return null
  const sharing = context.related.sharing('zone', transfer.zone.hash)
  // A batch whose action names other items is reported as such, once.
  const paid = transfer.main ? context.related.sharing('main', transfer.main.hash) : []
  if (judgeBatchAction(transfer, paid, { learned }) !== null) return null
  const gap = judgeAction(transfer, sharing, {
    ...toMoneySettings(bridge, learned, context.related),
    learned,
  })
  if (gap === null || gap === 'covered') return compareExtra(transfer, context, learned)
  if (gap.found === noItem && mayBeOneRecord(transfer, sharing, context.now)) return null
  return { ...gap, expected: expectedOf(transfer, gap.what), by }
}

/** What the zone does by the same transaction in the same words, and no record tells. */
function compareExtra(
  transfer: Transfer,
  { related, bridge, horizons, now }: EventContext,
  learned: LearnedMoney,
): Difference | null {
  const extra = judgeExtra({ transfer, related, learned, bridge, now, listedUntil: horizons?.list ?? null })
  if (extra === null || extra === 'held') return null
  const { decimals } = transfer.token
  const found = decimals === null ? extra.all.toString() : formatUnits(extra.all, decimals)
  return { what: 'amount', expected: expectedOf(transfer, 'amount'), found, by: extra.by }
}

/** Whom a deposit is for is said by its event alone. */
function compareEvent({ main, status, targetAddress, evidence }: Transfer): Difference | null {
  const by = evidence.find(
    (one) => one.chain === 'main' && one.hash === main?.hash && one.recipient !== undefined,
  )
  const found = by?.recipient ?? ''
  return !by || status === 'failed' || targetAddress === '' || found === targetAddress
    ? null
    : { what: 'recipient', expected: targetAddress, found, by }
}

function expectedOf(transfer: Transfer, what: Difference['what']): string {
  const { token, amountRaw, amount, targetAddress } = transfer
  if (what === 'token') return token.address
  if (token.isUnknown)
    return `${amountRaw ?? amount ?? ''} base units of a token that its event does not name`
  if (what === 'tokenId') return token.id
  if (what === 'recipient') return targetAddress
  if (amountRaw === null) return amount ?? ''
  return token.decimals === null ? amountRaw.toString() : formatUnits(amountRaw, token.decimals)
}
