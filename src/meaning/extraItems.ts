import type { Direction } from '../bridge/observation.ts'
import { isBatch, type LegEvidence, type Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { toRaws } from './actionFee.ts'
import { type ActionSettings, type Names, saidOf, type Slot, valuesOf } from './compareAction.ts'
import { isHabit } from './habit.ts'
import { actionOf, viewAction, type View } from './judgeAction.ts'
import type { LearnedActions, MoneySample } from './learnedActions.ts'
import { mayBeSeveral, readAddress, readNumber } from './zoneAction.ts'

/** So long after the newest record others of the same zone transaction may still be listed, ms. */
const extraHoldMs = 300_000

/** Of more transfers in one zone transaction nothing is said: each would be compared with each item. */
const mostCompared = 200

export interface ExtraSettings extends ActionSettings {
  readonly now: UnixMs
  /** Up to when the list has shown what happened; null while that is not known. */
  readonly listedUntil: UnixMs | null
}

/** What a zone transaction does beyond what records tell; `held` while a record may follow. */
export type Extra = { readonly all: bigint; readonly by: LegEvidence } | 'held'

/**
 * What the zone withdraws, or credits, beside a transfer: items of its action in the words of one that has a record, with
 * another amount or recipient, on a bridge whose items of that form have records. One of the transfers of the transaction
 * answers for all of it. Null where all is accounted for, nothing is known of such items, or the action and the records
 * disagree otherwise, for that is another finding.
 * @param sharing all transfers of the zone transaction
 * @returns base units of all that it does in this direction with the transfer's token
 */
export function findExtra(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: ExtraSettings,
): Extra | null {
  const by = actionOf(transfer)
  const { direction, firstSeenAt, token, zone } = transfer
  if (!transfer.isListed || by === null || !mayBeSeveral(by.action)) return null
  const { learned, listedUntil, now } = settings
  if (firstSeenAt < learned.suspendedAt(itemsName(direction)) || !haveRecords(direction, learned)) return null
  const own = sharing.filter(
    (one) => one.isListed && one.direction === direction && one.token.address === token.address,
  )
  const first = own.reduce((least, one) => (one.key < least.key ? one : least), transfer)
  if (first.key !== transfer.key || !mayShowOpen(direction, own)) return null
  const view = viewWhole(direction, sharing, settings)
  const extra = view === null ? 0n : sumExtra(listLike(view), view, sharing, token.address)
  if (extra === 0n) return null
  const newestAt = Math.max(...own.map((one) => one.firstSeenAt))
  const isShown = listedUntil !== null && (zone?.time ?? newestAt) <= listedUntil
  if (!isShown || now - newestAt < extraHoldMs) return 'held'
  const listed = own.filter(({ status }) => status !== 'failed')
  return { all: listed.reduce((sum, { amountRaw }) => sum + (amountRaw ?? 0n), extra), by }
}

/** Where the list shows a withdrawal only once it is paid, one that it does not show is on its way. */
function mayShowOpen(direction: Direction, own: readonly Transfer[]): boolean {
  return (
    direction === 'MainToZone' ||
    own.some(({ main, firstSeenAt }) => main === null || firstSeenAt < (main.time ?? 0))
  )
}

/**
 * What a transfer teaches of whether such items have records; nothing while others of its transaction may be listed yet. What
 * is told teaches nothing: several together would end what they are judged by.
 */
export function sampleItems(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: ActionSettings & { readonly now: UnixMs; readonly isTold: boolean },
): MoneySample[] {
  const { direction, key } = transfer
  // One of a bundle teaches of all: each look compares all with all.
  if (sharing.some((one) => one.isListed && one.direction === direction && one.key < key)) return []
  const view = isOpenLesson(transfer, settings.learned) ? viewWhole(direction, sharing, settings) : null
  const own = view === null ? [] : listLike(view)
  if (view === null || !own.some(({ like }) => like.key === transfer.key)) return []
  const isLeft = sumExtra(own, view, sharing, transfer.token.address) > 0n
  const newestAt = Math.max(...sharing.map(({ firstSeenAt }) => firstSeenAt))
  if (isLeft && settings.now - newestAt < extraHoldMs) return []
  if (isLeft && settings.isTold && haveRecords(direction, settings.learned)) return []
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
  return mayBeSeveral(action) || countItems(transfer.direction, learned).equal < enoughSingles
}

/** Whether items of a zone action are known to have a record each. */
export function haveRecords(direction: Direction, learned: LearnedActions): boolean {
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
  if (first === undefined || listed.length > mostCompared || listed.some(isBatch)) return null
  const view = viewAction(first, listed, settings)
  return view === null || view.chosen.isVague || view.chosen.open.length > 0 ? null : view
}

interface LikeItem {
  /** Empty where the action names nobody. */
  readonly targetAddress: string
  readonly amountRaw: bigint
  /** One whose own item is of the same form: of its token. */
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
  const bySlot = new Map(models.map((model) => [model.slot, model]))
  const byForm = new Map(models.map((model) => [model.form, model]))
  return items.flatMap((slot): LikeItem[] => {
    const model = bySlot.get(slot) ?? byForm.get(formOf(slot, names))
    const amountRaw = model === undefined ? null : amountOf(slot, model.like, names, model.unit)
    if (model === undefined || amountRaw === null || amountRaw <= 0n) return []
    const [payee] = saidOf(slot, names, 'recipient').concat(valuesOf(slot.item, names.party))
    return [
      {
        targetAddress: readAddress(payee ?? '') ?? '',
        amountRaw,
        like: model.like,
        isTaken: taken.has(slot),
      },
    ]
  })
}

/** What items of a token come to that no record tells, base units. */
function sumExtra(
  items: readonly LikeItem[],
  { claims }: View,
  sharing: readonly Transfer[],
  token: string,
): bigint {
  const keys = new Set(claims.map(({ key }) => key))
  // Records that take no item, such as those of failed transfers, and what the chain alone shows.
  const others = sharing.filter(({ key }) => !keys.has(key))
  return items
    .filter(({ isTaken, like }) => !isTaken && like.token.address === token)
    .reduce((sum, { targetAddress, amountRaw, like }) => {
      const at = others.findIndex(
        (one) =>
          one.direction === like.direction &&
          one.amountRaw === amountRaw &&
          (targetAddress === '' || one.targetAddress === targetAddress),
      )
      if (at < 0) return sum + amountRaw
      others.splice(at, 1)
      return sum
    }, 0n)
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
