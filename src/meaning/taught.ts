import type { Chain } from '../bridge/observation.ts'
import { isBatch, type Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { compareBatch, judgeBatchAction, sampleBatch } from './compareBatch.ts'
import { doubtOrigin, kindsName, zoneEvidence } from './doubtOrigin.ts'
import { type Extra, findExtra, itemsName, sampleItems } from './extraItems.ts'
import { onlyCertain } from './habit.ts'
import { actionOf, isOneOfSeveral, judgeAction, listFitting, noItem } from './judgeAction.ts'
import {
  awaitsFee,
  judgeMoney,
  judgeTwin,
  mayBeTwin,
  mayTeachFee,
  sampleKept,
  sampleMoney,
  sampleZone,
} from './judgeMoney.ts'
import { amountsName, isBundle, judgeZoneAmount } from './judgeZoneAmount.ts'
import {
  type ActionField,
  bestItem,
  establishedNames,
  isOfEarlierWords,
  type MoneySample,
  sampleAction,
  topicOf,
  wordsName,
} from './learnedActions.ts'
import type { LearnedMoney } from './learnedMoney.ts'
import { isWordKnown, listTokenLessons } from './otherTokens.ts'
import { type BridgeMoney, toMoneySettings } from './toMoneySettings.ts'
import { readAction } from './zoneAction.ts'

/** A transfer that others may learn from, and what it is judged by. */
export interface Example {
  readonly transfer: Transfer
  readonly related: {
    sharing(chain: Chain, hash: string): readonly Transfer[]
    /** Of money each is compared with all. */
    allSharing(chain: Chain, hash: string): readonly Transfer[]
  }
  readonly learned: LearnedMoney
  readonly bridge: BridgeMoney
  readonly now: UnixMs
  /** Up to when the list has shown what happened; left out, that is not known. */
  readonly listedUntil?: UnixMs | null
}

/** What one transaction of a transfer teaches. */
export interface Taught {
  readonly samples: readonly MoneySample[]
  /** Whether its judgement waits for what others teach. */
  readonly isHeld: boolean
  /** Whether it is told for what may be a fee: judged again once one is known. */
  readonly awaitsFee?: boolean
}

const nothing: Taught = { samples: [], isHeld: false }

/** What the zone says of an amount may be explained by others within this. */
const othersMs = 120_000

/**
 * What the movements of its main transaction teach: tokens, vaults, fees. What is about to be reported is no example.
 * @param isTold whether something is reported of it at all: of the past nothing is
 */
export function taughtByMoney({ transfer, related, learned, bridge, now }: Example, isTold: boolean): Taught {
  const { main } = transfer
  // A failed one moved nothing to learn from: who shares its transaction need not be read.
  if (main === null || transfer.status === 'failed' || transfer.evidence.length === 0) return nothing
  // A bridge with several vaults shows all of them in its past.
  const settings = toMoneySettings(bridge, isTold ? learned : onlyCertain(learned))
  const judged = judgeMoney(transfer, related.allSharing('main', main.hash), settings)
  if (judged === null) return nothing
  const { twin } = judged
  if (twin !== null && !mayBeTwin(transfer, twin, learned, bridge)) return nothing
  const isTwinOpen = twin !== null && judgeTwin(transfer, twin, { learned, bridge, now }) === 'held'
  const isFeeOpen = awaitsFee(transfer, judged, learned, now)
  const isAccused = !isFeeOpen && mayTeachFee(transfer, judged, learned)
  const kept = isFeeOpen || isAccused || judged.gap === 'covered'
  return {
    samples: [
      ...sampleMoney(transfer, judged, settings),
      ...(kept ? sampleKept(transfer, judged, isAccused) : []),
    ],
    isHeld: isTwinOpen || isFeeOpen,
    awaitsFee: isAccused,
  }
}

/** Whether the amount of its zone transaction is its record's. */
export function taughtByZoneAmount(
  { transfer, related, learned, bridge, now }: Example,
  isTold: boolean,
): Taught {
  const fees = toMoneySettings(bridge, learned, related)
  const sample = transfer.status === 'failed' ? null : sampleZone(transfer, fees)
  if (sample === null || transfer.zone === null) return nothing
  if (transfer.firstSeenAt < learned.suspendedAt(amountsName(transfer.direction))) return nothing
  const sharing = related.sharing('zone', transfer.zone.hash)
  // Whose amount a bundle's one is nobody knows; what may be too much is looked at again once all of it may be listed.
  if (isBundle(sharing)) {
    const all = related.allSharing('zone', transfer.zone.hash)
    const isOther = (at: UnixMs) => judgeZoneAmount(transfer, all, { ...fees, learned, now: at }) !== null
    return { samples: [], isHeld: isTold && !isOther(now) && isOther(Infinity) }
  }
  const isHeld = sample.value === 'other' && now - transfer.firstSeenAt < othersMs
  // What is reported, or will be once no other may share it, teaches nothing: several would end what they are judged by.
  const settings = { ...fees, learned, now: Infinity }
  const isReported = isTold && judgeZoneAmount(transfer, sharing, settings) !== null
  // Nor does what the zone says of several things together.
  const teaches = !isReported && !isOneOfSeveral(transfer, sharing, settings)
  return { samples: teaches ? [sample] : [], isHeld }
}

/** Of what kind its zone transaction's action is and which of its words say what. */
export function taughtByAction(
  { transfer, related, learned, bridge, now }: Example,
  isTold: boolean,
): readonly MoneySample[] {
  const by = transfer.status === 'failed' ? null : zoneEvidence(transfer)
  if (by === null) return []
  const settings = { ...toMoneySettings(bridge, learned, related), learned }
  const sharing = related.sharing('zone', by.hash)
  if (doubtOrigin(transfer, sharing, settings)?.what === 'other') return []
  const paid = transfer.main ? related.allSharing('main', transfer.main.hash) : []
  // What is about to be reported teaches nothing: several together would end the very habit that they are judged by.
  const isReported =
    isTold &&
    (typeof (judgeAction(transfer, sharing, settings) ?? '') === 'object' ||
      judgeBatchAction(transfer, paid, settings) !== null)
  const { action, actionType = '' } = by
  const name = kindsName(topicOf(transfer))
  const kind = actionType === '' ? [] : [{ kind: 'action', name, value: actionType } as const]
  if (isReported || isOfEarlierWords(transfer, learned)) return kind
  const words = action ? sampleAction(transfer, listFitting(transfer, sharing, settings), settings) : []
  const all = action ? related.allSharing('zone', by.hash) : []
  const items = sampleItems(transfer, all, { ...settings, now, isTold })
  return [...kind, ...words, ...items, ...sampleBatch(compareBatch(transfer, paid, settings))]
}

/**
 * What was learned of zone actions that a transfer disagrees with while its money is just what its record says: it may
 * be that the zone says something else by now. The names of these meanings.
 */
export function listDissent(example: Example): string[] {
  const { transfer, related, learned, bridge, now } = example
  const money = toMoneySettings(bridge, learned, related)
  const { main, zone } = transfer
  const ofMain = main ? related.allSharing('main', main.hash) : []
  if (judgeMoney(transfer, ofMain, money)?.gap !== 'covered') return []
  const settings = { ...money, learned }
  const ofZone = zone ? related.sharing('zone', zone.hash) : []
  const gap = judgeAction(transfer, ofZone, settings)
  const isOtherwise =
    (gap !== null && gap !== 'covered' && gap.found !== noItem) ||
    judgeBatchAction(transfer, ofMain, settings) !== null ||
    (doubtOrigin(transfer, ofZone, settings)?.isByWords ?? false)
  return [
    ...(isOtherwise ? [wordsName(transfer)] : []),
    ...(typeof (judgeExtra(example) ?? 'held') === 'string' ? [] : [itemsName(transfer.direction)]),
    // What a bundle lacks, or has too much, is no other meaning of what the zone says of one.
    ...(isBundle(ofZone) || judgeZoneAmount(transfer, ofZone, { ...settings, now }) === null
      ? []
      : [amountsName(transfer.direction)]),
  ]
}

/**
 * Whether what the zone says of such transfers came to mean something else and is not known to agree with this one yet: that
 * nothing speaks against it is then no agreement.
 * @param what the part of the transfer that it said otherwise; any other word stands for all
 */
export function isUnlearned(example: Example, what: string): boolean {
  const { transfer, learned } = example
  const hasEnded = (meaning: string) => learned.suspendedAt(meaning) > 0
  return (
    (hasEnded(wordsName(transfer)) && !isSaidAgain(example, what)) ||
    (what === 'amount' && hasEnded(amountsName(transfer.direction)) && !isAmountSaid(example))
  )
}

/** Whether any meaning of what the zone says of such transfers came to an end. */
export function hasEndedMeaning(learned: LearnedMoney, transfer: Transfer): boolean {
  return [wordsName(transfer), amountsName(transfer.direction)].some((one) => learned.suspendedAt(one) > 0)
}

/** Whether words that are known by now agree with the part of a transfer that was told. */
function isSaidAgain(example: Example, what: string): boolean {
  if (isBatch(example.transfer) && areItemsSaid(example)) return true
  const of = (['amount', 'recipient', 'tokenId'] as const).find((part) => part === what)
  if (of !== undefined) return isSaid(example, of)
  const isWhole = saidParts.every((part) => isSaid(example, part))
  return isWhole && (what !== 'token' || isTokenKnown(example))
}

const saidParts = ['amount', 'recipient'] as const

/** What was learned of zone actions that a transfer confirms. */
export function listConsent(example: Example): string[] {
  const { transfer } = example
  const isWord = areItemsSaid(example) || saidParts.some((part) => isSaid(example, part))
  return [
    ...(isWord ? [wordsName(transfer)] : []),
    ...(isAmountSaid(example) ? [amountsName(transfer.direction)] : []),
    ...(isWord && judgeExtra(example) === null ? [itemsName(transfer.direction)] : []),
  ]
}

/** What the zone transaction of a transfer does beside it, and no record tells. */
export function judgeExtra({
  transfer,
  related,
  learned,
  bridge,
  now,
  listedUntil = null,
}: Example): Extra | null {
  const sharing = transfer.zone ? related.allSharing('zone', transfer.zone.hash) : []
  return findExtra(transfer, sharing, {
    ...toMoneySettings(bridge, learned, related),
    learned,
    now,
    listedUntil,
  })
}

function areItemsSaid({ transfer, related, learned }: Example): boolean {
  const ofMain = transfer.main ? related.allSharing('main', transfer.main.hash) : []
  return compareBatch(transfer, ofMain, { learned }).values().toArray().includes('equal')
}

/** Whether a word that is known to say this part says it of the transfer. */
function isSaid({ transfer, related, learned, bridge }: Example, part: ActionField): boolean {
  const action = actionOf(transfer)?.action
  if (action === undefined) return false
  const samples = sampleAction(transfer, readAction(action), toMoneySettings(bridge, learned, related))
  // The name of the recipient of who withdraws to himself is a sample of either party.
  const places = part === 'recipient' ? ([part, 'party'] as const) : [part]
  const names = places.flatMap((place) => [...establishedNames(learned, transfer, place)])
  const topics = places.map((place) => `${topicOf(transfer)} ${place}`)
  return samples.some(({ name, value }) => topics.includes(name) && names.includes(value.replace(/^=/, '')))
}

/** Whether it is known by which word the action names the token of the transfer. */
function isTokenKnown({ transfer, learned }: Example): boolean {
  const best = bestItem(readAction(actionOf(transfer)?.action ?? ''), transfer)
  const [own] = best === null ? [] : listTokenLessons(transfer, best.item, learned)
  return own !== undefined && isWordKnown(learned, transfer.direction, own)
}

function isAmountSaid({ transfer, related, learned, bridge }: Example): boolean {
  return sampleZone(transfer, toMoneySettings(bridge, learned, related))?.value === 'equal'
}
