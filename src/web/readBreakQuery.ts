import { toDecimal } from '../bridge/decimal.ts'
import type { BreakList, BreakQuery } from '../breaks/listBreaks.ts'
import { parseDuration } from '../lib/duration.ts'
import { cleanText } from '../lib/text.ts'

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

const states = ['open', 'settled', 'all'] as const
const sorts = ['age', 'amount'] as const
const maxLimit = 500
const defaultLimit = 50

/** Reads the filters of the work list. What cannot be understood is said, never dropped: less than is asked for would read as an answer. */
export function readBreakQuery(query: (name: string) => string | undefined): ReadBreakQuery {
  const read = (name: string, max = 100) => cleanText(query(name) ?? '', max).trim()
  const typed = {
    token: read('token'),
    min: read('min'),
    age: read('age'),
    state: read('state') || 'open',
    sort: read('sort') || 'age',
  }
  const state = states.find((known) => known === typed.state)
  const sort = sorts.find((known) => known === typed.sort)
  const min = typed.min === '' ? null : toDecimal(typed.min)
  const minAgeMs = typed.age === '' ? null : parseDuration(typed.age)
  const limit = Number(read('limit') || defaultLimit)
  const cursor = read('cursor') || '0'
  const problem =
    (state === undefined && `state: expected one of ${states.join(', ')}`) ||
    (sort === undefined && `sort: expected one of ${sorts.join(', ')}`) ||
    (typed.min !== '' && (min === null || min.digits < 0n) && 'min: expected an amount such as 1000.5') ||
    (typed.age !== '' && minAgeMs === null && 'age: expected a duration such as 30m or 2d') ||
    (!/^\d{1,9}$/.test(cursor) && 'cursor: expected the "next" of the page before') ||
    ((!Number.isInteger(limit) || limit < 1 || limit > maxLimit) && `limit: expected 1 to ${maxLimit}`) ||
    null
  if (problem !== null || state === undefined || sort === undefined) return { typed, query: null, problem }
  const token = typed.token === '' ? null : typed.token
  return { typed, query: { token, min, minAgeMs, state, sort, limit, offset: Number(cursor) }, problem }
}

/** A list with where the next one begins. */
export function toPageOf({ offset, limit }: BreakQuery, list: BreakList): BreakPage {
  const end = offset + limit
  return { ...list, next: end < list.total ? String(end) : null }
}
