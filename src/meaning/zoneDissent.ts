import { compareBatch, judgeBatchAction } from './compareBatch.ts'
import { doubtOrigin } from './doubtOrigin.ts'
import { actionOf, judgeAction, noItem } from './judgeAction.ts'
import { judgeMoney, sampleZone } from './judgeMoney.ts'
import { amountsName, judgeZoneAmount } from './judgeZoneAmount.ts'
import { establishedNames, sampleAction, topicOf, wordsName } from './learnedActions.ts'
import type { LearnedMoney } from './learnedMoney.ts'
import type { MoneySettings } from './coverMoney.ts'
import type { Transfer } from '../bridge/transfer.ts'
import { readAction } from './zoneAction.ts'

/** A transfer with those that share its transactions, and what they are judged by. */
export interface DissentCase {
  readonly transfer: Transfer
  readonly ofZone: readonly Transfer[]
  readonly ofMain: readonly Transfer[]
  readonly learned: LearnedMoney
  readonly money: MoneySettings
  readonly now: number
}

/**
 * What was learned of zone actions that a transfer disagrees with while its money is just what its record says: it may
 * be that the zone says something else by now. The names of these meanings.
 */
export function listDissent(of: DissentCase): string[] {
  const { transfer, ofZone, ofMain, learned, money, now } = of
  if (judgeMoney(transfer, ofMain, money)?.gap !== 'covered') return []
  const settings = { ...money, learned }
  const gap = judgeAction(transfer, ofZone, settings)
  const isOtherwise =
    (gap !== null && gap !== 'covered' && gap.found !== noItem) ||
    judgeBatchAction(transfer, ofMain, settings) !== null ||
    (doubtOrigin(transfer, ofZone, settings)?.isByWords ?? false)
  return [
    ...(isOtherwise ? [wordsName(transfer)] : []),
    ...(judgeZoneAmount(transfer, ofZone, { ...settings, now }) === null
      ? []
      : [amountsName(transfer.direction)]),
  ]
}

/** What was learned of zone actions that a transfer confirms. */
export function listConsent({ transfer, ofMain, learned, money }: DissentCase): string[] {
  const action = actionOf(transfer)?.action
  const samples = action ? sampleAction(transfer, readAction(action), money) : []
  const isSaid = (['amount', 'recipient'] as const).some((what) =>
    establishedNames(learned, transfer, what)
      .values()
      .some((name) =>
        samples.some((one) => one.name === `${topicOf(transfer)} ${what}` && one.value === `=${name}`),
      ),
  )
  const isItems = compareBatch(transfer, ofMain, { learned }).values().toArray().includes('equal')
  return [
    ...(isSaid || isItems ? [wordsName(transfer)] : []),
    ...(sampleZone(transfer, money)?.value === 'equal' ? [amountsName(transfer.direction)] : []),
  ]
}
