import { type Decimal, toDecimal } from '../bridge/decimal.ts'
import type { TokenSetting } from '../ledger/lessons/tokenBook.ts'
import { MonitorError } from '../lib/errors.ts'
import { cleanText } from '../lib/text.ts'
import { findTokenProblem, findTokens } from '../web/namedTokens.ts'
import { readTime } from './readTime.ts'

/** What is shown of a value that was not understood. */
export const shown = (text: string) => `"${cleanText(text, 60)}"`

export function usage(message: string): MonitorError {
  return new MonitorError('usage', message)
}

/** How many at most. @throws MonitorError `usage` */
export function readLimit(text: string): number {
  const limit = Number(text)
  if (/^\d{1,9}$/.test(text) && limit > 0) return limit
  throw usage(`--limit: expected a whole number from 1, got ${shown(text)}`)
}

/**
 * The first of what was found, one more than `limit` at most having been asked for, and what is said beside a list that is not
 * the whole of it: a file of it must not pass for that. '' beside one that is.
 */
export function cutTo<T>(
  limit: number,
  found: readonly T[],
): { readonly rows: readonly T[]; readonly rest: string } {
  const rest = found.length > limit ? `More than ${limit} match: --limit shows more.\n` : ''
  return { rows: found.slice(0, limit), rest }
}

/** One of the known words. @throws MonitorError `usage` */
export function readWord<T extends string>(
  option: string,
  text: string | undefined,
  known: readonly T[],
): T | null {
  if (text === undefined) return null
  const found = known.find((word) => word === text)
  if (found === undefined) throw usage(`${option}: expected one of ${known.join(', ')}, got ${shown(text)}`)
  return found
}

/** Some of the known words, with commas between; null when none was asked for. @throws MonitorError `usage` */
export function readWords<T extends string>(
  option: string,
  text: string | undefined,
  known: readonly T[],
): readonly T[] | null {
  if (text === undefined) return null
  return text.split(',').map((part) => {
    const found = known.find((word) => word === part.trim())
    if (found !== undefined) return found
    throw usage(
      `${option}: expected one of ${known.join(', ')}, or several with commas between, got ${shown(text)}`,
    )
  })
}

export interface Past {
  readonly since: number | null
  readonly until: number | null
}

/** A stretch of the past that can hold anything. @throws MonitorError `usage` */
export function readPast(
  options: { readonly since?: string | undefined; readonly until?: string | undefined },
  now: number,
): Past {
  const read = (option: string, text: string | undefined) =>
    text === undefined ? null : readTime(option, text, { now, sign: -1 })
  const past = { since: read('--since', options.since), until: read('--until', options.until) }
  if (past.since !== null && past.since > now)
    throw usage(`--since: expected a time that has been, got ${shown(options.since ?? '')}`)
  if (past.since !== null && past.until !== null && past.since >= past.until)
    throw usage('--since: expected a time before that of --until')
  return past
}

/** An amount in token units. @throws MonitorError `usage` */
export function readAmount(option: string, text: string | undefined): Decimal | null {
  if (text === undefined) return null
  const amount = toDecimal(text)
  if (amount !== null && amount.digits >= 0n) return amount
  throw usage(`${option}: expected an amount in token units, such as 1000.5, got ${shown(text)}`)
}

/** The contracts of a token that somebody names by its symbol or address; '' is the native currency. @throws MonitorError `usage` */
export function readToken(
  text: string | undefined,
  listed: readonly TokenSetting[],
): readonly string[] | null {
  if (text === undefined) return null
  const problem = findTokenProblem(text, listed)
  if (problem !== null) throw usage(`--token: ${problem}`)
  return findTokens(text, listed)
}

/** @throws MonitorError `usage` */
export function checkFormat({ json, csv }: { readonly json?: boolean; readonly csv?: boolean }): void {
  if (json && csv) throw usage('--json and --csv exclude each other')
}
