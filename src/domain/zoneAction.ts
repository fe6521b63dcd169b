import { parseDecimal } from './amount.ts'
import { toCanonicalId } from './batchItem.ts'
import { type Decimal, isEqual } from './decimal.ts'
import { isObject, unwrap } from './nestedJson.ts'

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
  return [...listItems(data, 0), [toItem(data)]].filter((items) => items.length > 0)
}

/** Whether what stands under a name is this amount, in whichever unit. */
export function isAmount(value: string, amounts: readonly Decimal[]): boolean {
  const number = readNumber(value)
  return number !== null && amounts.some((amount) => isEqual(amount, number))
}

/** Whether two texts are one address, or one token id in whichever notation. */
export function isName(value: string, name: string): boolean {
  return value.toLowerCase() === name.toLowerCase() || toCanonicalId(value) === toCanonicalId(name)
}

/** A number as written, decimal or hex; null for what is none. */
export function readNumber(value: string): Decimal | null {
  // Forty digits of hex are an address.
  if (/^0x[0-9a-f]{1,39}$/i.test(value) || /^0x[0-9a-f]{64}$/i.test(value))
    return { digits: BigInt(value), scale: 0 }
  return parseDecimal(value)
}

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

/** Lists of objects, and lists of equal length side by side, wherever they are. */
function listItems(given: unknown, depth: number): ActionItem[][] {
  if (depth > maxDepth) return []
  const value = reparse(given)
  if (Array.isArray(value)) {
    const objects = value.slice(0, maxItems).map(reparse)
    const own = objects.length > 0 && objects.every(isObject) ? [objects.map((one) => toItem(one))] : []
    return [...own, ...objects.flatMap((one) => listItems(one, depth + 1))]
  }
  if (!isObject(value)) return []
  return [
    ...readParallel(value),
    ...Object.values(value).flatMap((inner) =>
      typeof inner === 'object' || typeof inner === 'string' ? listItems(inner, depth + 1) : [],
    ),
  ]
}

/** Text that holds JSON, with its numbers whole. */
function reparse(value: unknown): unknown {
  return typeof value === 'string' && typeof unwrap(value) === 'object'
    ? (parseExactly(value) ?? value)
    : value
}

function readParallel(object: Record<string, unknown>): ActionItem[][] {
  const lists = Object.entries(object).flatMap(([name, given]) => {
    const list = reparse(given)
    return Array.isArray(list) && list.length > 0 && list.every(isScalar) ? [[name, list] as const] : []
  })
  const [first] = lists
  if (!first) return []
  const length = first[1].length
  if (length > maxItems || lists.some(([, list]) => list.length !== length)) return []
  return [
    Array.from(
      { length },
      (_, at) => new Map(lists.map(([name, list]) => [toSingular(nameOf(name)), [String(list[at])]])),
    ),
  ]
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
      for (const [inner, one] of Object.entries(value)) add(nameOf(inner), one, depth + 1)
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
