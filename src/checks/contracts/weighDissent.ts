import type { Finding } from '../../bridge/finding.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { partyOf, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { toWordsFinding } from './changed.ts'
import type { EventContext, RelatedTransfers } from '../../ledger/context.ts'
import { accuses } from '../../alerts/store/accused.ts'
import type { Kinds } from '../../rules/kinds.ts'
import type { Learned } from '../../ledger/learned.ts'
import { compareBatch, judgeBatchAction } from '../../meaning/compareBatch.ts'
import { doubtOrigin } from '../../meaning/doubtOrigin.ts'
import { actionOf, judgeAction, noItem } from '../../meaning/judgeAction.ts'
import { judgeMoney, sampleZone } from '../../meaning/judgeMoney.ts'
import { amountsName, judgeZoneAmount } from '../../meaning/judgeZoneAmount.ts'
import { establishedNames, sampleAction, topicOf, wordsName } from '../../meaning/learnedActions.ts'
import type { LearnedMoney } from '../../meaning/learnedMoney.ts'
import type { MoneySettings } from '../../meaning/coverMoney.ts'
import { readAction } from '../../meaning/zoneAction.ts'

interface WeighDeps {
  readonly learned: Learned
  readonly bridge: EventContext['bridge']
  readonly kinds: Kinds
}

/**
 * Counts who disagrees with what was learned of zone actions, each after it was reported by itself: enough in a row of
 * different parties suspend what was learned. An upgrade is reported in this way, and honest transfers no more.
 */
export function weighDissent(
  { learned, bridge, kinds }: WeighDeps,
  transfer: Transfer,
  found: readonly Finding[],
  related: RelatedTransfers,
  now: UnixMs,
): Finding[] {
  if (!transfer.isListed || transfer.zone === null || transfer.status === 'failed') return []
  const { zone, main, firstSeenAt: at } = transfer
  const accusing = found.filter((one) => accuses(kinds, one))
  if (accusing.length === 0 && !learned.hasDissent()) return []
  const weighed = {
    transfer,
    ofZone: related.sharing('zone', zone.hash),
    ofMain: main ? related.sharing('main', main.hash) : [],
    learned,
    money: toMoneySettings(bridge, learned, related),
    now,
  }
  if (accusing.length === 0) {
    for (const meaning of listConsent(weighed)) learned.consent(meaning, at)
    return []
  }
  if (accusing.some(({ kind }) => !kinds.find(kind)?.readsActions)) return []
  return listDissent(weighed)
    .filter((meaning) => learned.dissent(meaning, { hash: zone.hash, party: partyOf(transfer) }, at))
    .map((meaning) => toWordsFinding(transfer, meaning, now))
}

/** A transfer with those that share its transactions, and what they are judged by. */
interface DissentCase {
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
function listDissent(of: DissentCase): string[] {
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
function listConsent({ transfer, ofMain, learned, money }: DissentCase): string[] {
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
