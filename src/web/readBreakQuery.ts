import { z } from 'zod'
import { toDecimal } from '../bridge/decimal.ts'
import type { BreakList, BreakQuery } from '../breaks/listBreaks.ts'
import { cleanText } from '../lib/text.ts'
import { choice, cursor, duration, limit, readQuery, word } from './api/parameters.ts'

/** As typed, so that the form shows it again even when it could not be understood. */
export interface TypedBreakQuery {
  readonly token: string
  readonly min: string
  readonly age: string
  readonly state: string
  readonly sort: string
}

export interface ReadBreakQuery {
  readonly typed: TypedBreakQuery
  /** Null when something was not understood; `problem` says what. */
  readonly query: BreakQuery | null
  readonly problem: string | null
}

export interface BreakPage extends BreakList {
  /** Opaque; null on the last page. */
  readonly next: string | null
}

const least = z
  .string()
  .meta({ description: 'At least so much, in token units', examples: ['1000.5'] })
  .transform((text, context) => {
    const min = toDecimal(text)
    if (min !== null && min.digits >= 0n) return min
    context.addIssue({ code: 'custom', message: 'expected an amount such as 1000.5' })
    return z.NEVER
  })

export const breakQuery = z.object({
  token: word('Symbol that `bridge.tokens` lists, address, or `native`; another word is refused'),
  min: least.optional(),
  age: duration('At least so long ago', ['30m', '2d']),
  state: choice(['open', 'settled', 'all']).default('open'),
  sort: choice(['age', 'amount']).default('age'),
  limit: limit(50),
  cursor: cursor(/^\d{0,9}$/).default('0'),
})

/** Reads the filters of the work list. */
export function readBreakQuery(query: (name: string) => string | undefined): ReadBreakQuery {
  const typedOf = (name: string) => cleanText(query(name) ?? '', 100)
  const typed = {
    token: typedOf('token'),
    min: typedOf('min'),
    age: typedOf('age'),
    state: typedOf('state') || 'open',
    sort: typedOf('sort') || 'age',
  }
  const read = readQuery(breakQuery, query)
  return read.ok
    ? { typed, query: toBreakQuery(read.value), problem: null }
    : { typed, query: null, problem: read.problem }
}

export function toBreakQuery({ token, min, age, cursor, ...query }: z.output<typeof breakQuery>): BreakQuery {
  return {
    ...query,
    token: token === '' ? null : token,
    min: min ?? null,
    minAgeMs: age ?? null,
    offset: Number(cursor),
  }
}

/** A list with where the next one begins. */
export function toPageOf({ offset, limit }: BreakQuery, list: BreakList): BreakPage {
  const end = offset + limit
  return { ...list, next: end < list.total ? String(end) : null }
}
