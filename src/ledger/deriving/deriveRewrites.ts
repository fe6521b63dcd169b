import type { UnixMs } from '../../lib/clock.ts'
import { details, firstOf, newestText } from './newestOf.ts'
import type { Status } from '../../bridge/observation.ts'
import { type Sighting, shownAt } from '../sightings/sighting.ts'
import type { Leg, Rewrite } from '../../bridge/transfer.ts'

/**
 * What changed of a record after it was final. The list alone proves no change: E12 must give the new value, in a
 * record that is newer than the first final one.
 */
export function deriveRewrites(
  all: readonly Sighting[],
  now: { status: Status; amountRaw: bigint | null; address: string; main: Leg | null; zone: Leg | null },
): Rewrite[] {
  // It takes one record that says something and another that says something else.
  if (all.length === 1) return []
  const first = firstOf(
    all.filter((s) => s.mainHash !== null && s.zoneHash !== null && s.status !== 'unknown'),
  )
  if (!first) return []
  const target = newestText(all, (sighting) => sighting.targetAddress)
  const isDenied =
    first.source === 'E3' && first.status === 'failed' && isDeniedAtOnce(all, first, now.status)
  const checks: readonly [string, string, string, (sighting: Sighting) => string][] = [
    ['status', first.status, now.status, (s) => s.status],
    ['amountRaw', text(first.amountRaw), text(now.amountRaw), (s) => text(s.amountRaw)],
    ['token', first.token, now.address, (s) => s.token],
    ['targetAddress', first.targetAddress, target, (s) => s.targetAddress],
    ['mainHash', text(first.mainHash), now.main?.hash ?? '', (s) => text(s.mainHash)],
    ['zoneHash', text(first.zoneHash), now.zone?.hash ?? '', (s) => text(s.zoneHash)],
  ]
  const changed = checks.flatMap(([field, before, after, read]) => {
    if (before === after || before === '' || (field === 'status' && isDenied)) return []
    const at = confirmedAt(all, first, (sighting) => read(sighting) === after)
    return at === null ? [] : [{ field, before, after, at }]
  })
  if (changed.length === 0) return []
  return [
    {
      at: Math.max(...changed.map(({ at }) => at)),
      before: Object.fromEntries(changed.map(({ field, before }) => [field, before])),
      after: Object.fromEntries(changed.map(({ field, after }) => [field, after])),
    },
  ]
}

/** E12 is asked of a failure in the list in the same reading, or at the next tick of the open transfers, ms. */
const confirmedWithinMs = 10_000

/** The failure that the list showed first was never one by E12: a replica that lags showed it. */
function isDeniedAtOnce(all: readonly Sighting[], first: Sighting, status: Status): boolean {
  return details(all).some(
    (one) =>
      one.status === status &&
      one.firstAt >= first.firstAt &&
      (one.updateTime ?? 0) <= shownAt(first) &&
      one.firstAt - first.firstAt <= confirmedWithinMs,
  )
}

/** When E12 first gave what a record says that is newer than the first final one; null while it did not. */
export function confirmedAt(
  all: readonly Sighting[],
  first: Sighting,
  says: (sighting: Sighting) => boolean,
): UnixMs | null {
  const inList = all.some((s) => s.source === 'E3' && s.firstAt > first.firstAt && says(s))
  const confirming = details(all).filter((sighting) => {
    if (!says(sighting)) return false
    if (first.source === 'E12' && first.updateTime !== null && sighting.updateTime !== null) {
      return sighting.updateTime > first.updateTime
    }
    // A deployment whose E12 and E3 always differ has rewritten nothing.
    const updatedSince = sighting.updateTime !== null && sighting.updateTime > shownAt(first)
    return sighting.lastAt > first.firstAt && (updatedSince || inList || first.source === 'E12')
  })
  return confirming.length === 0 ? null : Math.min(...confirming.map((sighting) => sighting.firstAt))
}

function text(value: bigint | string | null): string {
  return value === null ? '' : value.toString()
}
