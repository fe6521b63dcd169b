import { type BatchItem, type Fields, pickFields, readItem, toItem } from './batchItem.ts'
import { guessItems } from './batchColumns.ts'
import { type Decimal, formatDecimal, isEqual, sumDecimals } from '../bridge/decimal.ts'
import { parseJson, unwrap } from '../bridge/nestedJson.ts'
import { isObject } from '../lib/isObject.ts'

export type BatchReading =
  /** Nothing is there: an empty text, or a placeholder for one. */
  | { readonly kind: 'none' }
  | { readonly kind: 'items'; readonly items: readonly BatchItem[]; readonly total: Decimal }
  | { readonly kind: 'unresolved'; readonly reason: string }

const maxDepth = 6
const maxItems = 10_000

/**
 * Reads a `batchDetail`, of which no sample is public: lists of objects, parallel lists, lists of pairs, maps from token
 * id to amount, one object, wrapped or put into strings any number of times. What can be read in several ways is read in
 * the one that adds up to `expected`; when none does, or it can be read in no way, it is unresolved: never guessed.
 *
 * Amounts are exact or nothing: a JSON number beyond 2^53 has already lost digits, wherever it was written.
 * @param expected sums that the record's own amount allows, in whichever unit
 * @example readBatchDetail('{"tokenIds":["7"],"amounts":["12"]}', [])
 */
export function readBatchDetail(text: string, expected: readonly Decimal[]): BatchReading {
  const parsed = parseJson(text)
  if (isPlaceholder(parsed)) return { kind: 'none' }
  const read = parsed === undefined ? unresolved('it is not JSON') : chooseReading(parsed, expected)
  const isSettled = read.kind === 'items' && expected.some((sum) => isEqual(sum, read.total))
  const isNamed = !(Array.isArray(parsed) && parsed.every((one) => Array.isArray(unwrap(one))))
  if (read.kind === 'items' && read.items.some(saysMore) && (isSettled || isNamed)) return read
  // Words and forms that nobody knows, but that add up, before bare amounts and lists that do not.
  const guessed = guessItems(parsed ?? text, expected)
  return guessed === null
    ? read
    : { kind: 'items', items: guessed, total: sumDecimals(guessed.map(({ amount }) => amount)) }
}

/** Whether an item is more than a number that may be anything. */
function saysMore({ tokenId, recipient }: BatchItem): boolean {
  return tokenId !== null || recipient !== null
}

function chooseReading(parsed: unknown, expected: readonly Decimal[]): BatchReading {
  const readings = distinct(listReadings(parsed, 0))
  const fitting = readings.filter((one) => expected.some((sum) => isEqual(sumOf(one.items), sum)))
  const certain = readings.filter((one) => !one.isGuess)
  const [chosen, ...others] = fitting.length > 0 ? mostDetailed(fitting) : certain
  if (!chosen) return unresolved('no items with amounts can be told in it')
  if (others.length > 0) return unresolved('it can be read in several ways')
  return { kind: 'items', items: chosen.items, total: sumOf(chosen.items) }
}

function unresolved(reason: string): BatchReading {
  return { kind: 'unresolved', reason }
}

interface Reading {
  readonly items: readonly BatchItem[]
  /** Believed only when it adds up. */
  readonly isGuess: boolean
}

function sumOf(items: readonly BatchItem[]): Decimal {
  return sumDecimals(items.map(({ amount }) => amount))
}

/** Equal readings are one; a guess that is also read plainly is no guess. */
function distinct(readings: readonly Reading[]): Reading[] {
  const byContent = new Map<string, Reading>()
  for (const reading of readings) {
    const key = JSON.stringify(reading.items.map((item) => ({ ...item, amount: formatDecimal(item.amount) })))
    const known = byContent.get(key)
    if (!known || known.isGuess) byContent.set(key, reading)
  }
  return [...byContent.values()]
}

/** A total beside its parts adds up as well as they do: the parts say more. */
function mostDetailed(fitting: readonly Reading[]): readonly Reading[] {
  const plain = fitting.filter((one) => !one.isGuess)
  const pool = plain.length > 0 ? plain : fitting
  const most = Math.max(...pool.map(({ items }) => items.length))
  return pool.filter(({ items }) => items.length === most)
}

