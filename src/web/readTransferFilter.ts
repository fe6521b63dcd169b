import { directions } from '../bridge/observation.ts'
import type { TransferState } from '../bridge/transfer.ts'
import { parseDuration } from '../lib/duration.ts'
import { cleanText } from '../lib/text.ts'
import type { TypedFilter } from './pages/transfersPage.ts'
import type { TransferFilter } from './types.ts'

export interface ReadFilter {
  readonly typed: TypedFilter
  /** Null when something was not understood; `problem` says what. */
  readonly filter: TransferFilter | null
  readonly problem: string | null
}

const states: readonly TransferState[] = ['pending', 'completed', 'failed', 'unbacked']
const maxLimit = 500
const defaultLimit = 50

/**
 * Reads the filters of the list from a query. What cannot be understood is said, never dropped: a list without the
 * filter that was asked for would read as an answer.
 */
export function readTransferFilter(query: (name: string) => string | undefined): ReadFilter {
  const read = (name: string, max = 200) => cleanText(query(name) ?? '', max)
  const typed = {
    q: read('q'),
    state: read('state'),
    direction: read('direction'),
    token: read('token'),
    age: read('age'),
  }
  const state = states.find((known) => known === typed.state) ?? null
  const direction = directions.find((known) => known === typed.direction) ?? null
  const minAgeMs = typed.age === '' ? null : parseDuration(typed.age)
  const limitText = read('limit')
  const limit = limitText === '' ? defaultLimit : Number(limitText)
  const cursor = query('cursor') ?? null
  const problem =
    (typed.state !== '' && state === null && `state: expected one of ${states.join(', ')}`) ||
    (typed.direction !== '' && direction === null && `direction: expected one of ${directions.join(', ')}`) ||
    (typed.age !== '' && minAgeMs === null && 'age: expected a duration such as 30m or 6h') ||
    // Taken for none it would show page one again, for ever.
    (cursor !== null && !/^\d{1,15}$/.test(cursor) && 'cursor: expected the "next" of the page before') ||
    ((!Number.isInteger(limit) || limit < 1 || limit > maxLimit) && `limit: expected 1 to ${maxLimit}`) ||
    null
  if (problem !== null) return { typed, filter: null, problem }
  const filter = {
    text: emptyToNull(typed.q.toLowerCase()),
    state,
    direction,
    token: emptyToNull(typed.token.toLowerCase()),
    minAgeMs,
    limit,
    cursor,
  }
  return { typed, filter, problem: null }
}

function emptyToNull(text: string): string | null {
  return text === '' ? null : text
}
