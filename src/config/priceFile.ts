import { statSync } from 'node:fs'
import { z } from 'zod'
import { canonicalToken } from '../bridge/movedToken.ts'
import { errorText } from '../lib/errors.ts'
import { readPlainText } from '../lib/plainFile.ts'
import { cleanText } from '../lib/text.ts'

const token = z
  .string()
  .regex(/^(native|0x[0-9a-fA-F]{40})$/)
  .transform((key) => (key === 'native' ? '' : canonicalToken(key)))

/** What costs 0 has no price: whoever writes it knows none. */
const decimal = z.string().regex(/^(?=.*[1-9])\d{1,30}(\.\d{1,30})?$/)

const price = z.union([
  decimal,
  z
    .number()
    .transform((value) => value.toFixed(12))
    .pipe(decimal),
])

const expected =
  'expected a JSON object of addresses with US dollars for one unit, above 0, such as { "0x…": "0.9998", "native": "2950.1" }'

export interface ReadPrices {
  /** By token, null for one whose price cannot be read; null where nothing of the file can. */
  readonly prices: ReadonlyMap<string, string | null> | null
  /** What cannot be read, and what was expected; null where all can. */
  readonly problem: string | null
}

/** The prices that somebody wrote down: by the token's address, `native` for the native currency. */
export function readPrices(path: string): ReadPrices {
  try {
    const written: unknown = JSON.parse(readPlainText(path))
    if (typeof written !== 'object' || written === null || Array.isArray(written)) throw new Error(expected)
    const read = Object.entries(written).map(([key, value]) => ({
      key,
      token: token.safeParse(key).data,
      price: price.safeParse(value).data ?? null,
    }))
    const wrong = read.filter((one) => one.token === undefined || one.price === null).map(({ key }) => key)
    return {
      prices: new Map(read.flatMap((one) => (one.token === undefined ? [] : [[one.token, one.price]]))),
      problem: wrong.length === 0 ? null : `${path}: ${nameSome(wrong)}: ${expected}`,
    }
  } catch (error) {
    return { prices: null, problem: `${path}: ${errorText(error)}` }
  }
}

const mostNamed = 3

function nameSome(keys: readonly string[]): string {
  const named = keys.slice(0, mostNamed).map((key) => cleanText(key, 60))
  const more = keys.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/**
 * Prices of a file that others write while the monitor runs: read again when it changed. What cannot be read leaves the
 * price of before, and none at first: money at risk is then shown by token alone. `onProblem` is told once for each change.
 */
export function createPriceFile(
  path: string,
  onProblem: (problem: string) => void = () => {},
): (token: string) => string | null {
  let known: ReadonlyMap<string, string> = new Map()
  let seen = ''
  return (token) => {
    const mark = markOf(path)
    if (mark !== seen) {
      seen = mark
      const { prices, problem } = readPrices(path)
      if (prices !== null) known = withThoseBefore(prices, known)
      if (problem !== null) onProblem(problem)
    }
    return known.get(token) ?? null
  }
}

function withThoseBefore(
  prices: ReadonlyMap<string, string | null>,
  before: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map(
    [...prices].flatMap(([token, price]) => {
      const kept = price ?? before.get(token)
      return kept === undefined ? [] : [[token, kept]]
    }),
  )
}

function markOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch (error) {
    return errorText(error)
  }
}
