import { isNear } from './actionFee.ts'
import type { ActionSettings } from './compareAction.ts'
import { allLikely, enoughToAccuse, enoughToWarn, isHabit } from './habit.ts'
import { actionOf, judgeAction } from './judgeAction.ts'
import { bestItem, establishedNames, isToSelf, topicOf } from './learnedActions.ts'
import type { LegEvidence, Transfer } from '../bridge/transfer.ts'
import { isOfNode } from './proveOrigin.ts'
import { readAction } from './zoneAction.ts'

/** Why a zone transaction that succeeded does not prove the payout that names it. */
export interface OriginDoubt {
  /** What kind of action it is. */
  readonly kind: string
  /**
   * `other`: it is known to be something else, or says something else. `new`: nothing but its kind contradicts it, or it
   * sounds like leaving and does not say with what.
   */
  readonly what: 'other' | 'new'
  readonly says: string
  readonly by: LegEvidence
  /** Whether it is `other` by nothing but what it does not name. */
  readonly isByWords: boolean
}

/** Of a kind that is new while others are usual it takes more samples to be that of withdrawals. */
const establishedLate = 5
/** How often a kind is seen without a withdrawal before it is known to mean something else. */
const manyStrays = 20
/** Of fewer samples all have to be of usual kinds to warn by what is usual; of more one in three may not. */
const fewSamples = 6
const mostUnusual = 3

/**
 * Doubts an origin by the kind of its action: a trade, a transfer between accounts or a deposit's credit proves no
 * payout, whoever made it. Null where the kind is that of other withdrawals, or nothing is known of what is usual.
 * @param sharing transfers of the same zone transaction
 */
export function doubtOrigin(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: ActionSettings,
): OriginDoubt | null {
  const { learned } = settings
  if (transfer.direction !== 'ZoneToMain' || transfer.status === 'failed') return null
  const by = zoneEvidence(transfer)
  const kind = by?.actionType ?? ''
  if (by === null || kind === '' || isKnown(learned, transfer, kind)) return null
  const doubt = (what: OriginDoubt['what'], says: string, isByWords = false): OriginDoubt => ({
    kind,
    what,
    says,
    by,
    isByWords,
  })
  // A deposit's record, and 20 that paid nothing out, show what it is: few samples are enough to say what is usual.
  const isLikely = hasUsualKind(allLikely(learned), transfer, kind)
  if (isCreditOf(transfer, sharing)) return doubt(isLikely ? 'other' : 'new', 'credited a deposit')
  if (!isLikely) return null
  if (learned.straysOf(kind) >= manyStrays) return doubt('other', 'is of a kind that pays nothing out')
  if (!hasUsualKind(learned, transfer, kind)) return null
  if (isDeposits(learned, kind)) return doubt('other', 'is what deposits are credited by')
  const isLeaving = soundsLikeLeaving.test(kind)
  const missing = listMissing(transfer, by, settings)
  if (missing.length === 0) return isLeaving ? null : doubt('new', 'is of a kind that no withdrawal was')
  const says = `does not name the ${missing.join(' and the ')} that withdrawals name`
  if (!isLeaving) return doubt('other', says, true)
  // Who claims a reward leaves nothing, and who leaves with all that he has may name no amount. Words that say otherwise
  // than the record are a mismatch.
  return judgeAction(transfer, sharing, settings) === null ? doubt('new', says) : null
}

/** Whether more transfers may still teach what kind of action a withdrawal is, or time show what else this one is. */
export function mayDoubtLater(transfer: Transfer, { learned }: Pick<ActionSettings, 'learned'>): boolean {
  const kind = zoneEvidence(transfer)?.actionType ?? ''
  return transfer.direction === 'ZoneToMain' && kind !== '' && !isKnown(learned, transfer, kind)
}

/** The name under which kinds of actions are learned. */
export function kindsName(topic: string): string {
  return `${topic} kind`
}

