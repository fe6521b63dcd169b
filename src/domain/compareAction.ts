import { parseDecimal } from './amount.ts'
import { toBaseUnits } from './decimal.ts'
import {
  type ActionField,
  isToSelf,
  type LearnedActions,
  namesOthers,
  otherTokenOf,
  saysAnything,
  saysField,
} from './learnedActions.ts'
import { originChain, type Transfer } from './transfer.ts'
import { type ActionItem, isName, readNumber } from './zoneAction.ts'

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

/** The names under which items say each part of a transfer; `party` is its sender or its recipient. */
export type Names = Readonly<Record<ActionField | 'party', ReadonlySet<string>>>

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

/** An item, or one of its amounts: what holds several is a list in a form of its own. */
export interface Slot {
  readonly item: ActionItem
  readonly only: string | null
}

export function isBatch({ crossType }: Transfer): boolean {
  return /batch/i.test(crossType)
}

/** Base units, were the number in them, and were it in token units. */
export function toRaws(value: string, { token }: Transfer): (bigint | null)[] {
  const number = readNumber(value)
  if (number === null) return []
  return [
    number.scale === 0 ? number.digits : null,
    token.decimals === null ? null : toBaseUnits(number, token.decimals),
  ]
}

/** What an item says otherwise than the record; nothing where it says nothing. */
export function listDifferences(
  slot: Slot,
  transfer: Transfer,
  names: Names,
  { learned, fees }: ActionSettings,
): ActionGap[] {
  const { item } = slot
  const fields = (['recipient', 'amount', 'tokenId'] as const).flatMap((what): ActionGap[] => {
    const said = saidOf(slot, names, what)
    if (said.length === 0 || !isComparable(transfer, what) || fits(said, transfer, what)) return []
    if (what === 'recipient' && namesOtherwise(item, transfer)) return []
    if (what === 'amount' && said.some((value) => isNear(value, transfer, fees))) return []
    return [{ what, found: said.slice(0, 3).join(', ') }]
  })
  const parties = fields.some(({ what }) => what === 'recipient')
    ? []
    : [...listStrangers(item, transfer, names), ...listUnsaid(slot, transfer, names, learned)].slice(0, 1)
  const token = otherTokenOf(learned, transfer, item)
  return [...fields, ...parties, ...(token === null ? [] : [{ what: 'token' as const, found: token }])]
}

/** Where names stand for a party, and now for neither of the record's, while the recipient stands nowhere. */
function listStrangers(item: ActionItem, transfer: Transfer, { party }: Names): ActionGap[] {
  if (transfer.targetAddress === '' || fits([...item.values()].flat(), transfer, 'recipient')) return []
  const said = valuesOf(item, party).filter((value) => saysAnything(value, 'recipient'))
  const own = [transfer.sourceAddress, transfer.from, transfer.to].filter((address) => address !== '')
  return said.length === 0 || said.some((value) => own.some((address) => isName(value, address)))
    ? []
    : [{ what: 'recipient', found: said.slice(0, 3).join(', ') }]
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

/** Who is paid may stand under a name of its own that is rarely given, beside the one who is paid otherwise. */
function namesOtherwise(item: ActionItem, transfer: Transfer): boolean {
  return !isToSelf(transfer) && fits([...item.values()].flat(), transfer, 'recipient')
}

/** What an item says of a field; what is no address, no number or no id says nothing. */
export function saidOf({ item, only }: Slot, names: Names, what: ActionField): string[] {
  if (what === 'amount' && only !== null) return [only]
  return valuesOf(item, names[what]).filter((value) => saysAnything(value, what))
}

export function valuesOf(item: ActionItem, names: ReadonlySet<string>): string[] {
  return [...names].flatMap((name) => item.get(name) ?? [])
}

/** Where an item names whoever is paid beside its sender, and now nobody: it pays the sender. */
function listUnsaid(
  { item }: Slot,
  transfer: Transfer,
  { recipient, party }: Names,
  learned: LearnedActions,
): ActionGap[] {
  if (transfer.targetAddress === '' || recipient.size === 0 || isToSelf(transfer)) return []
  // What stands there and is no address may mean anybody.
  if ([...recipient].some((name) => item.has(name)) || fits([...item.values()].flat(), transfer, 'recipient'))
    return []
  const [sender] = valuesOf(item, party)
  return namesOthers(learned, transfer) ? [{ what: 'recipient', found: sender ?? 'not named' }] : []
}

export function toSlots(item: ActionItem, names: Names): Slot[] {
  const amounts = [...names.amount].map((name) =>
    (item.get(name) ?? []).filter((value) => saysAnything(value, 'amount')),
  )
  const several = amounts.find(({ length }) => length > 1)
  return several ? several.map((only) => ({ item, only })) : [{ item, only: null }]
}
