import type { BatchItem } from './batchItem.ts'
import { type Decimal, isEqual, sumDecimals } from '../bridge/decimal.ts'
import { unwrap } from '../bridge/nestedJson.ts'
import { isObject } from '../lib/isObject.ts'
import { parseDecimal } from '../bridge/amount.ts'
import { toCanonicalId } from '../bridge/movedToken.ts'

/** What stands under one name, or at one place, in every item. */
interface Column {
  readonly name: string
  readonly values: readonly string[]
}

type Table = readonly Column[]

const maxDepth = 6
const maxRows = 10_000
const maxColumns = 32

/**
 * The items of a detail whose words are not known: of all that could be a table the one column that adds up to the
 * record says the amounts. Null where none does, or several that differ: nothing here is believed by its name alone.
 * @param expected sums that the record's own amount allows
 */
export function guessItems(parsed: unknown, expected: readonly Decimal[]): BatchItem[] | null {
  const tables = listTables(unwrap(parsed), 0)
  const readings = tables.flatMap((table) => readTable(table, expected))
  const most = Math.max(0, ...readings.map(({ length }) => length))
  const [first, ...others] = readings.filter(({ length }) => length === most)
  if (!first) return null
  const amountsOf = (items: readonly BatchItem[]) =>
    items.map(({ amount }) => `${amount.digits}e-${amount.scale}`).join()
  return others.every((one) => amountsOf(one) === amountsOf(first)) ? first : null
}

function readTable(table: Table, expected: readonly Decimal[]): BatchItem[][] {
  const numeric = table.filter(({ values }) => values.every((value) => toNumber(value) !== null))
  return numeric.flatMap((amounts) => {
    const numbers = amounts.values.map((value) => toNumber(value) ?? { digits: 0n, scale: 0 })
    const sum = sumDecimals(numbers)
    if (isId(amounts.name) || !expected.some((one) => isEqual(one, sum))) return []
    const ids = table.filter((column) => column !== amounts && isId(column.name))
    const payees = table.filter(({ name, values }) => isPayee(name) && values.every(isAddress))
    const id = chooseId(ids)
    const payee = payees.length === 1 ? payees[0] : undefined
    return [
      numbers.map((amount, at) => ({
        token: null,
        tokenId: id === undefined ? null : toCanonicalId(id.values[at] ?? ''),
        amount,
        recipient: payee?.values[at]?.toLowerCase() ?? null,
      })),
    ]
  })
}

/** A token's own id before one that may number the items. */
function chooseId(ids: readonly Column[]): Column | undefined {
  const own = ids.filter(({ name }) => /(token|nft|item|asset)/.test(name))
  const [only, ...others] = own.length > 0 ? own : ids
  return others.length === 0 ? only : undefined
}

function isId(name: string): boolean {
  return /(^|[a-z])ids?(list|array|s)?$/.test(name) && !/(paid|void|valid|bid)$/.test(name)
}

function isPayee(name: string): boolean {
  return /(recipient|receiver|target|beneficiar|^to|payee|owner)/.test(name)
}

function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text)
}

function toNumber(text: string): Decimal | null {
  if (/^0x[0-9a-f]{1,39}$|^0x[0-9a-f]{64}$/i.test(text)) return { digits: BigInt(text), scale: 0 }
  return parseDecimal(text)
}

function listTables(value: unknown, depth: number): Table[] {
  if (depth > maxDepth) return []
  if (typeof value === 'string') return readText(value)
  if (Array.isArray(value)) return listOfList(value.slice(0, maxRows).map(unwrap), depth)
  if (!isObject(value)) return []
  const fields = Object.entries(value).map(([name, inner]) => [name, splitText(unwrap(inner))] as const)
  const lists = fields.flatMap(([name, inner]) =>
    Array.isArray(inner) && inner.length > 0 && inner.every(isScalar)
      ? [{ name: toName(name), values: inner.map(String) }]
      : [],
  )
  const parallel = [...Map.groupBy(lists, ({ values }) => values.length).values()]
  const keyed = fields.length > 0 && fields.every(([name]) => isAddress(name)) ? readKeyed(fields) : []
  return [...parallel, ...keyed, ...fields.flatMap(([, inner]) => listTables(inner, depth + 1))]
}

