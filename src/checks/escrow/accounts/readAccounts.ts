import { z } from 'zod'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { codec, parseJson } from '../../../store/table.ts'
import { sumAccounts, sumUnmovedSince } from './accountStore.ts'

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
const schema = z.strictObject({
  holdings: amount,
  claims: amount,
  toZone: amount,
  toMain: amount,
  fees: amount,
  open: amount,
  lost: amount,
  found: amount,
})

export const accountsJson = codec({
  type: 'TEXT',
  expected: 'base units by account, as JSON',
  read: (cell): Accounts | undefined =>
    typeof cell === 'string' ? schema.safeParse(parseJson(cell)).data : undefined,
  write: (accounts: Accounts) =>
    JSON.stringify(accounts, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
})

/** How long after its block a movement may be listed, ms. */
const unmovedMs = 300_000

/** The accounts at a block that both lists have passed; what the balance says beyond them is not judged yet. */
export function readAccounts(
  db: Database,
  { token, baseline }: { readonly token: string; readonly baseline: bigint },
  at: { readonly height: number; readonly time: UnixMs; readonly holdings: bigint },
): Accounts {
  const sums = sumAccounts(db, token, at)
  const recent = sumUnmovedSince(db, token, at.time - unmovedMs, at.height)
  const unmoved = (sums.unmoved ?? 0n) - recent
  const unlisted = at.holdings - baseline - (sums.escrow ?? 0n)
  return {
    holdings: at.holdings,
    claims: baseline + (sums.claims ?? 0n),
    toZone: sums.toZone ?? 0n,
    toMain: sums.toMain ?? 0n,
    fees: sums.fees ?? 0n,
    open: (sums.open ?? 0n) + recent + unlisted,
    lost: (sums.lost ?? 0n) + (unmoved < 0n ? unmoved : 0n),
    found: (sums.found ?? 0n) + (unmoved > 0n ? unmoved : 0n),
  }
}

/** What nothing explains: below zero for what was taken, or created without being locked. */
export function unexplainedOf({ lost, found }: Pick<Accounts, 'lost' | 'found'>): bigint {
  return lost + found
}
