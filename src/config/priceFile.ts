import { statSync } from 'node:fs'
import { z } from 'zod'
import { canonicalToken } from '../bridge/movedToken.ts'
import { readPlainText } from '../lib/plainFile.ts'

const prices = z.record(
  z.string().regex(/^(native|0x[0-9a-fA-F]{40})$/),
  z.union([
    z.string().regex(/^\d{1,30}(\.\d{1,30})?$/),
    z
      .number()
      .nonnegative()
      .transform((value) => value.toFixed(12)),
  ]),
)

const expected =
  'expected a JSON object of addresses with US dollars for one unit, such as { "0x…": "0.9998", "native": "2950.1" }'

export type ReadPrices =
  | { readonly ok: true; readonly prices: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly problem: string }

/** The prices that somebody wrote down: by the token's address, `native` for the native currency. */
export function readPrices(path: string): ReadPrices {
  try {
    const parsed = prices.safeParse(JSON.parse(readPlainText(path)))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      return { ok: false, problem: `${path}: ${issue?.path.join('.') || 'all of it'}: ${expected}` }
    }
    const entries = Object.entries(parsed.data)
    const named = entries.map(([key, price]) => [key === 'native' ? '' : canonicalToken(key), price] as const)
    return { ok: true, prices: new Map(named) }
  } catch (error) {
    return { ok: false, problem: `${path}: ${error instanceof Error ? error.message : expected}` }
  }
}

/**
 * Prices of a file that others write while the monitor runs: read again when it changed. One that cannot be read leaves
 * those of before, and none at first: money at risk is then shown by token alone.
 */
export function createPriceFile(path: string): (token: string) => string | null {
  let known: ReadonlyMap<string, string> = new Map()
  let seen = ''
  return (token) => {
    const mark = markOf(path)
    if (mark !== seen) {
      seen = mark
      const read = readPrices(path)
      if (read.ok) known = read.prices
    }
    return known.get(token) ?? null
  }
}

function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? 'none' : `${stat.mtimeMs} ${stat.size}`
}
