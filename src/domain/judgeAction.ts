import { parseDecimal } from './amount.ts'
import { toBaseUnits } from './decimal.ts'
import {
  type ActionField,
  bestItem,
  establishedNames,
  isToSelf,
  type LearnedActions,
  otherTokenOf,
  saysField,
} from './learnedActions.ts'
import { type LegEvidence, originChain, type Transfer } from './transfer.ts'
import { type ActionItem, readAction, readNumber } from './zoneAction.ts'

/** How a record and the item of its zone transaction differ, and what the item says. */
export interface ActionGap {
  readonly what: ActionField | 'token'
  readonly found: string
}

export interface ActionSettings {
  readonly learned: LearnedActions
  /** At most so much may be kept of a transfer, in token units. */
  readonly fees: readonly { readonly token: string; readonly direction: string; readonly max: string }[]
}

/** The names under which items say each part of a transfer. */
type Names = Readonly<Record<ActionField, ReadonlySet<string>>>

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
  const by = actionOf(transfer)
  if (by === null || !isClaim(transfer)) return null
  const claims = sharing.filter((one) => isClaim(one) && one.direction === transfer.direction)
  if (!claims.some(({ key }) => key === transfer.key)) claims.push(transfer)
  const readings = readAction(by.action)
  const names = namesFor(transfer, claims, readings, settings)
  const chosen = chooseReading(readings, claims, names, settings)
  if (chosen === null) return null
  if (!chosen.open.some(({ key }) => key === transfer.key)) return 'covered'
  const took = claims.filter(({ key }) => chosen.open.every((one) => one.key !== key))
  return took.some((one) => isRowOfBatch(one, transfer)) || isSummedUp(transfer, chosen, names, settings)
    ? 'covered'
    : findGap(transfer, chosen, names, settings)
}

/** Whether an amount that the zone names is the record's but for a fee that may be kept. */
export function isWithinFee(transfer: Transfer, difference: bigint, fees: ActionSettings['fees']): boolean {
  if (difference === 0n) return true
  const { token, direction } = transfer
  const fee = fees.find((one) => one.token.toLowerCase() === token.address && one.direction === direction)
  const max = fee ? parseDecimal(fee.max) : null
  if (max === null || token.decimals === null) return false
  const limit = (max.digits * 10n ** BigInt(token.decimals)) / 10n ** BigInt(max.scale)
  // The zone may name what left before the fee, or what came after it.
  const isOrigin = originChain(direction) === 'zone'
  return isOrigin ? difference > 0n && difference <= limit : difference < 0n && -difference <= limit
}

interface Chosen {
  readonly items: readonly ActionItem[]
  /** Items that no transfer took. */
  readonly left: readonly ActionItem[]
  /** Transfers without an item. */
  readonly open: readonly Transfer[]
}

/** The reading that explains most transfers; the whole as one item only where no list says anything. */
function chooseReading(
  readings: readonly (readonly ActionItem[])[],
  claims: readonly Transfer[],
  names: Names,
  settings: ActionSettings,
): Chosen | null {
  const speaking = (of: typeof readings) => of.map((items) => items.filter((item) => isSpeaking(item, names)))
  const lists = speaking(readings.slice(0, -1)).filter((items) => items.length > 0)
  const whole = speaking(readings.slice(-1)).filter((items) => items.length > 0)
  return (lists.length > 0 ? lists : whole)
    .map((items) => assign(items, claims, names, settings))
    .reduce<Chosen | null>((best, one) => {
      if (best === null || one.open.length < best.open.length) return one
      return one.open.length === best.open.length && one.items.length > best.items.length ? one : best
    }, null)
}

function assign(
  items: readonly ActionItem[],
  claims: readonly Transfer[],
  names: Names,
  settings: ActionSettings,
): Chosen {
  const left = new Set(items)
  const take = (fees: ActionSettings['fees']) => (claim: Transfer) => {
    const of = { ...settings, fees }
    const own = [...left].find((item) => listDifferences(item, claim, names, of).length === 0)
    if (own) left.delete(own)
    return own === undefined
  }
  // Whole amounts first: a fee must not let one transfer take what is exactly another's.
  const open = claims.filter(take([])).filter(take(settings.fees))
  return { items, left: [...left], open }
}

