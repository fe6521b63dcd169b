import { z } from 'zod'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { type Codec, json } from '../../../store/table.ts'
import type { Deltas } from './account.ts'
import { sumAccounts, sumAccountsUntil, sumUnmovedSince, type Unmoved } from './accountStore.ts'

/**
 * What a token's escrows hold at a block, account by account: `holdings` is the sum of all others, exact, base units.
 */
export interface Accounts {
  readonly holdings: bigint
  /** What holders on the zone chain can claim. */
  readonly claims: bigint
  readonly toZone: bigint
  readonly toMain: bigint
  /** What stayed behind of transfers since accounts are kept. */
  readonly fees: bigint
  /** Paid by escrows for transactions that they sent themselves, since accounts are kept: below zero. */
  readonly gas: bigint
  /** Moved, or recorded, and not judged yet. */
  readonly open: bigint
  /** Left, or credited, without anything behind it: below zero. */
  readonly lost: bigint
  /** Came, and nothing says why. */
  readonly found: bigint
}

const amount = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt)
export const accountsSchema = z.strictObject({
  holdings: amount,
  claims: amount,
  toZone: amount,
  toMain: amount,
  fees: amount,
  /** Left out in what was kept before it was counted. */
  gas: amount.default(0n),
  open: amount,
  lost: amount,
  found: amount,
})

export const accountsJson: Codec<Accounts> = json(accountsSchema)

/** How long after its block a movement may be listed, ms. */
const unmovedMs = 300_000

/** The accounts at a block that both lists have passed. */
export function readAccounts(
  db: Database,
  of: Pick<Opening, 'token' | 'baseline'>,
  at: { readonly height: number; readonly time: UnixMs; readonly holdings: bigint },
): Accounts {
  return close(of.baseline, at.holdings, {
    sums: sumAccounts(db, of.token, at),
    recent: sumUnmovedSince(db, of.token, { since: at.time - unmovedMs, height: at.height }),
  })
}

/** The same at the end of a day, by the times of blocks. */
export function readAccountsAtTime(
  db: Database,
  of: Pick<Opening, 'token' | 'baseline'>,
  at: { readonly time: UnixMs; readonly holdings: bigint },
): Accounts {
  return close(of.baseline, at.holdings, {
    sums: sumAccountsUntil(db, of.token, at.time),
    recent: sumUnmovedSince(db, of.token, { since: at.time - unmovedMs, until: at.time }),
  })
}

interface Opening {
  readonly token: string
  /** What the escrows held when accounts began, base units. */
  readonly baseline: bigint
}

/**
 * What was recorded and is not listed as a movement, and what the balance has beyond the lists, are one thing where they
 * agree. The rest of the one is lost once it had its time, the rest of the other is still being judged. What was recorded a
 * moment ago may have moved the balance, or not: an older record is held against what it may be without that.
 */
function close(
  baseline: bigint,
  holdings: bigint,
  { sums, recent }: { readonly sums: Deltas; readonly recent: Unmoved },
): Accounts {
  const unlisted = holdings - baseline - (sums.escrow ?? 0n)
  const older = (sums.unmoved ?? 0n) - recent.came - recent.left
  const settled = cancel(older, unlisted + (older < 0n ? recent.left : recent.came))
  return {
    holdings,
    claims: baseline + (sums.claims ?? 0n),
    toZone: sums.toZone ?? 0n,
    toMain: sums.toMain ?? 0n,
    fees: sums.fees ?? 0n,
    gas: sums.gas ?? 0n,
    open: (sums.open ?? 0n) + (sums.unmoved ?? 0n) - settled + unlisted,
    lost: (sums.lost ?? 0n) + (settled < 0n ? settled : 0n),
    found: (sums.found ?? 0n) + (settled > 0n ? settled : 0n),
  }
}

/** What of an amount another of the opposite sign does not make up for. */
function cancel(amount: bigint, other: bigint): bigint {
  if (amount < 0n) return other > 0n ? (amount + other < 0n ? amount + other : 0n) : amount
  return other < 0n ? (amount + other > 0n ? amount + other : 0n) : amount
}

/** What nothing explains: below zero for what was taken, or created without being locked. */
export function unexplainedOf({ lost, found }: Pick<Accounts, 'lost' | 'found'>): bigint {
  return lost + found
}
