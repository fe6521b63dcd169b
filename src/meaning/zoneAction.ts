import { parseDecimal } from '../bridge/amount.ts'
import { toCanonicalId } from '../bridge/movedToken.ts'
import { type Decimal, isEqual } from '../bridge/decimal.ts'
import { unwrap } from '../bridge/nestedJson.ts'
import { isObject } from '../lib/isObject.ts'

/**
 * One thing that a zone transaction does, as its action data writes it: what stands under which name. Which of the
 * names is the amount, the recipient or the token is not documented, and learned from transfers that match.
 */
export type ActionItem = ReadonlyMap<string, readonly string[]>

const maxDepth = 6
const maxItems = 500
const maxValues = 64

/**
 * The readings of an action's data: every list in it that could be its items, and the whole as one item. Numbers keep
 * all digits that were written. Empty when it is no JSON object.
 * @example readAction('{"type":"withdraw","amount":"5"}') // [[Map { 'type' => ['withdraw'], 'amount' => ['5'] }]]
 */
export function readAction(text: string): ActionItem[][] {
  const data = parseExactly(text)
  if (!isObject(data)) return []
  return [...listItems('', data, 0), [toItem(data)]].filter((items) => items.length > 0)
}

/** Whether what stands under a name is this amount, in whichever unit, or the amount rounded as programs round. */
export function isAmount(value: string, amounts: readonly Decimal[]): boolean {
  const number = readNumber(value)
  return number !== null && amounts.some((amount) => isEqual(amount, number) || isRounded(number, amount))
}

/**
 * Whether a number is another one cut or rounded where its own digits end: what was once a floating-point number, or
 * is made for display. Of fewer digits than these it would be another amount.
 */
function isRounded(number: Decimal, amount: Decimal): boolean {
  if (number.scale === 0 || number.scale >= amount.scale) return false
  if (number.digits < leastRounded) return false
  const unit = 10n ** BigInt(amount.scale - number.scale)
  const difference = number.digits * unit - amount.digits
  const off = difference < 0n ? -difference : difference
  return off < unit || off * doublePrecision < amount.digits
}

/** What floating-point numbers are off by is less than one part in so many. */
const doublePrecision = 10n ** 15n

/** Four digits. */
const leastRounded = 1_000n

/** Whether two texts are one address, or one token id in whichever notation. */
export function isName(value: string, name: string): boolean {
  if (value.toLowerCase() === name.toLowerCase() || toCanonicalId(value) === toCanonicalId(name)) return true
  const address = readAddress(value)
  return address !== null && address === readAddress(name)
}

/** The address that a text names: alone, as a word of 32 bytes, or behind the name of its chain; null without one. */
export function readAddress(value: string): string | null {
  const [, padding, hex] = /^(?:[\w.-]{1,32}:){0,3}0x(0{24})?([0-9a-f]{40})$/i.exec(value.trim()) ?? []
  // A word that begins with many more zeros is a number.
  if (hex === undefined || (padding !== undefined && hex.startsWith('00000000'))) return null
  return `0x${hex.toLowerCase()}`
}

/** A number as written, decimal or hex; null for what is none. */
export function readNumber(value: string): Decimal | null {
  // Forty digits of hex are an address.
  if (/^0x[0-9a-f]{1,39}$/i.test(value) || (/^0x[0-9a-f]{64}$/i.test(value) && readAddress(value) === null))
    return { digits: BigInt(value), scale: 0 }
  return parseDecimal(value)
}

/** Whether a number stands for "all there is": the most that its type holds. */
export function isAllThereIs({ digits, scale }: Decimal): boolean {
  return scale === 0 && mostOfTypes.has(digits)
}