/** What an action is called on chains whose users leave by it. A new one of these that names the same is a new way out. */
const soundsLikeLeaving =
  /withdraw|exit|redeem|unlock|unwrap|release|claim|bridge|payout|pay_?out|cash_?out|egress|outbound|off_?ramp|burn|leave/i

/** The explorer's good answer about a transfer's zone transaction; null without one. A node knows no actions. */
export function zoneEvidence({ zone, evidence }: Transfer): LegEvidence | null {
  return (
    evidence.find(
      (one) => one.chain === 'zone' && one.hash === zone?.hash && one.status === 'success' && !isOfNode(one),
    ) ?? null
  )
}

function isKnown(learned: ActionSettings['learned'], transfer: Transfer, kind: string): boolean {
  const count = countKind(learned, topicOf(transfer), kind)
  return count >= (hasUsualKind(allLikely(learned), transfer, kind) ? establishedLate : enoughToWarn)
}

function countKind(learned: ActionSettings['learned'], topic: string, kind: string): number {
  return learned.actionsOf(kindsName(topic)).get(kind) ?? 0
}

/** Whether a kind is known to mean something else than a withdrawal. */
export function paysNothingOut(learned: ActionSettings['learned'], kind: string): boolean {
  return learned.straysOf(kind) >= manyStrays || isDeposits(learned, kind)
}

function isDeposits(learned: ActionSettings['learned'], kind: string): boolean {
  return countKind(learned, 'MainToZone', kind) >= (learned.needed ?? enoughToWarn)
}

/** Whether withdrawals are known to be of certain kinds, this one left out. */
export function hasUsualKind(
  learned: ActionSettings['learned'],
  transfer: Pick<Transfer, 'direction' | 'crossType'>,
  kind: string,
): boolean {
  const topic = topicOf(transfer)
  // Batches may be few: then what single ones are is all that is known.
  return [...new Set([topic, transfer.direction])].some((name) => {
    const counts = [...learned.actionsOf(kindsName(name))]
      .filter(([one]) => one !== kind)
      .map(([, count]) => count)
    const total = counts.reduce((sum, count) => sum + count, 0)
    const usual = counts.filter((count) => count >= enoughToWarn).reduce((sum, count) => sum + count, 0)
    const { needed = enoughToWarn } = learned
    if (needed >= enoughToAccuse) return isHabit(usual, total - usual, needed)
    return usual >= needed && total - usual <= (total < fewSamples ? 0 : total / mostUnusual)
  })
}

/** Whether the transaction is where a deposit arrived. */
function isCreditOf(transfer: Transfer, sharing: readonly Transfer[]): boolean {
  return sharing.some(
    (one) => one.direction === 'MainToZone' && one.isListed && one.zone?.hash === transfer.zone?.hash,
  )
}

/** What the actions of other withdrawals name of theirs, under whatever word, and this one does not. */
function listMissing(transfer: Transfer, by: LegEvidence, settings: ActionSettings): string[] {
  const { learned } = settings
  const action = actionOf(transfer)?.action ?? ''
  // Words of bytes may hold all of it.
  if (/0x[0-9a-f]{65,}/i.test(action)) return []
  const readings = readAction(action)
  const best = bestItem(readings, transfer)
  const isAmountNamed =
    (best?.names.amount.length ?? 0) > 0 ||
    (by.amountRaw != null && by.amountRaw === transfer.amountRaw) ||
    readings
      .flat()
      .some((item) => [...item.values()].flat().some((value) => isNear(value, transfer, settings)))
  const isPartyNamed =
    transfer.targetAddress === '' || isToSelf(transfer) || (best?.names.recipient.length ?? 0) > 0
  const names = (what: 'amount' | 'recipient') => establishedNames(learned, transfer, what).size > 0
  return [
    ...(!isAmountNamed && transfer.amountRaw !== null && names('amount') ? ['amount'] : []),
    ...(!isPartyNamed && names('recipient') ? ['recipient'] : []),
  ]
}
