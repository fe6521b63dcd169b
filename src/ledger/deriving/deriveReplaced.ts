import type { Chain } from '../../bridge/observation.ts'
import type { Leg, ReplacedPayout } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { confirmedAt } from './deriveRewrites.ts'
import { details, firstOf, newest } from './newestOf.ts'
import { isRecord, type Sighting } from '../sightings/sighting.ts'

/**
 * The payouts that records named, each in its turn, and do not name any more: any one of them that still stands beside the
 * present one is a second payout. It takes E12 to say that one was replaced.
 */
export function deriveReplaced(all: readonly Sighting[], destination: Leg | null): readonly ReplacedPayout[] {
  // It takes one record that names it and another that names another one.
  if (destination === null || all.length === 1) return []
  const { chain } = destination
  const naming = all.filter((one) => isRecord(one) && hashOf(one, chain) !== null)
  if (naming.every((one) => hashOf(one, chain) === destination.hash)) return []
  const payouts = listPayouts(naming, chain)
  if (payouts.size < 2) return []
  const present = payouts.has(destination.hash)
    ? destination.hash
    : newest(details(naming), (one) => hashOf(one, chain))
  return [...payouts]
    .filter((hash) => hash !== present)
    .map((hash) => toReplaced(naming, chain, { hash, present: present ?? destination.hash }))
}

/** What details named, and what the first final record did where a detail confirmed the change. */
function listPayouts(naming: readonly Sighting[], chain: Chain): ReadonlySet<string> {
  const confirmed = new Set(details(naming).flatMap((one) => hashOf(one, chain) ?? []))
  const first = firstOf(naming.filter((one) => one.mainHash !== null && one.zoneHash !== null))
  const hash = first && hashOf(first, chain)
  if (!first || hash === null || confirmed.has(hash)) return confirmed
  const isConfirmed = [...confirmed].some(
    (other) => confirmedAt(naming, first, (one) => hashOf(one, chain) === other) !== null,
  )
  return isConfirmed ? new Set([hash, ...confirmed]) : confirmed
}

function toReplaced(
  naming: readonly Sighting[],
  chain: Chain,
  { hash, present }: { readonly hash: string; readonly present: string },
): ReplacedPayout {
  const of = (name: string) => naming.filter((one) => hashOf(one, chain) === name)
  const firstAt = (name: string) => Math.min(...of(name).map((one) => one.firstAt))
  const others = details(naming).filter((one) => hashOf(one, chain) !== hash && one.firstAt > firstAt(hash))
  const asked = details(of(hash))
  // Of one that had been named before it is not kept when it was named again: not before this one was last.
  const at = Math.min(...(others.length > 0 ? others.map((one) => one.firstAt) : [lastAt(asked)]))
  const isReturned = asked.length > 0 && firstAt(present) < firstAt(hash)
  return {
    chain,
    hash,
    at,
    ...(isReturned && { replacedAt: Math.min(...asked.map((one) => one.firstAt)) }),
  }
}

function lastAt(some: readonly Sighting[]): UnixMs {
  return Math.max(...some.map((one) => one.lastAt))
}

function hashOf(sighting: Sighting, chain: Chain): string | null {
  return chain === 'main' ? sighting.mainHash : sighting.zoneHash
}
