import { canonicalToken, heldAs, movedToken, nativeDecimals, type Wrapping } from '../bridge/movedToken.ts'
import type { TransferToken } from '../bridge/transfer.ts'

export interface ReportToken {
  /** '' is the native currency. */
  readonly address: string
  /** From the configuration; null when it is not listed there. */
  readonly symbol: string | null
  /** From the chain: untrusted. */
  readonly name: string
  readonly decimals: number | null
}

/** In place of an address where nothing says which token it is: '' is the native currency. */
export const unknownAddress = 'unknown'

export function toReportToken({ address, symbol, name, decimals, isUnknown }: TransferToken): ReportToken {
  if (isUnknown) return { address: unknownAddress, symbol, name, decimals }
  const isNative = canonicalToken(address) === ''
  return { address, symbol, name, decimals: decimals ?? (isNative ? nativeDecimals : null) }
}

/** The token that the escrows hold for it: what both sides of a bridge are booked under. */
export function toHeldToken(token: TransferToken, wrapping: Wrapping): ReportToken {
  const known = toReportToken(token)
  return token.isUnknown ? known : { ...known, address: heldAs(movedToken(token), wrapping) }
}
