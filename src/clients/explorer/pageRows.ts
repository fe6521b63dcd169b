import type { Window } from './nextWindow.ts'
import type { Answer } from './readAnswer.ts'

/** Rows of one page are a snapshot, so equal ones in it are several, and are numbered. */
export function rowKeys<R>(
  answer: Answer<R>,
  rows: readonly (R | null)[],
  rowKey: (record: R) => string,
): string[] {
  const raws = new Map(answer.quarantined.map(({ index, raw }) => [index, raw]))
  const times = new Map<string, number>()
  return rows.map((row, index) => {
    const key = row === null ? `?${raws.get(index) ?? ''}` : rowKey(row)
    const time = times.get(key) ?? 0
    times.set(key, time + 1)
    return time === 0 ? key : `${key}#${time}`
  })
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
