import type { UnixMs } from '../../lib/clock.ts'

export type Row = Readonly<Record<string, unknown>>

/** What is known of a field before any row is read. */
export interface PlainField {
  readonly name: string
  readonly spellings: readonly string[]
  readonly isPromised: boolean
  readonly mustBeFilled: boolean
  readonly isTime: boolean
  /** What a value has to be that is understood; null where whatever is not makes the record unreadable. */
  readonly expected: string | null
  /** What a text says, by the field's own schema; undefined where it refuses it. Null where it is no field of text. */
  readonly read: ((text: string) => unknown) | null
}

/** Nothing that this service shows is older than 2015. */
const earliest: UnixMs = 1_420_070_400_000

/**
 * Reads a row without its schema, by what the schema's fields say of one text each: several times as fast, and most rows
 * are plain.
 * @returns null for a row of which there is anything to say: the schema has to judge that one. Null instead of a reader
 * where some field is not of text
 */
export function createPlainReader(
  fields: readonly PlainField[],
): ((row: Row, latest: UnixMs) => Record<string, unknown> | null) | null {
  const readers: [key: string, field: PlainField, read: (text: string) => unknown][] = []
  for (const field of fields) {
    const [key, ...others] = field.spellings
    // What every object has by its prototype is looked for with more care.
    if (field.read === null || key === undefined || others.length > 0 || key in Object.prototype) return null
    readers.push([key, field, field.read])
  }
  const empty = Object.fromEntries(readers.map(([, { name }, read]) => [name, read('')]))
  return (row, latest) => {
    // What a row of nothing says, to begin with: every object has the same keys in the same order.
    const values: Record<string, unknown> = { ...empty }
    for (const [key, field, read] of readers) {
      const given = row[key]
      if (given === '') {
        if (field.mustBeFilled || values[field.name] === undefined) return null
        continue
      }
      if (given === undefined || given === null) {
        if (field.isPromised || values[field.name] === undefined) return null
        continue
      }
      const value = typeof given === 'string' ? read(given) : undefined
      if (value === undefined || (field.expected !== null && saysNothing(value))) return null
      if (field.isTime && typeof value === 'number' && isOutside(value, latest)) return null
      values[field.name] = value
    }
    return values
  }
}

export function isOutside(time: number, latest: UnixMs): boolean {
  return time < earliest || time > latest
}

/** What a field gives that did not understand its text. */
export function saysNothing(value: unknown): boolean {
  return value === null || value === '' || value === 'unknown'
}
