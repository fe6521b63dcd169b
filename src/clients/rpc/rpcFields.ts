import { isObject } from '../../lib/isObject.ts'
import { z } from 'zod'

// Quantities and data are hex strings. What the contract promises must be there and readable; any other field is null
// when it is missing or unreadable, so that a rule can distinguish "no data" from a value. A block may hold thousands of
// receipts and is asked for several times a second, so that fields are read by plain functions; zod stands around the
// whole.

/** Reads a value from outside, or says why it cannot. */
export type Reader<T> = (input: unknown) => T | Unreadable

/** Why a value breaks the contract. */
export class Unreadable {
  readonly path: readonly (string | number)[]
  readonly message: string

  constructor(message: string, path: readonly (string | number)[] = []) {
    this.message = message
    this.path = path
  }

  at(place: string | number): Unreadable {
    return new Unreadable(this.message, [place, ...this.path])
  }

  /** `logs.0.data: expected hex data`. */
  describe(): string {
    return `${this.path.length === 0 ? '' : `${this.path.join('.')}: `}${this.message}`
  }
}

type ReadText<T> = (text: string) => T | undefined

const quantityText: ReadText<bigint> = (text) =>
  /^0x[0-9a-fA-F]{1,64}$/.test(text) ? BigInt(text) : undefined

const countText: ReadText<number> = (text) => {
  // Fourteen digits would do, but some nodes write leading zeros.
  const value = /^0x[0-9a-fA-F]{1,64}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}

const matching =
  (form: RegExp): ReadText<string> =>
  (text) =>
    form.test(text) ? text.toLowerCase() : undefined

const dataText = matching(/^0x[0-9a-fA-F]*$/)
const hashText = matching(/^0x[0-9a-fA-F]{64}$/)
const addressText = matching(/^0x[0-9a-fA-F]{40}$/)

const statusText: ReadText<'success' | 'failed'> = (text) => {
  const value = countText(text)
  return value === 1 ? 'success' : value === 0 ? 'failed' : undefined
}

/** A quantity of up to 256 bits. */
export const quantity = promised('a hex quantity', quantityText)

/** A quantity that a number holds exactly: heights, indexes, counts, nonces, times. */
export const count = promised('a hex quantity below 2^53', countText)

/** Hex bytes of any length, lower-case. */
export const data = promised('hex data', dataText)

/** A hash of 32 bytes, lower-case. */
export const hash = promised('a hash', hashText)

/** An address, lower-case. */
export const address = promised('an address', addressText)

/** Exactly 32 bytes. */
export const bytes32 = promised('32 bytes of hex', hashText)

/** A word of up to 32 bytes, such as a part of a signature; nodes leave out leading zeros or do not. */
export const word = promised('a hex word', matching(/^0x[0-9a-fA-F]{0,64}$/))

/** `0x1` success, `0x0` failure. */
export const status = promised('0x1 or 0x0', statusText)

/** Fields that the contract does not promise. */
export const maybe = {
  quantity: unpromised(quantityText),
  count: unpromised(countText),
  data: unpromised(dataText),
  hash: unpromised(hashText),
  address: unpromised(addressText),
}

/** Null stands for itself; what is left out is still missing. */
export function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (input) => (input === null ? null : read(input))
}

/** A list of things that are all readable, at most `max` of them. */
export function arrayOf<T>(read: Reader<T>, max: number): Reader<readonly T[]> {
  return (input) => {
    if (!Array.isArray(input)) return new Unreadable('expected an array')
    if (input.length > max) return new Unreadable(`expected at most ${max}`)
    const items: T[] = []
    for (const [index, item] of input.entries()) {
      const value = read(item)
      if (value instanceof Unreadable) return value.at(index)
      items.push(value)
    }
    return items
  }
}

type Fields = Readonly<Record<string, Reader<unknown>>>
type FieldsRead<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Reader<infer T> ? Exclude<T, Unreadable> : never
}

/** An object with these fields; others are tolerated and left out. */
export function objectOf<F extends Fields>(fields: F): Reader<FieldsRead<F>> {
  const entries = Object.entries(fields)
  return (input) => {
    if (!isObject(input)) return new Unreadable('expected an object')
    const read: Record<string, unknown> = {}
    for (const [name, field] of entries) {
      // hasOwn: `constructor` of the prototype is not a field of the answer.
      const value = field(Object.hasOwn(input, name) ? input[name] : undefined)
      if (value instanceof Unreadable) return value.at(name)
      read[name] = value
    }
    // Every field was read by its own reader just now.
    return read as FieldsRead<F>
  }
}

/** A reader as a zod schema. */
export function toSchema<T>(read: Reader<T>): z.ZodType<T> {
  return z.unknown().transform((input, context): T => {
    const value = read(input)
    if (!(value instanceof Unreadable)) return value
    context.issues.push({ code: 'custom', input, message: value.message, path: [...value.path] })
    return z.NEVER
  })
}

function promised<T>(expected: string, read: ReadText<T>): Reader<T> {
  return (input) => {
    const value = typeof input === 'string' ? read(input) : undefined
    if (value !== undefined) return value
    const came = input === undefined || input === null ? 'nothing' : `a ${typeof input}`
    return new Unreadable(`expected ${expected}${typeof input === 'string' ? '' : `, got ${came}`}`)
  }
}

function unpromised<T>(read: ReadText<T>): Reader<T | null> {
  return (input) => (typeof input === 'string' ? (read(input) ?? null) : null)
}
