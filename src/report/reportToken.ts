import { canonicalToken, heldAs, movedToken, nativeDecimals, type Wrapping } from '../bridge/movedToken.ts'
import type { TransferToken } from '../bridge/transfer.ts'

export interface ReportToken {
  readonly address: string
  /** From the configuration; null when it is not listed there. */
  readonly symbol: string | null
  /** From the chain: untrusted. */
  readonly name: string
  readonly decimals: number | null
}

export function toReportToken({ address, symbol, name, decimals, isUnknown }: TransferToken): ReportToken {
  const isNative = canonicalToken(address) === '' && isUnknown !== true
  return { address, symbol, name, decimals: decimals ?? (isNative ? nativeDecimals : null) }
}

/** The token that the escrows hold for it: what both sides of a bridge are booked under. */
export function toHeldToken(token: TransferToken, wrapping: Wrapping): ReportToken {
  return { ...toReportToken(token), address: heldAs(movedToken(token), wrapping) }
}