function findGap(
  transfer: Transfer,
  { left, open }: Chosen,
  names: Names,
  settings: ActionSettings,
): ActionGap | null {
  const [nearest] = left
    .map((item) => listDifferences(item, transfer, names, settings))
    .sort((a, b) => a.length - b.length)
  if (nearest) return nearest[0] ?? null
  // One origin with several payouts is another story, told as such; records that E12 never showed may be one record.
  const isOfOther = open.some((one) => one.key !== transfer.key && isSameOrigin(one, transfer))
  return transfer.confirmedStatus === 'unknown' || isOfOther
    ? null
    : { what: 'amount', found: 'no item of its own' }
}

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

function isBatch({ crossType }: Transfer): boolean {
  return /batch/i.test(crossType)
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
  const amounts = own.map((item) => valuesOf(item, names.amount))
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

/** Base units, were the number in them, and were it in token units. */
function toRaws(value: string, { token }: Transfer): (bigint | null)[] {
  const number = readNumber(value)
  if (number === null) return []
  return [
    number.scale === 0 ? number.digits : null,
    token.decimals === null ? null : toBaseUnits(number, token.decimals),
  ]
}

/** What an item says otherwise than the record; nothing where it says nothing. */
function listDifferences(
  item: ActionItem,
  transfer: Transfer,
  names: Names,
  { learned, fees }: ActionSettings,
): ActionGap[] {
  const fields = (['recipient', 'amount', 'tokenId'] as const).flatMap((what): ActionGap[] => {
    const said = valuesOf(item, names[what])
    if (said.length === 0 || !isComparable(transfer, what) || fits(said, transfer, what)) return []
    if (what === 'amount' && said.some((value) => isNear(value, transfer, fees))) return []
    return [{ what, found: said.slice(0, 3).join(', ') }]
  })
  const token = otherTokenOf(learned, transfer, item)
  return token === null ? fields : [...fields, { what: 'token', found: token }]
}

function isNear(value: string, transfer: Transfer, fees: ActionSettings['fees']): boolean {
  const { amountRaw } = transfer
  if (amountRaw === null) return false
  return toRaws(value, transfer).some((raw) => raw !== null && isWithinFee(transfer, raw - amountRaw, fees))
}

function fits(said: readonly string[], transfer: Transfer, what: ActionField): boolean {
  return said.some((value) => saysField(value, transfer, what))
}

/** A batch has one recipient; its amounts and ids may be one record's, or one row's for each item. */
function isComparable(transfer: Transfer, what: ActionField): boolean {
  if (what === 'recipient') return transfer.targetAddress !== ''
  if (isBatch(transfer)) return false
  return what === 'amount'
    ? transfer.amountRaw !== null || transfer.amount !== null
    : transfer.token.id !== ''
}

function valuesOf(item: ActionItem, names: ReadonlySet<string>): string[] {
  return [...names].flatMap((name) => item.get(name) ?? [])
}

function isSpeaking(item: ActionItem, names: Names): boolean {
  return valuesOf(item, names.amount).length + valuesOf(item, names.recipient).length > 0
}

/** What the zone failed to do has no item to look for. */
function isClaim(transfer: Transfer): boolean {
  return transfer.isListed && transfer.status !== 'failed'
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
      return match === null ? [] : [{ ...match, isToSelf: isToSelf(claim) }]
    })
  const of = (what: ActionField): ReadonlySet<string> => {
    const [first, ...rest] = matches
      .filter((match) => what !== 'recipient' || !match.isToSelf)
      .map(({ names }) => new Set(names[what]))
    const here = first && rest.length > 0 ? rest.reduce((common, one) => common.intersection(one), first) : []
    return new Set([...establishedNames(learned, transfer, what), ...here])
  }
  return { amount: of('amount'), recipient: of('recipient'), tokenId: of('tokenId') }
}
