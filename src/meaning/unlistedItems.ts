import { toRaws } from './actionFee.ts'
import { type ActionSettings, type Names, saidOf, type Slot, valuesOf } from './compareAction.ts'
import { isHabit } from './habit.ts'
import { actionOf, viewAction, type View } from './judgeAction.ts'
import type { LearnedActions, MoneySample } from './learnedActions.ts'
import { isBatch, type Transfer } from '../bridge/transfer.ts'
import { mayBeSeveral, readAddress, readNumber } from './zoneAction.ts'

/** Withdrawals of one zone transaction that are equal to each other, and of which no record tells some. */
export interface UnlistedItems {
  /** Empty where the action names nobody. */
  readonly targetAddress: string
  readonly amountRaw: bigint
  /** One whose own item is of the same form: of its token. */
  readonly like: Transfer
  /** How many such items the action has, with those that have records. */
  readonly count: number
}

/**
 * What the action of a zone transaction withdraws beside what records say: items of the form of one that has a record,
 * with another amount or recipient, where items of that form are known to have records. Empty where the action and the
 * records disagree otherwise, for that is another finding.
 * @param sharing all transfers of the zone transaction
 */
export function listUnlistedItems(sharing: readonly Transfer[], settings: ActionSettings): UnlistedItems[] {
  const view = viewWhole(sharing, settings)
  if (view === null || !haveRecords(settings.learned)) return []
  const classes = Map.groupBy(listLike(view), ({ said }) => `${said.targetAddress} ${said.amountRaw}`)
  return [...classes.values()].flatMap((items): UnlistedItems[] => {
    const [first] = items
    const left = items.filter(({ isTaken }) => !isTaken).length
    if (first === undefined || left <= countOthers(sharing, view, first.said)) return []
    return [{ ...first.said, like: first.like, count: items.length }]
  })
}

/** What a transfer teaches of whether such items have records; nothing while others of its transaction may be listed yet. */
export function sampleItems(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: ActionSettings & { readonly isComplete: boolean },
): MoneySample[] {
  if (transfer.direction !== 'ZoneToMain' || !isOpenLesson(transfer, settings.learned)) return []
  const view = viewWhole(sharing, settings)
  const own = view === null ? [] : listLike(view).filter(({ like }) => like.key === transfer.key)
  if (view === null || own.length === 0) return []
  const isLeft = own.some(({ isTaken, said }) => !isTaken && countOthers(sharing, view, said) === 0)
  if (isLeft && !settings.isComplete) return []
  return [{ kind: 'action', name: itemsName, value: isLeft ? 'unlisted' : 'listed' }]
}

const itemsName = 'ZoneToMain items'

/** So many single ones teach as much as more would. */
const enoughSingles = 20

function isOpenLesson(transfer: Transfer, learned: LearnedActions): boolean {
  const action = actionOf(transfer)?.action
  if (action === undefined) return false
  return mayBeSeveral(action) || (learned.actionsOf(itemsName).get('listed') ?? 0) < enoughSingles
}

function haveRecords(learned: LearnedActions): boolean {
  const seen = learned.actionsOf(itemsName)
  return isHabit(seen.get('listed') ?? 0, seen.get('unlisted') ?? 0, learned.needed)
}

/** The reading in which each of the records has its own item; null where one has none, or is of several. */
function viewWhole(sharing: readonly Transfer[], settings: ActionSettings): View | null {
  const listed = sharing.filter(({ isListed, direction }) => isListed && direction === 'ZoneToMain')
  const first = listed.find((one) => one.status !== 'failed' && actionOf(one) !== null)
  if (first === undefined || listed.some(isBatch)) return null
  const view = viewAction(first, listed, settings)
  return view === null || view.chosen.isVague || view.chosen.open.length > 0 ? null : view
}

interface LikeItem {
  readonly said: Pick<UnlistedItems, 'targetAddress' | 'amountRaw'>
  readonly like: Transfer
  readonly isTaken: boolean
}

/** Items of the form of one whose record says just what it says. */
function listLike({ names, chosen: { items, taken } }: View): LikeItem[] {
  const models = [...taken].flatMap(([slot, like]) =>
    [0, 1].flatMap((unit) =>
      like.amountRaw !== null && amountOf(slot, like, names, unit) === like.amountRaw
        ? [{ slot, like, unit, form: formOf(slot, names) }]
        : [],
    ),
  )
  return items.flatMap((slot): LikeItem[] => {
    const form = formOf(slot, names)
    const model = models.find((one) => one.slot === slot) ?? models.find((one) => one.form === form)
    const amountRaw = model === undefined ? null : amountOf(slot, model.like, names, model.unit)
    if (model === undefined || amountRaw === null || amountRaw <= 0n) return []
    const [payee] = saidOf(slot, names, 'recipient').concat(valuesOf(slot.item, names.party))
    const said = { targetAddress: readAddress(payee ?? '') ?? '', amountRaw }
    return [{ said, like: model.like, isTaken: taken.has(slot) }]
  })
}

/** @param unit 0 for base units, 1 for token units */
function amountOf(slot: Slot, like: Transfer, names: Names, unit: number): bigint | null {
  const [value, ...others] = new Set(saidOf(slot, names, 'amount'))
  return value === undefined || others.length > 0 ? null : (toRaws(value, like)[unit] ?? null)
}

/** All that it says in words, but for whom and how much: what it does, and with which token. */
function formOf({ item }: Slot, names: Names): string {
  const free = new Set([...names.amount, ...names.recipient, ...names.party, ...names.tokenId])
  const words = [...item].map(([name, values]) => [
    name,
    free.has(name) ? '' : values.filter((value) => readNumber(value) === null),
  ])
  return JSON.stringify(words.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
}

/** Records that take no item, such as those of failed withdrawals, and what the chain alone shows already. */
function countOthers(
  sharing: readonly Transfer[],
  { claims }: View,
  { targetAddress, amountRaw }: LikeItem['said'],
): number {
  const keys = new Set(claims.map(({ key }) => key))
  return sharing.filter(
    (one) =>
      !keys.has(one.key) &&
      one.direction === 'ZoneToMain' &&
      one.amountRaw === amountRaw &&
      (targetAddress === '' || one.targetAddress === targetAddress),
  ).length
}
