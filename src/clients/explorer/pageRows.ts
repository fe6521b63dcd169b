import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import type { Window } from './nextWindow.ts'
import type { Answer } from './readAnswer.ts'

/** The identities of a page's rows; those that could not be read go by what they are. */
export function rowKeys<R>(
  answer: Answer<R>,
  rows: readonly (R | null)[],
  { rowKey }: Pick<Endpoint<z.ZodType, R>, 'rowKey'>,
): string[] {
  const raws = new Map(answer.quarantined.map(({ index, raw }) => [index, raw]))
  return rows.map((row, index) => (row === null ? `?${raws.get(index) ?? ''}` : (rowKey?.(row) ?? '')))
}

/** The records of a page in their places, null for those that could not be read. */
export function toRows<R>(answer: Answer<R>): (R | null)[] {
  const rows: (R | null)[] = [...answer.records]
  for (const { index } of answer.quarantined) rows.splice(index, 0, null)
  return rows
}

/** The returned limit is to be trusted, unless it exceeds the one asked for and the rows do not bear it out. */
export function limitOf(window: Window, answer: Answer<unknown>, count: number): number {
  const limit = answer.limit || window.limit
  if (limit <= window.limit) return Math.max(limit, count)
  return count > window.limit ? limit : window.limit
}
