import type { Finding } from './finding.ts'
import type { Transfer, TransferToken } from './transfer.ts'

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

/** The contract of the wrapped native currency, lower case, where the escrows hold that. */
export interface Wrapping {
  readonly wrappedNative?: string | undefined
}

/** The token that the escrows hold in place of one that moves on the main chain. */
export function heldAs(token: string, { wrappedNative }: Wrapping): string {
  return token === '' ? (wrappedNative ?? token) : token
}

/** A transfer as it moves what the escrows hold. */
export function asHeld(transfer: Transfer, wrapping: Wrapping): Transfer {
  const moved = movedToken(transfer.token)
  const held = heldAs(moved, wrapping)
  if (transfer.token.isUnknown || held === moved) return transfer
  return { ...transfer, token: { ...transfer.token, movedAs: held } }
}

/** The same of what a finding is about, a transfer or an escrow: what is said of one payout names its money alike. */
export function asHeldFinding(finding: Finding, wrapping: Wrapping): Finding {
  const { transfer, labels } = finding
  if (wrapping.wrappedNative === undefined) return finding
  if (transfer !== null) return { ...finding, transfer: asHeld(transfer, wrapping) }
  if (labels.escrow === undefined) return finding
  return { ...finding, labels: { ...labels, token: heldAs(canonicalToken(labels.token ?? ''), wrapping) } }
}

/** One token id in one spelling: `0x07`, `07` and `7` are the same. */
export function toCanonicalId(id: string): string {
  return /^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(id) ? BigInt(id).toString() : id
}
