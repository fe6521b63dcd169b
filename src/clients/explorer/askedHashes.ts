import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

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
