import { z } from 'zod'
import { directions } from '../bridge/observation.ts'
import { transferStates } from '../bridge/transfer.ts'
import { cleanText } from '../lib/text.ts'
import { choice, cursor, duration, limit, readQuery, word } from './api/parameters.ts'
import type { TypedFilter } from './pages/transfersPage.ts'
import type { TransferFilter } from './types.ts'

export interface ReadFilter {
  readonly typed: TypedFilter
  /** Null when something was not understood; `problem` says what. */
  readonly filter: TransferFilter | null
  readonly problem: string | null
}

export const transferQuery = z.object({
  q: word('A hash, address, id, key or symbol'),
  state: choice(transferStates).optional(),
  direction: choice(directions).optional(),
  token: word('Symbol that `bridge.tokens` lists, address, or `native`; another word is refused'),
  age: duration('Value left at least so long ago', ['30m', '6h']),
  limit: limit(50),
  cursor: cursor(/^\d{1,15}-\d{1,15}$/).optional(),
})

/** Reads the filters of the list from a query. */
export function readTransferFilter(query: (name: string) => string | undefined): ReadFilter {
  const typedOf = (name: string) => cleanText(query(name) ?? '', 200)
  const typed = {
    q: typedOf('q'),
    state: typedOf('state'),
    direction: typedOf('direction'),
    token: typedOf('token'),
    age: typedOf('age'),
  }
  const read = readQuery(transferQuery, query)
  return read.ok
    ? { typed, filter: toTransferFilter(read.value), problem: null }
    : { typed, filter: null, problem: read.problem }
}

export function toTransferFilter(query: z.output<typeof transferQuery>): TransferFilter {
  return {
    text: emptyToNull(query.q.toLowerCase()),
    state: query.state ?? null,
    direction: query.direction ?? null,
    token: emptyToNull(query.token.toLowerCase()),
    minAgeMs: query.age ?? null,
    limit: query.limit,
    cursor: query.cursor ?? null,
  }
}

function emptyToNull(text: string): string | null {
  return text === '' ? null : text
}