function isPlaceholder(value: unknown): boolean {
  if (value === null || value === '') return true
  if (typeof value === 'string') {
    const inner = unwrap(value)
    return inner !== value && isPlaceholder(inner)
  }
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

function listReadings(given: unknown, depth: number): Reading[] {
  if (depth > maxDepth) return []
  const value = unwrap(given)
  if (value !== given && typeof value === 'string') return listReadings(value, depth + 1)
  if (Array.isArray(value)) return value.length > maxItems ? [] : readList(value.map(unwrap), depth)
  return isObject(value) ? readObject(value, depth) : []
}

function readList(list: readonly unknown[], depth: number): Reading[] {
  if (list.length === 0) return []
  if (list.every(isObject)) {
    const items = list.map(readItem)
    if (items.every((item) => item !== null)) return [{ items, isGuess: false }]
    // Groups, each with items of its own: all of them, or none.
    const groups = list.map((group) => listReadings(group, depth + 1))
    return groups.every((group) => group.length === 1) ? [joinGroups(groups.flat())] : []
  }
  if (list.every((entry) => Array.isArray(entry))) return readNested(list as readonly unknown[][])
  if (list.length === 1) return listReadings(list[0], depth + 1)
  // Bare numbers may be amounts, and may be anything else.
  return toReadings(
    list.map((entry) => toItem({ amount: entry })),
    true,
  )
}

function joinGroups(groups: readonly Reading[]): Reading {
  return { items: groups.flatMap(({ items }) => items), isGuess: groups.some(({ isGuess }) => isGuess) }
}

/** Pairs of id and amount, or one list of ids beside one of amounts; which comes first is not known either. */
function readNested(lists: readonly (readonly unknown[])[]): Reading[] {
  const pairs = lists.every((pair) => pair.length === 2)
    ? [
        ...toReadings(
          lists.map(([tokenId, amount]) => toItem({ tokenId, amount })),
          false,
        ),
        ...toReadings(
          lists.map(([amount, tokenId]) => toItem({ tokenId, amount })),
          true,
        ),
      ]
    : []
  const [first, second] = lists
  const isParallel = lists.length === 2 && first?.length === second?.length
  if (!isParallel || !first || !second) return pairs
  return [
    ...pairs,
    ...toReadings(
      first.map((tokenId, at) => toItem({ tokenId, amount: second[at] })),
      false,
    ),
    ...toReadings(
      first.map((amount, at) => toItem({ amount, tokenId: second[at] })),
      true,
    ),
  ]
}

function toReadings(items: readonly (BatchItem | null)[], isGuess: boolean): Reading[] {
  const whole = items.filter((item) => item !== null)
  return whole.length === items.length && whole.length > 0 ? [{ items: whole, isGuess }] : []
}

function readObject(object: Record<string, unknown>, depth: number): Reading[] {
  const map = readMap(object)
  if (map.length > 0) return map
  const own = [...readParallel(object), ...toReadings([readItem(object)], false)]
  const values = Object.values(object).map(unwrap)
  const nested = values
    .filter(
      (value) =>
        isObject(value) || (Array.isArray(value) && value.some((v) => typeof v === 'object' || isJson(v))),
    )
    .flatMap((value) => listReadings(value, depth + 1))
  return [...own, ...nested]
}

function isJson(value: unknown): boolean {
  return typeof unwrap(value) === 'object'
}

/** `{ tokenIds: [...], amounts: [...] }`: lists of one length, and single values that hold for all. */
function readParallel(object: Record<string, unknown>): Reading[] {
  const fields: Fields = pickFields(object)
  const lists = Object.entries(fields).flatMap(([name, value]) => {
    const list = unwrap(value)
    return Array.isArray(list) ? [[name, list as readonly unknown[]] as const] : []
  })
  const byName = new Map(lists)
  const amounts = byName.get('amount')
  if (!amounts || amounts.length === 0) return []
  if (lists.some(([, list]) => list.length !== amounts.length)) return []
  const items = amounts.map((_, at) =>
    toItem({ ...fields, ...Object.fromEntries(lists.map(([name, list]) => [name, list[at]])) }),
  )
  return toReadings(items, false)
}

/** `{ "7": "12", "8": "3" }`: from token id to amount; or a list written as an object. */
function readMap(object: Record<string, unknown>): Reading[] {
  const entries = Object.entries(object)
  if (entries.length === 0 || !entries.every(([key]) => /^(0x[0-9a-f]+|\d+)$/i.test(key))) return []
  const values = entries.map(([, value]) => unwrap(value))
  if (values.every(isObject)) return toReadings(values.map(readItem), false)
  const isList = entries.every(([key], at) => key === String(at))
  return toReadings(
    entries.map(([tokenId, amount]) => toItem({ tokenId, amount })),
    isList,
  )
}
