import type { z } from 'zod'
import { type Endpoint, maxPerRequest } from './endpoint.ts'

/** Parameters of an endpoint whose list may be of any length and whose range of any width. */
export type WideParams = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** The hashes that a question names; none where it asks by something else. */
export function askedHashes(params: WideParams): readonly string[] {
  const value = params['txId'] ?? params['txid']
  if (value === undefined) return []
  return Array.isArray(value) ? value : [String(value)]
}

/** Whether a row is one that a question for this hash has among its answers. */
export function bears<R>(endpoint: Endpoint<z.ZodType, R>, record: R, hash: string | null): boolean {
  if (hash === null) return false
  return endpoint.contradicts?.(record, { txId: hash, txid: hash }, [record]) === null
}

export interface BlockRange {
  readonly start: number
  /** Inclusive. */
  readonly end: number
}

/**
 * Distinct values in lists that one request may carry.
 * @example splitList(['a', 'b', 'c', 'a'], 2) // [['a', 'b'], ['c']]
 */
export function splitList(values: readonly string[], size = maxPerRequest): string[][] {
  const distinct = [...new Set(values)]
  const lists: string[][] = []
  for (let index = 0; index < distinct.length; index += size) lists.push(distinct.slice(index, index + size))
  return lists
}

/**
 * A range in pieces whose ends differ by at most `maxSpan`, side by side, highest first as lists are ordered.
 * @example splitRange({ start: 0, end: 10 }, 5) // [{ start: 6, end: 10 }, { start: 0, end: 5 }]
 */
export function splitRange(range: BlockRange, maxSpan: number): BlockRange[] {
  const pieces: BlockRange[] = []
  for (let start = range.start; start <= range.end; start += maxSpan + 1) {
    pieces.unshift({ start, end: Math.min(start + maxSpan, range.end) })
  }
  return pieces
}

/** The two halves of a range, the higher first; null for a single block. */
export function halveRange({ start, end }: BlockRange): readonly [BlockRange, BlockRange] | null {
  if (start >= end) return null
  const middle = start + Math.floor((end - start) / 2)
  return [
    { start: middle + 1, end },
    { start, end: middle },
  ]
}
