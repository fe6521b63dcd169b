import { parseDecimal } from './amount.ts'

/** One item of a batch withdrawal. What the detail does not say is null. */
export interface BatchItem {
  /** Lower-case contract address. */
  readonly token: string | null
  /** Decimal where the detail gives a number in whatever notation, else as given. */
  readonly tokenId: string | null
  /** Exact; base units or token units: which of the two is not documented. */
  readonly amount: Decimal
  readonly recipient: string | null
}

/** `digits` / 10^`scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

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
  const parsed = parse(text)
  if (parsed === undefined) return { kind: 'unresolved', reason: 'it is not JSON' }
  if (isPlaceholder(parsed)) return { kind: 'none' }
  const readings = distinct(listReadings(parsed, 0))
  const fitting = readings.filter((one) => expected.some((sum) => isEqual(sumOf(one.items), sum)))
  const certain = readings.filter((one) => !one.isGuess)
  const [chosen, ...others] = fitting.length > 0 ? mostDetailed(fitting) : certain
  if (!chosen) return { kind: 'unresolved', reason: 'no items with amounts can be told in it' }
  if (others.length > 0) return { kind: 'unresolved', reason: 'it can be read in several ways' }
  return { kind: 'items', items: chosen.items, total: sumOf(chosen.items) }
}

export function sumDecimals(amounts: readonly Decimal[]): Decimal {
  const scale = Math.max(0, ...amounts.map((one) => one.scale))
  return { digits: amounts.reduce((sum, one) => sum + toScale(one, scale), 0n), scale }
}

export function isEqual(a: Decimal, b: Decimal): boolean {
  return compareDecimals(a, b) === 0
}

function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const difference = toScale(a, scale) - toScale(b, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** @example formatDecimal({ digits: 150n, scale: 2 }) // '1.5' */
export function formatDecimal({ digits, scale }: Decimal): string {
  const text = digits.toString().padStart(scale + 1, '0')
  const fraction = text.slice(text.length - scale).replace(/0+$/, '')
  const whole = text.slice(0, text.length - scale)
  return scale === 0 || fraction === '' ? whole : `${whole}.${fraction}`
}

function toScale(amount: Decimal, scale: number): bigint {
  return amount.digits * 10n ** BigInt(scale - amount.scale)
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
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

/** What a string holds when it holds JSON of a list, an object or another string; else itself. */
function unwrap(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value
  return parse(value) ?? value
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
  const fields = pickFields(object)
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

function readItem(object: Record<string, unknown>): BatchItem | null {
  return toItem(pickFields(object))
}

interface Fields {
  readonly token?: unknown
  readonly tokenId?: unknown
  readonly amount?: unknown
  readonly recipient?: unknown
}

/** Spellings of each field, the surest first; without case, `_` and `-`, singular. */
const spellings = {
  amount: ['valueraw', 'amountraw', 'rawamount', 'rawvalue', 'amount', 'value', 'quantity', 'qty', 'amt'],
  tokenId: ['tokenid', 'nftid', 'nfttokenid', 'positionid', 'id'],
  token: ['tokencontractaddress', 'tokenaddress', 'contractaddress', 'token', 'contract', 'asset'],
  recipient: [
    'targetaddress',
    'recipient',
    'receiver',
    'recipientaddress',
    'receiveraddress',
    'toaddress',
    'to',
    'target',
  ],
} as const

function pickFields(object: Record<string, unknown>): Fields {
  const byName = new Map<string, unknown>()
  for (const [key, value] of Object.entries(object)) {
    const name = key.toLowerCase().replaceAll(/[_\-\s]/g, '')
    for (const form of [
      name,
      name.replace(/ies$/, 'y'),
      name.replace(/e?s$/, ''),
      name.replace(/s$/, ''),
      name.replace(/s(raw)$/, '$1'),
    ])
      if (!byName.has(form) || form === name) byName.set(form, value)
  }
  return Object.fromEntries(
    Object.entries(spellings).flatMap(([field, names]) => {
      const found = names.find((name) => byName.has(name) && byName.get(name) !== '')
      return found === undefined ? [] : [[field, byName.get(found)]]
    }),
  )
}

function toItem(fields: Fields): BatchItem | null {
  const amount = toAmount(unwrap(fields.amount))
  const tokenId = toText(fields.tokenId)
  const token = toText(fields.token)
  const recipient = toText(fields.recipient)
  if (amount === null || tokenId === undefined || token === undefined || recipient === undefined) return null
  return {
    amount,
    tokenId: tokenId === null ? null : toCanonicalId(tokenId),
    token: token?.toLowerCase() ?? null,
    recipient: recipient?.toLowerCase() ?? null,
  }
}

function toAmount(value: unknown): Decimal | null {
  if (typeof value === 'number') {
    const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : value.toPrecision(15).length <= 17
    return isExact && value >= 0 ? parseDecimal(String(value)) : null
  }
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (/^0x[0-9a-f]{1,64}$/i.test(text)) return { digits: BigInt(text), scale: 0 }
  return parseDecimal(text)
}

/** Null when it is not given, undefined when what is given is no name. */
function toText(value: unknown): string | null | undefined {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined
  return typeof value === 'string' ? value.trim() : undefined
}

/** One token id in one spelling: `0x07`, `07` and `7` are the same. */
export function toCanonicalId(id: string): string {
  return /^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(id) ? BigInt(id).toString() : id
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
