import {
  type ActionGap,
  type ActionSettings,
  listDifferences,
  type Names,
  saidOf,
  type Slot,
  toSlots,
  valuesOf,
} from './compareAction.ts'
import { toRaws } from './actionFee.ts'
import { deriveDecimals } from '../bridge/amount.ts'
import { allLikely, enoughToAccuse } from './habit.ts'
import { type ActionField, bestItem, establishedNames, isOfEarlierWords, isToSelf } from './learnedActions.ts'
import { isBatch, type LegEvidence, type Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { hasArrived } from './mayHaveFailed.ts'
import { byPayment } from './paidSums.ts'
import { isMadeAgain } from './replacedPayout.ts'
import { type ActionItem, readAction } from './zoneAction.ts'

/** The zone's word on what a transfer's own transaction does; null without one, or where it failed. */
export function actionOf({ zone, evidence }: Transfer): (LegEvidence & { readonly action: string }) | null {
  for (const one of evidence) {
    const { action } = one
    if (one.chain === 'zone' && one.hash === zone?.hash && one.status === 'success' && action)
      return { ...one, action }
  }
  return null
}

/**
 * Compares a record with the item of its zone transaction that is its own: of the transfers that share the transaction
 * each needs one. Null where nothing can be said, `covered` where there is one.
 * @param sharing transfers of the same zone transaction
 */
export function judgeAction(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: ActionSettings,
): 'covered' | ActionGap | null {
  const view = viewAction(transfer, sharing, settings)
  if (view === null) return null
  const { claims, names, chosen } = view
  if (!chosen.open.some(({ key }) => key === transfer.key)) return 'covered'
  const took = claims.filter(({ key }) => chosen.open.every((one) => one.key !== key))
  if (took.some((one) => isRowOfBatch(one, transfer)) || isSummedUp(transfer, chosen, names, settings))
    return 'covered'
  return chosen.isVague || mayBeSummedUp(transfer, view, settings) ? null : findGap(transfer, view, settings)
}

/**
 * Whether an action does several things of which the transfer is one, by its amount: what the zone says of the whole
 * is then not about it alone, however few of the others have records yet.
 */
export function isOneOfSeveral(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: ActionSettings,
): boolean {
  // What excuses may be less certain than what accuses.
  const likely = { ...settings, learned: allLikely(settings.learned) }
  const view = viewAction(transfer, sharing, likely)
  if (view === null || view.chosen.items.length < 2) return false
  const { names, chosen } = view
  const isOwn = (slot: Slot) =>
    saidOf(slot, names, 'amount').length > 0 && listDifferences(slot, transfer, names, likely).length === 0
  return chosen.open.every(({ key }) => key !== transfer.key) && chosen.items.some(isOwn)
}

export interface View {
  readonly claims: readonly Transfer[]
  readonly names: Names
  readonly chosen: Chosen
}

/** The reading of its action that explains most of the transfers; null where none says anything by known names. */
export function viewAction(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: ActionSettings,
): View | null {
  const by = actionOf(transfer)
  if (by === null || !isClaim(transfer) || isOfEarlierWords(transfer, settings.learned)) return null
  // Who was paid by nothing takes no item from another.
  const claims = sharing.filter(
    (one) => isClaim(one) && one.direction === transfer.direction && !isMadeAgain(one, sharing),
  )
  if (!claims.some(({ key }) => key === transfer.key)) claims.push(transfer)
  // Of two payouts of one item the later one has none: the one that counts as paid again, so that no money is told twice.
  claims.sort(byPayment)
  const readings = readAction(by.action)
  const names = namesFor(transfer, claims, readings, settings)
  const chosen = chooseReading(readings, claims, names, settings)
  return chosen && { claims, names, chosen }
}

/**
 * What may teach the words of actions: the items that contradict nothing of the transfer. One that says it under a
 * strange name, and something else under the known one, is another's, or says anything.
 */
export function listFitting(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: ActionSettings,
): readonly (readonly ActionItem[])[] {
  const readings = readAction(actionOf(transfer)?.action ?? '')
  const names = viewAction(transfer, sharing, settings)?.names
  if (names === undefined) return readings
  const isFitting = (item: ActionItem) =>
    toSlots(item, names).some((slot) => listDifferences(slot, transfer, names, settings).length === 0)
  return readings.map((items) => items.filter(isFitting))
}

interface Chosen {
  readonly items: readonly Slot[]
  readonly taken: ReadonlyMap<Slot, Transfer>
  /** Items that no transfer took. */
  readonly left: readonly Slot[]
  /** Transfers without an item. */
  readonly open: readonly Transfer[]
  /** It may be about all of the transfers together, and say nothing of any. */
  readonly isVague: boolean
}

/** The reading that explains most transfers; the whole as one item only where no list says anything. */
function chooseReading(
  readings: readonly (readonly ActionItem[])[],
  claims: readonly Transfer[],
  names: Names,
  settings: ActionSettings,
): Chosen | null {
  // An item that says nothing by known names is an item all the same.
  const speaking = (of: typeof readings) =>
    of
      .filter((items) => items.some((item) => isSpeaking(item, names)))
      .map((items) => items.flatMap((item) => toSlots(item, names)))
  const lists = speaking(readings.slice(0, -1))
  // Where a list says nothing the words around it are of all of it: they may be one's, never prove none.
  const isList = readings.slice(0, -1).some((items) => items.length > 1)
  const isVague = (open: readonly Transfer[]) =>
    lists.length === 0 && (claims.length > 1 || isList) && open.length === claims.length
  return (lists.length > 0 ? lists : speaking(readings.slice(-1)))
    .map((items) => assign(items, claims, names, settings))
    .map((one) => ({ ...one, isVague: isVague(one.open) }))
    .reduce<Chosen | null>((best, one) => {
      if (best === null || one.open.length < best.open.length) return one
      return one.open.length === best.open.length && one.items.length > best.items.length ? one : best
    }, null)
}

/** As many transfers as can each have an item of their own: what fits one only is not left to it by chance. */
function assign(
  items: readonly Slot[],
  claims: readonly Transfer[],
  names: Names,
  settings: ActionSettings,
): Omit<Chosen, 'isVague'> {
  const taken = new Map<Slot, Transfer>()
  const place = (claim: Transfer, of: ActionSettings, tried: Set<Slot>): boolean => {
    for (const item of items) {
      if (tried.has(item) || listDifferences(item, claim, names, of).length > 0) continue
      tried.add(item)
      const holder = taken.get(item)
      if (holder !== undefined && !place(holder, of, tried)) continue
      taken.set(item, claim)
      return true
    }
    return false
  }
  // Whole amounts first: a fee must not let one transfer take what is exactly another's.
  const take = (of: ActionSettings) => (claim: Transfer) => !place(claim, of, new Set())
  const open = claims.filter(take({ learned: settings.learned, fees: [] })).filter(take(settings))
  return { items, taken, left: items.filter((item) => !taken.has(item)), open }
}

function findGap(
  transfer: Transfer,
  { claims, names, chosen: { left, open } }: View,
  settings: ActionSettings,
): ActionGap | null {
  const [nearest] = left
    .map((item) => listDifferences(item, transfer, names, settings))
    .sort((a, b) => a.length - b.length)
  if (nearest) return nearest[0] ?? null
  // One origin with several payouts is another finding, reported as such; records that E12 never showed may be one record.
  const isOfOther = open.some((one) => one.key !== transfer.key && isSameOrigin(one, transfer))
  const mayBeOne = transfer.confirmedStatus === 'unknown' && !arePaidApart(claims)
  return mayBeOne || isOfOther ? null : { what: 'amount', found: noItem }
}

/** Whether each of several withdrawals is known to be paid by a main transaction of its own. */
function arePaidApart(claims: readonly Transfer[]): boolean {
  const hashes = claims.flatMap((one) =>
    one.direction === 'ZoneToMain' && one.main !== null && hasArrived(one, one.main) ? [one.main.hash] : [],
  )
  return new Set(hashes).size === claims.length
}

/** How long after the newest record of a zone transaction E12 may yet show that it is one with another, ms. */
const shownMs = 120_000

/** Whether E12 may yet show that this record and another one of its zone transaction are one. */
export function mayBeOneRecord(transfer: Transfer, sharing: readonly Transfer[], now: UnixMs): boolean {
  if (transfer.confirmedStatus !== 'unknown' || sharing.length < 2) return false
  return now - Math.max(...sharing.map(({ firstSeenAt }) => firstSeenAt)) < shownMs
}

/** What is said to be found where all items are of others. */
export const noItem = 'no item of its own'

/** Lists may show a batch as one row for each of its items, while the zone has one action for all of it. */
function isRowOfBatch(a: Transfer, b: Transfer): boolean {
  const isSame = (x: string | null, y: string | null) => x !== null && x === y
  return (
    isBatch(a) &&
    isBatch(b) &&
    a.token.address === b.token.address &&
    a.targetAddress === b.targetAddress &&
    (isSame(a.zoneEventIndex, b.zoneEventIndex) || isSame(a.batchDetail, b.batchDetail))
  )
}

function isSameOrigin(a: Transfer, b: Transfer): boolean {
  const isSame = (x: string | null, y: string | null) => x !== null && x === y
  return isSame(a.id, b.id) || isSame(a.zoneEventIndex, b.zoneEventIndex)
}

/** One item for a batch that is shown as several rows, or several items that one record adds up. */
function isSummedUp(transfer: Transfer, chosen: Chosen, names: Names, settings: ActionSettings): boolean {
  const { left, open } = chosen
  const own = left.filter((item) =>
    listDifferences(item, transfer, names, settings).every(({ what }) => what === 'amount'),
  )
  const amounts = own.map((item) => saidOf(item, names, 'amount'))
  if (own.length === 0) return false
  if (amounts.every((values) => values.length === 0)) return true
  const alike = open.filter(
    (one) => one.token.address === transfer.token.address && one.targetAddress === transfer.targetAddress,
  )
  const claimed = alike.reduce((sum, { amountRaw }) => sum + (amountRaw ?? 0n), 0n)
  return [0, 1].some((way) => {
    const raws = amounts.flatMap(([value]) =>
      value === undefined ? [] : (toRaws(value, transfer)[way] ?? []),
    )
    const total = raws.reduce((sum, raw) => sum + raw, 0n)
    return raws.length > 0 && (raws.includes(claimed) || total === claimed || total === transfer.amountRaw)
  })
}

/** Whether an item may be for it and for another that does not say how much it is: whole numbers are base units. */
function mayBeSummedUp(
  transfer: Transfer,
  { claims, names, chosen }: View,
  settings: ActionSettings,
): boolean {
  const { amountRaw } = transfer
  if (amountRaw === null || !claims.some((one) => isUnsaidBeside(one, transfer))) return false
  return chosen.items.some(
    (item) =>
      listDifferences(item, transfer, names, settings).every(({ what }) => what === 'amount') &&
      saidOf(item, names, 'amount').some((value) => {
        const [inBase, inUnits] = toRaws(value, transfer)
        return (inBase ?? inUnits ?? -1n) >= amountRaw
      }),
  )
}

function isUnsaidBeside(
  { amount, amountRaw, key, targetAddress, token }: Transfer,
  transfer: Transfer,
): boolean {
  const isAlike = token.address === transfer.token.address && targetAddress === transfer.targetAddress
  return isAlike && amount === null && amountRaw === null && key !== transfer.key
}

function isSpeaking(item: ActionItem, names: Names): boolean {
  return valuesOf(item, names.amount).length + valuesOf(item, names.recipient).length > 0
}

/** What the zone failed to do has no item to look for. */
function isClaim(transfer: Transfer): boolean {
  return transfer.isListed && transfer.status !== 'failed'
}

/** Whether the zone's own transaction shows that it gives the token the decimals that the record gives it. */
function isCountedAlike(transfer: Transfer): boolean {
  const by = actionOf(transfer)
  if (by?.amountRaw == null || by.amount == null) return false
  return deriveDecimals(by.amount, by.amountRaw) === transfer.token.decimals
}

/** Names that earlier transfers taught, and those by which all others of this very transaction match. */
function namesFor(
  transfer: Transfer,
  claims: readonly Transfer[],
  readings: readonly (readonly ActionItem[])[],
  { learned }: ActionSettings,
): Names {
  const matches = claims
    .filter(({ key }) => key !== transfer.key)
    .flatMap((claim) => {
      const match = bestItem(readings, claim)
      return match === null ? [] : [{ ...match, isToSelf: isToSelf(claim), token: claim.token.address }]
    })
  const enoughHere = (learned.needed ?? 0) < enoughToAccuse ? 2 : enoughToAccuse
  const of = (what: ActionField): ReadonlySet<string> => {
    const [first, ...rest] = matches
      .filter((match) => what !== 'recipient' || !match.isToSelf)
      .map(({ names }) => new Set(names[what]))
    const isEnough = rest.length + 1 >= enoughHere
    const here = first && isEnough ? rest.reduce((common, one) => common.intersection(one), first) : []
    return new Set([...establishedNames(learned, transfer, what), ...here])
  }
  const party = establishedNames(learned, transfer, 'party')
  const confirmed = establishedNames(learned, transfer, 'amount', transfer.token.address)
  const amount = of('amount').union(confirmed)
  const isHere =
    isCountedAlike(transfer) ||
    matches.some((match) => match.token === transfer.token.address && match.names.amount.length > 0)
  const loose = isHere ? new Set<string>() : amount.difference(confirmed)
  return { amount, loose, recipient: of('recipient'), tokenId: of('tokenId'), party }
}
