import { toRaws } from './actionFee.ts'
import { type ActionSettings, type Names, saidOf, type Slot, valuesOf } from './compareAction.ts'
import { isHabit } from './habit.ts'
import type { Direction } from '../bridge/observation.ts'
import { actionOf, viewAction, type View } from './judgeAction.ts'
import type { LearnedActions, MoneySample } from './learnedActions.ts'
import { isBatch, type LegEvidence, type Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { mayBeSeveral, readAddress, readNumber } from './zoneAction.ts'

/** Items of one zone transaction that are equal to each other, and of which no record tells some. */
export interface UnlistedItems {
  /** Empty where the action names nobody. */
  readonly targetAddress: string
  readonly amountRaw: bigint
  /** One whose own item is of the same form: of its token. */
  readonly like: Transfer
  /** How many such items the action has, with those that have records. */
  readonly count: number
  /** How many no record tells. */
  readonly left: number
}

/**
 * What the action of a zone transaction withdraws, or credits, beside what records say: items of the form of one that has a
 * record, with another amount or recipient, where items of that form are known to have records. Empty where the action and
 * the records disagree otherwise, for that is another finding.
 * @param sharing all transfers of the zone transaction
 */
export function listUnlistedItems(
  direction: Direction,
  sharing: readonly Transfer[],
  settings: ActionSettings,
): UnlistedItems[] {
  const view = haveRecords(direction, settings.learned) ? viewWhole(direction, sharing, settings) : null
  if (view === null) return []
  const classes = Map.groupBy(listLike(view), ({ said }) => `${said.targetAddress} ${said.amountRaw}`)
  return [...classes.values()].flatMap((items): UnlistedItems[] => {
    const [first] = items
    if (first === undefined) return []
    const open = items.filter(({ isTaken }) => !isTaken).length
    const left = open - countOthers(sharing, view, first)
    return left <= 0 ? [] : [{ ...first.said, like: first.like, count: items.length, left }]
  })
}

/** What a transfer teaches of whether such items have records; nothing while others of its transaction may be listed yet. */
export function sampleItems(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: ActionSettings & { readonly isComplete: boolean },
): MoneySample[] {
  const { direction } = transfer
  const view = isOpenLesson(transfer, settings.learned) ? viewWhole(direction, sharing, settings) : null
  const own = view === null ? [] : listLike(view).filter(({ like }) => like.key === transfer.key)
  if (view === null || own.length === 0) return []
  const isLeft = own.some((item) => !item.isTaken && countOthers(sharing, view, item) === 0)
  if (isLeft && !settings.isComplete) return []
  return [{ kind: 'action', name: lessonOf(direction), value: isLeft ? 'other' : 'equal' }]
}

/** The name under which dissent from what such items mean is counted. */
export function itemsName(direction: Direction): string {
  return `${direction} items`
}

const lessonOf = (direction: Direction) => `${itemsName(direction)} records`

/** So many single ones teach as much as more would. */
const enoughSingles = 100

function isOpenLesson(transfer: Transfer, learned: LearnedActions): boolean {
  const action = actionOf(transfer)?.action
  if (action === undefined) return false
  const { equal } = countItems(transfer.direction, learned)
  return mayBeSeveral(action) || equal < enoughSingles
}

function haveRecords(direction: Direction, learned: LearnedActions): boolean {
  const { equal, other } = countItems(direction, learned)
  return isHabit(equal, other, learned.needed)
}

function countItems(direction: Direction, learned: LearnedActions) {
  const seen = learned.actionsOf(lessonOf(direction))
  return { equal: seen.get('equal') ?? 0, other: seen.get('other') ?? 0 }
}

/** The reading in which each of the records has its own item; null where one has none, or is of several. */
function viewWhole(
  direction: Direction,
  sharing: readonly Transfer[],
  settings: ActionSettings,
): View | null {
  const listed = sharing.filter((one) => one.isListed && one.direction === direction)
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
  { said: { targetAddress, amountRaw }, like: { direction } }: LikeItem,
): number {
  const keys = new Set(claims.map(({ key }) => key))
  return sharing.filter(
    (one) =>
      !keys.has(one.key) &&
      one.direction === direction &&
      one.amountRaw === amountRaw &&
      (targetAddress === '' || one.targetAddress === targetAddress),
  ).length
}

/** So long after the newest record others of the same credit may still be listed, ms. */
const creditHoldMs = 180_000

/** What a zone transaction credits beyond its deposits; `held` while these may still be listed. */
export type ExtraCredit = { readonly credited: bigint; readonly by: LegEvidence } | 'held'

/**
 * What the zone credits beside a deposit, in the same words, and for which nothing came. One of the deposits of the
 * transaction answers for all of it. Null where all is accounted for, or nothing is known of such items.
 * @param sharing all transfers of the zone transaction
 * @returns base units of all that is credited in the words of this one's token, with its own
 */
export function findExtraCredit(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: ActionSettings & { readonly now: UnixMs },
): ExtraCredit | null {
  const by = actionOf(transfer)
  const { direction, firstSeenAt, token } = transfer
  if (direction !== 'MainToZone' || !transfer.isListed || by === null || !mayBeSeveral(by.action)) return null
  if (firstSeenAt < settings.learned.suspendedAt(itemsName(direction))) return null
  const extra = listUnlistedItems(direction, sharing, settings).filter(
    ({ like }) => like.token.address === token.address,
  )
  const own = sharing.filter((one) => one.isListed && one.token.address === token.address)
  const first = own.reduce((least, one) => (one.key < least.key ? one : least), transfer)
  if (extra.length === 0 || first.key !== transfer.key) return null
  const newestAt = Math.max(...own.map((one) => one.firstSeenAt))
  if (settings.now - newestAt < creditHoldMs) return 'held'
  const listed = own.reduce((sum, { amountRaw }) => sum + (amountRaw ?? 0n), 0n)
  return { credited: extra.reduce((sum, { amountRaw, left }) => sum + amountRaw * BigInt(left), listed), by }
}
