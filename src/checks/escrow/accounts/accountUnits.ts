import { formatDecimal, fromBaseUnits } from '../../../bridge/decimal.ts'
import { type Accounts, unexplainedOf } from './readAccounts.ts'

/** What is held, account by account, in token units: the sum of all of them, exact. */
export interface EscrowAccounts {
  /** What holders on the zone chain can claim. */
  readonly claims: string
  /** Locked, and not credited yet. */
  readonly toZone: string
  /** Taken on the zone chain, and not paid yet. */
  readonly toMain: string
  /** Stayed behind of transfers since counting began. */
  readonly fees: string
  /** Paid by escrows for transactions of their own: below zero; left out in what was kept before it was counted. */
  readonly gas?: string
  /** Moved, or recorded, and not judged yet. */
  readonly open: string
  /** Below zero: taken, or credited without being locked. */
  readonly unexplained: string
}

export function toAccountUnits(accounts: Accounts, decimals: number): EscrowAccounts {
  const units = (raw: bigint) => formatDecimal(fromBaseUnits(raw, decimals))
  const { claims, toZone, toMain, fees, gas, open } = accounts
  return {
    claims: units(claims),
    toZone: units(toZone),
    toMain: units(toMain),
    fees: units(fees),
    gas: units(gas),
    open: units(open),
    unexplained: units(unexplainedOf(accounts)),
  }
}