function listOfList(list: readonly unknown[], depth: number): Table[] {
  if (list.length === 0) return []
  const nested = list.flatMap((one) => (typeof one === 'object' ? listTables(one, depth + 1) : []))
  if (list.every(isObject)) return [...fromRows(list.map(flatten)), ...fromNamed(list), ...nested]
  if (list.every((one) => Array.isArray(one))) {
    const rows = list.map((one: readonly unknown[]) => new Map(one.map((v, at) => [String(at), v])))
    return [...fromRows(rows), ...nested]
  }
  if (!list.every(isScalar)) return nested
  const texts = list.map(String)
  const parts = texts.map(split)
  const isSplit = parts.every(({ length }) => length > 1)
  const flat = [2, 3].flatMap((width) => (isSplit || texts.length % width !== 0 ? [] : fold(texts, width)))
  return [
    ...flat,
    ...(isSplit ? fromRows(parts.map((one) => new Map(one.map((v, at) => [String(at), v])))) : []),
  ]
}

/** `7,12,8,3`: what belongs together one after the other. */
function fold(texts: readonly string[], width: number): Table[] {
  return [
    Array.from({ length: width }, (_, at) => ({
      name: String(at),
      values: texts.filter((_text, index) => index % width === at),
    })),
  ]
}

/** Columns that every row has. */
function fromRows(rows: readonly ReadonlyMap<string, unknown>[]): Table[] {
  const names = [...(rows[0]?.keys() ?? [])].slice(0, maxColumns)
  const columns = names.flatMap((name) => {
    const values = rows.map((row) => row.get(name))
    return values.every(isScalar) ? [{ name, values: values.map(String) }] : []
  })
  return columns.length > 0 ? [columns] : []
}

/** `[{ name: 'ids', value: [...] }, …]`: columns that name themselves. */
function fromNamed(list: readonly Record<string, unknown>[]): Table[] {
  const columns = list.flatMap((one) => {
    const name = Object.values(one).find((inner) => typeof inner === 'string' && /^[a-z_]\w*$/i.test(inner))
    const values = Object.values(one)
      .map(unwrap)
      .find((inner) => Array.isArray(inner) && inner.every(isScalar))
    return typeof name === 'string' && Array.isArray(values)
      ? [{ name: toName(name), values: values.map(String) }]
      : []
  })
  return [...Map.groupBy(columns, ({ values }) => values.length).values()]
}

/** `{ "0x…": [{ … }] }`: rows by the one who is paid. */
function readKeyed(fields: readonly (readonly [string, unknown])[]): Table[] {
  const rows = fields.flatMap(([key, inner]) =>
    (Array.isArray(inner) ? inner : [inner]).map((one) => {
      const row = unwrap(one)
      return new Map<string, unknown>([
        ['to', key],
        ...(isObject(row) ? flatten(row) : [['value', row] as const]),
      ])
    }),
  )
  return fromRows(rows)
}

/** An item with the single values inside its own objects. */
function flatten(object: Record<string, unknown>): Map<string, unknown> {
  const row = new Map<string, unknown>()
  for (const [key, given] of Object.entries(object)) {
    const value = unwrap(given)
    if (isObject(value))
      for (const [inner, one] of Object.entries(value)) row.set(toName(`${key}${inner}`), one)
    else if (value !== null) row.set(toName(key), value)
  }
  return row
}

function readText(text: string): Table[] {
  const list = splitText(text)
  return Array.isArray(list) ? listOfList(list, maxDepth) : []
}

/** `7:12,8:3` and `7,12`; what has no separators stays as it is. */
function splitText(value: unknown): unknown {
  if (typeof value !== 'string' || !/[,;\s|]/.test(value.trim()) || value.length > 65_536) return value
  const parts = value.trim().split(/\s*[,;\s|]\s*/)
  return parts.length <= maxRows && parts.every((part) => /^[\w.:=x*-]{1,160}$/.test(part)) ? parts : value
}

function split(text: string): string[] {
  return text.split(/[:=*/]|(?<=^\d+)x(?=\d+$)/).map((part) => part.trim())
}

function toName(key: string): string {
  return key.toLowerCase().replaceAll(/[_\-\s.]/g, '')
}

function isScalar(value: unknown): value is string | number {
  if (typeof value === 'number') return Number.isSafeInteger(value)
  return typeof value === 'string' && value !== ''
}
