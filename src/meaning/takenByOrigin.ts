import type { Fees } from './actionFee.ts'
import { listDifferences, nearestRaw, type Names, saidOf, type Slot } from './compareAction.ts'
import { allLikely, enoughToWarn } from './habit.ts'
import { viewAction } from './judgeAction.ts'
import type { LearnedActions } from './learnedActions.ts'
import { type LearnedMoney, namesZoneAmounts } from './learnedMoney.ts'
import { type Owed, takenBy } from './paidSums.ts'
import { isBatch, type Transfer } from '../bridge/transfer.ts'

export interface OriginSettings extends Fees {
  /** Null where nothing is learned. */
  readonly learned: Lessons | null
}

type Lessons = LearnedActions & Pick<LearnedMoney, 'zoneAmounts'>

/**
 * What the zone's own transaction says it took for one origin; null where that is not known to be about it. The amount is
 * that of all that the transaction does: where its action names what it took for these transfers, more is for others.
 * @param alike all transfers of the zone transaction, which are of one origin
 */
export function takenByOrigin(alike: readonly Transfer[], settings: OriginSettings): Owed | null {
  const taken = takenBy(alike)
  const { learned } = settings
  if (taken === null || learned === null) return taken
  if (meansOtherwise(alike, learned)) return null
  const named = sumItems(alike, { ...settings, learned })
  if (named === null || named >= taken.amount) return taken
  // Less than any record claims would be another unit.
  return alike.some(({ amountRaw }) => amountRaw !== null && amountRaw <= named)
    ? { ...taken, amount: named }
    : taken
}

/** Whether the zone's amounts were seen not to be those of the records. */
function meansOtherwise([first]: readonly Transfer[], learned: Lessons): boolean {
  if (first === undefined) return false
  const { equal, other } = learned.zoneAmounts(first.direction)
  return equal + other >= enoughToWarn && !namesZoneAmounts(first.direction, allLikely(learned))
}

/** Each is compared with each item: of a crowd of different ones so many are. */
const mostCompared = 100

/** What the items add up to that are a record's own, else those that differ from one in nothing but the amount. */
function sumItems(
  alike: readonly Transfer[],
  settings: OriginSettings & { readonly learned: Lessons },
): bigint | null {
  const likely = { ...settings, learned: allLikely(settings.learned) }
  const different = listDifferent(alike).slice(0, mostCompared)
  const [first] = different
  const view = first === undefined || isBatch(first) ? null : viewAction(first, different, likely)
  if (view === null) return null
  const { names, chosen } = view
  const sumOf = (isOwn: (what: readonly string[]) => boolean) => {
    const amounts = chosen.items.flatMap((slot) => {
      const own = different.find((one) =>
        isOwn(listDifferences(slot, one, names, likely).map(({ what }) => what)),
      )
      return own === undefined ? [] : amountOf(slot, own, names)
    })
    return amounts.length === 0 ? null : amounts.reduce((sum, amount) => sum + amount, 0n)
  }
  return sumOf((what) => what.length === 0) ?? sumOf((what) => what.every((one) => one === 'amount'))
}

/** What was paid again says nothing more of the origin than the first time. */
function listDifferent(alike: readonly Transfer[]): Transfer[] {
  const listed = alike.filter(({ isListed, status }) => isListed && status !== 'failed')
  const nameOf = ({ amountRaw, targetAddress, token }: Transfer) =>
    `${token.id} ${amountRaw} ${targetAddress}`
  return [...new Map(listed.map((one) => [nameOf(one), one])).values()]
}

function amountOf(slot: Slot, transfer: Transfer, names: Names): bigint[] {
  const [said] = saidOf(slot, names, 'amount')
  const raw = said === undefined ? null : nearestRaw(said, transfer)
  return raw === null ? [] : [raw]
}
