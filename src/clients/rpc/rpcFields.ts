import { z } from 'zod'

// Quantities and data are hex strings. What the contract promises must be there and readable; any other field is null
// when it is missing or unreadable, so that a rule can tell "no data" from a value.

type Read<T> = (text: string) => T | undefined

const readQuantity: Read<bigint> = (text) => (/^0x[0-9a-fA-F]{1,64}$/.test(text) ? BigInt(text) : undefined)

const readCount: Read<number> = (text) => {
  // Fourteen digits would do, but some nodes write leading zeros.
  const value = /^0x[0-9a-fA-F]{1,64}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}

const readData: Read<string> = (text) => (/^0x[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : undefined)

const readHash: Read<string> = (text) => (/^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined)

const readWord: Read<string> = (text) => (/^0x[0-9a-fA-F]{0,64}$/.test(text) ? text.toLowerCase() : undefined)

const readAddress: Read<string> = (text) =>
  /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : undefined

const readStatus: Read<'success' | 'failed'> = (text) => {
  const value = readCount(text)
  return value === 1 ? 'success' : value === 0 ? 'failed' : undefined
}

/** A quantity of up to 256 bits. */
export const quantity = promised('a hex quantity', readQuantity)

/** A quantity that a number holds exactly: heights, indexes, counts, nonces, times. */
export const count = promised('a hex quantity below 2^53', readCount)

/** Hex bytes of any length, lower-case. */
export const data = promised('hex data', readData)

/** A hash of 32 bytes, lower-case. */
export const hash = promised('a hash', readHash)

/** A word of up to 32 bytes, such as a part of a signature; nodes leave out leading zeros or do not. */
export const word = promised('a hex word', readWord)

/** `0x1` success, `0x0` failure. */
export const status = promised('0x1 or 0x0', readStatus)

/** Fields that the contract does not promise. */
export const maybe = {
  quantity: unpromised(readQuantity),
  count: unpromised(readCount),
  data: unpromised(readData),
  hash: unpromised(readHash),
  address: unpromised(readAddress),
}

// zod takes a missing key for an error of its own unless something stands in for it.
function promised<T>(expected: string, read: Read<T>): z.ZodType<T> {
  const schema = z.unknown().transform((input, context): T => {
    const value = typeof input === 'string' ? read(input) : undefined
    if (value !== undefined) return value
    const came = input === undefined || input === null ? 'nothing' : `a ${typeof input}`
    const got = typeof input === 'string' ? '' : `, got ${came}`
    context.issues.push({ code: 'custom', input, message: `expected ${expected}${got}` })
    return z.NEVER
  })
  return schema.prefault(null)
}

function unpromised<T>(read: Read<T>): z.ZodType<T | null> {
  const schema = z
    .unknown()
    .transform((input): T | null => (typeof input === 'string' ? (read(input) ?? null) : null))
  return schema.prefault(null)
}
