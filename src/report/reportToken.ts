import { canonicalToken, movedToken, nativeDecimals } from '../bridge/movedToken.ts'
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

/** The token that moves on the main chain: what both sides of a bridge are booked under. */
export function toMovedToken(token: TransferToken): ReportToken {
  return { ...toReportToken(token), address: movedToken(token) }
}