/** Whether an action may do several things: reading one costs more than looking for a list in it. */
export function mayBeSeveral(action: string): boolean {
  return /\[|0x[0-9a-f]{40}\\*"\s*:/i.test(action)
}

/** Whether a value stands where an amount does: a number, or a word for all there is. */
export function isAmountLike(value: string): boolean {
  return readNumber(value) !== null || /^(all|max|maximum|full|everything|entire|-1)$/i.test(value)
}

const mostOfTypes = new Set([53, 63, 64, 127, 128, 255, 256].map((bits) => (1n << BigInt(bits)) - 1n))

function parseExactly(text: string): unknown {
  try {
    // A JSON number loses digits beyond 2^53; its own text does not.
    return JSON.parse(text, (_, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? (context?.source ?? String(value)) : value,
    ) as unknown
  } catch {
    return undefined
  }
}

/** Lists of objects or of lists, lists of equal length side by side, and objects by address, wherever they are. */
function listItems(name: string, given: unknown, depth: number): ActionItem[][] {
  if (depth > maxDepth) return []
  const value = reparse(given)
  if (Array.isArray(value)) {
    const entries = value.slice(0, maxItems).map((one) => reparse(one))
    return [...readEntries(name, entries), ...entries.flatMap((one) => listItems(name, one, depth + 1))]
  }
  if (!isObject(value)) return []
  const own = isByAddress(value) ? [Object.entries(value).map((entry) => toKeyedItem(name, entry))] : []
  return [
    ...own,
    ...readParallel(value),
    ...Object.entries(value).flatMap(([key, inner]) =>
      typeof inner === 'object' || typeof inner === 'string'
        ? listItems(isAddress(key) ? name : toSingular(nameOf(key)), inner, depth + 1)
        : [],
    ),
  ]
}

/** Entries that are objects say what they are; entries that are lists stand under one name with all that they hold. */
function readEntries(name: string, entries: readonly unknown[]): ActionItem[][] {
  if (entries.length === 0) return []
  if (entries.every(isObject)) return [entries.map((one) => toItem(one))]
  return entries.every((one) => Array.isArray(one)) ? [entries.map((one) => toItem({ [name]: one }))] : []
}

/** `{ "0x…": … }`: the address is the one part that is not called anything. */
function isByAddress(object: Record<string, unknown>): boolean {
  const keys = Object.keys(object)
  return keys.length > 0 && keys.length <= maxItems && keys.every(isAddress)
}

function toKeyedItem(name: string, [key, value]: [string, unknown]): ActionItem {
  return toItem({ [`${name}key`]: key, [`${name}value`]: value })
}

function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text)
}

/** Text that holds JSON, put into texts any number of times, with its numbers whole. */
function reparse(value: unknown, depth = 0): unknown {
  if (typeof value !== 'string' || depth > maxDepth) return value
  const inner = unwrap(value)
  if (typeof inner === 'object') return parseExactly(value) ?? value
  const held = inner === value ? value : reparse(inner, depth + 1)
  return typeof held === 'object' ? held : value
}

function readParallel(object: Record<string, unknown>): ActionItem[][] {
  const lists = Object.entries(object).flatMap(([name, given]) => {
    const list = reparse(given)
    return Array.isArray(list) && list.length > 0 && list.every(isScalar) ? [[name, list] as const] : []
  })
  // What else is a list of another length has nothing to do with them.
  return [...Map.groupBy(lists, ([, list]) => list.length)].flatMap(([length, alike]) =>
    length > maxItems
      ? []
      : [
          Array.from(
            { length },
            (_, at) => new Map(alike.map(([name, list]) => [toSingular(nameOf(name)), [String(list[at])]])),
          ),
        ],
  )
}

/** An item with all that stands in it, nested values under their own names. */
function toItem(object: Record<string, unknown>): ActionItem {
  const item = new Map<string, string[]>()
  let count = 0
  const add = (name: string, given: unknown, depth: number): void => {
    if (count >= maxValues || depth > maxDepth) return
    const value = reparse(given)
    if (Array.isArray(value)) for (const one of value) add(toSingular(name), one, depth + 1)
    else if (isObject(value))
      for (const [inner, one] of Object.entries(value)) {
        const isKey = isAddress(inner)
        const own = toSingular(name)
        if (isKey) add(`${own}key`, inner, depth + 1)
        add(isKey ? `${own}value` : nameOf(inner), one, depth + 1)
      }
    else if (isScalar(value)) {
      count += 1
      item.set(name, [...(item.get(name) ?? []), String(value)])
    }
  }
  for (const [name, value] of Object.entries(object)) add(nameOf(name), value, 0)
  return item
}

function isScalar(value: unknown): value is string | boolean {
  return typeof value === 'string' || typeof value === 'boolean'
}

function nameOf(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[_\-\s]/g, '')
    .slice(0, 40)
}

function toSingular(name: string): string {
  return name
    .replace(/ies$/, 'y')
    .replace(/(ss|us)es$/, '$1')
    .replace(/([^s])s$/, '$1')
}
