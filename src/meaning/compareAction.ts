import { formatUnits } from '../bridge/amount.ts'
import { type Fees, isNear, toRaws } from './actionFee.ts'
import {
  type ActionField,
  isToSelf,
  type LearnedActions,
  namesOthers,
  saysAnything,
  saysField,
} from './learnedActions.ts'
import { otherTokenOf } from './otherTokens.ts'
import { isBatch, type Transfer } from '../bridge/transfer.ts'
import { type ActionItem, isAmountLike, isName, readAddress, readNumber } from './zoneAction.ts'

/** How a record and the item of its zone transaction differ, and what the item says. */
export interface ActionGap {
  readonly what: ActionField | 'token'
  readonly found: string
}

export interface ActionSettings extends Fees {
  readonly learned: LearnedActions
}

/**
 * The names under which items say each part of a transfer; `party` is its sender or its recipient. `loose` are those
 * that stand for the amount of other tokens, which the zone may count in another unit.
 */
export type Names = Readonly<Record<ActionField | 'party' | 'loose', ReadonlySet<string>>>

/** An item, or one of its amounts: what holds several is a list in a form of its own. */
export interface Slot {
  readonly item: ActionItem
  /** What stands at one place of the list, by name. */
  readonly only: ReadonlyMap<string, string> | null
}

/** What an item says otherwise than the record; nothing where it says nothing. */
export function listDifferences(
  slot: Slot,
  transfer: Transfer,
  names: Names,
  settings: ActionSettings,
): ActionGap[] {
  const { item } = slot
  const { learned } = settings
  const fields = (['recipient', 'amount', 'tokenId'] as const).flatMap((what): ActionGap[] => {
    const said = saidOf(slot, names, what)
    if (said.length === 0 || !isComparable(transfer, what) || fits(said, transfer, what)) return []
    if (what === 'recipient' && namesOtherwise(item, transfer)) return []
    if (what === 'amount' && said.some((value) => isNear(value, transfer, settings))) return []
    if (what === 'amount' && isOtherUnit(slot, transfer, names)) return []
    const shown = what === 'amount' ? said.map((value) => inTokenUnits(value, transfer)) : said
    return [{ what, found: shown.slice(0, 3).join(', ') }]
  })
  const parties = fields.some(({ what }) => what === 'recipient')
    ? []
    : [...listStrangers(item, transfer, names), ...listUnsaid(slot, transfer, names, learned)].slice(0, 1)
  const token = otherTokenOf(learned, transfer, item)
  return [...fields, ...parties, ...(token === null ? [] : [{ what: 'token' as const, found: token }])]
}

/** An amount as records write it. */
function inTokenUnits(value: string, transfer: Transfer): string {
  const { token } = transfer
  const raw = nearestRaw(value, transfer)
  return raw === null || token.decimals === null ? value : formatUnits(raw, token.decimals)
}

/**
 * An amount in base units: in the unit in which the zone's transaction gives the same one, else in that of the two in
 * which it is nearer to the record's. Null where nothing tells.
 */
export function nearestRaw(value: string, transfer: Transfer): bigint | null {
  const { amountRaw, evidence, zone } = transfer
  const [inBase, inUnits] = toRaws(value, transfer)
  const own = evidence.find(
    (one) => one.chain === 'zone' && one.hash === zone?.hash && one.amountRaw !== null,
  )
  const isOwn = (raw: bigint | null | undefined) => own?.amountRaw != null && raw === own.amountRaw
  const both = [inBase ?? null, inUnits ?? null].filter((raw) => raw !== null)
  const raws = both.some(isOwn) ? both.filter(isOwn) : both
  if (amountRaw === null || amountRaw === 0n || raws.length === 0) return null
  const times = (raw: bigint) => Math.abs(Math.log(Number(raw || 1n) / Number(amountRaw)))
  return raws.reduce((best, raw) => (times(raw) < times(best) ? raw : best))
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
  if (what !== 'amount') return valuesOf(item, names[what]).filter((value) => saysAnything(value, what))
  const values = [...names.amount].flatMap((name) => {
    const one = only?.get(name)
    return one === undefined ? (item.get(name) ?? []) : [one]
  })
  const said = values.filter((value) => saysAnything(value, what))
  // Where a word stands for the amount, what stands beside it is something else.
  return values.some((value) => value !== '' && readNumber(value) === null && readAddress(value) === null)
    ? []
    : said
}

/** The record's digits with other zeros at the end, under a name that its own token has not confirmed. */
function isOtherUnit({ item, only }: Slot, transfer: Transfer, { loose }: Names): boolean {
  const own = transfer.amountRaw === null ? '' : digitsOf(transfer.amountRaw)
  return [...loose].some((name) => {
    const one = only?.get(name)
    return (one === undefined ? (item.get(name) ?? []) : [one]).some((value) => {
      const number = readNumber(value)
      return number !== null && isBeginning(digitsOf(number.digits), own)
    })
  })
}

/** A unit with fewer decimals cuts the last digits off. */
function isBeginning(digits: string, own: string): boolean {
  return own !== '' && (digits === own || (digits.length >= 4 && own.startsWith(digits)))
}

function digitsOf(amount: bigint): string {
  return amount.toString().replace(/0+$/, '')
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

function countValues(item: ActionItem): number[] {
  return [...item.values()].map(({ length }) => length)
}

export function toSlots(item: ActionItem, names: Names): Slot[] {
  const amounts = [...names.amount].map(
    (name) => [name, (item.get(name) ?? []).filter(isAmountLike)] as const,
  )
  // Where no word for the amount is known, any list shows how many there are.
  const lengths = names.amount.size > 0 ? amounts.map(([, values]) => values.length) : countValues(item)
  const most = Math.max(0, ...lengths)
  if (most < 2) return [{ item, only: null }]
  const lists = amounts.filter(([, values]) => values.length === most)
  return Array.from({ length: most }, (_, at) => ({
    item,
    only: new Map(lists.map(([name, values]) => [name, values[at] ?? ''])),
  }))
}
