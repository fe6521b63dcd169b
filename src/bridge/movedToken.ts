import type { TransferToken } from './transfer.ts'

/** Of the native currency of either chain. */
export const nativeDecimals = 18

/** Spellings of "no contract": the native currency. */
const nativeSpellings = new Set([
  '',
  '0x0000000000000000000000000000000000000000',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
])

/** A token's address as the ledger and the lists of the main chain both name it; '' is the native currency. */
export function canonicalToken(address: string): string {
  const text = address.toLowerCase()
  return nativeSpellings.has(text) ? '' : text
}

/**
 * The address that movements of a transfer's money bear on the main chain; '' is the native currency. Mostly the
 * record's own; deployments whose records name the zone's side of a token are learned, see `learnedMoney.ts`.
 */
export function movedToken({ address, movedAs }: Pick<TransferToken, 'address' | 'movedAs'>): string {
  return movedAs ?? canonicalToken(address)
}

/** One token id in one spelling: `0x07`, `07` and `7` are the same. */
export function toCanonicalId(id: string): string {
  return /^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(id) ? BigInt(id).toString() : id
}
