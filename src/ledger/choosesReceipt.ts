import { createHmac } from 'node:crypto'
import { parseDecimal } from '../bridge/amount.ts'
import type { Transfer } from '../bridge/transfer.ts'

/**
 * How long an ordinary leg waits for others to share its request: with the half minute that absence takes it is reported
 * within two minutes.
 */
export const evidenceHoldMs = 30_000
/** Of what the escrows hold: what takes more is worth a request of its own. */
const largeShare = 50n

export function isLargeShare(amountRaw: bigint | null, reserve: bigint | null): boolean {
  return amountRaw !== null && reserve !== null && amountRaw * largeShare > reserve
}

/** Of which main legs the second source is asked. */
export interface ReceiptChoice {
  /** Of all of at least so many token units, as decimal text. */
  readonly verifyAbove: string
  /** Of the rest this share, 0 to 1. */
  readonly sample: number
}

/**
 * Which main legs the second source is asked of: all above a bound, and of the rest a share that no one can choose.
 * @param key known to nobody else, and the same after a restart
 */
export function choosesReceipt({ verifyAbove, sample }: ReceiptChoice, key: string) {
  return ({ amount }: Transfer, hash: string): boolean => {
    if (amount === null || isAtLeast(amount, verifyAbove)) return true
    // Keyed: who sends a transaction may choose its hash, and must not choose what is looked at.
    const digest = createHmac('sha256', key).update(hash).digest()
    return digest.readUInt32BE(0) / 0x1_0000_0000 < sample
  }
}

function isAtLeast(amount: string, bound: string): boolean {
  const [a, b] = [parseDecimal(amount), parseDecimal(bound)]
  return !a || !b || a.digits * 10n ** BigInt(b.scale) >= b.digits * 10n ** BigInt(a.scale)
}
