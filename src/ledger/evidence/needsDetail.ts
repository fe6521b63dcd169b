import type { Chain } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { listEmptied, retractionMs } from '../deriving/deriveTransfer.ts'
import { details } from '../deriving/newestOf.ts'
import { type Group, isRecord, type Sighting } from '../sightings/sighting.ts'
import { isBatch, type Transfer } from '../../bridge/transfer.ts'

/** Whether E12 has to be asked: something about the transfer is open, or the list says what only E12 may confirm. */
export function needsDetail(group: Group, transfer: Transfer): boolean {
  if (transfer.state === 'pending' || transfer.state === 'unbacked') return true
  if (transfer.zone === null) return false
  const asked = details(group.members)
  const detailAt = Math.max(-Infinity, ...asked.map((sighting) => sighting.lastAt))
  const hasName = group.members.some((s) => s.id !== null || s.zoneEventIndex !== null)
  if (asked.length === 0 && (!hasName || isBatch(transfer))) return true
  if (wantsMainRead(group)) return true
  if (transfer.main !== null && isBeingTakenBack(group.members, 'main', detailAt)) return true
  if (isBeingTakenBack(group.members, 'zone', detailAt)) return true
  return group.members.some((s) => isRecord(s) && isDisputing(s, transfer, detailAt))
}

/** Whether it can be asked about: by an id alone nobody can. */
export function isNamed({ members }: Group): boolean {
  return members.some(({ zoneHash, mainHash }) => zoneHash !== null || mainHash !== null)
}

/** A replica that lags may stand between two answers that do not, but not for longer, ms. */
const takingBackMs = 600_000

/** E12 gave a leg empty, and did not for long enough: only E12 can say it again, whatever the list shows meanwhile. */
function isBeingTakenBack(members: readonly Sighting[], chain: Chain, detailAt: UnixMs): boolean {
  return listEmptied(members, chain).some(({ firstAt }) => detailAt - firstAt < takingBackMs)
}

/** How long before another one a record may be read and still be of the same reading of the list, on another page, ms. */
const pageGapMs = 60_000

/**
 * A deposit is listed as open although every transfer that it could be is known to have arrived: a further one, equal to
 * them, or a replica that lags. The records of its main transaction side by side show it, and E12 does not know it.
 */
export function wantsMainRead({ members, ambiguous }: Group): boolean {
  // One that arrived, and one that did not.
  if (members.length + ambiguous.length < 2) return false
  const all = [...members, ...ambiguous].filter((sighting) => sighting.source === 'E3')
  const arrived = members.filter((s) => s.direction === 'MainToZone' && s.zoneHash !== null)
  if (arrived.length === 0) return false
  const arrivedAt = Math.min(...arrived.map((sighting) => sighting.firstAt))
  const readAt = Math.max(...members.map((sighting) => sighting.lastAt))
  return all.some(
    (s) =>
      s.zoneHash === null && s.mainHash !== null && s.lastAt > arrivedAt && s.lastAt >= readAt - pageGapMs,
  )
}

/** A sighting since the newest E12 answer that contradicts what the ledger holds of a final transfer. */
function isDisputing(sighting: Sighting, transfer: Transfer, detailAt: UnixMs): boolean {
  const isRetraction =
    sighting.updateTime !== null &&
    sighting.source === 'E12' &&
    sighting.lastAt - sighting.firstAt < retractionMs
  const isRival =
    sighting.source === 'E12' && sighting.status !== 'unknown' && sighting.status !== transfer.status
  if (sighting.lastAt < detailAt) return false
  if (sighting.lastAt === detailAt && !isRetraction && !isRival) return false
  const mainHash = transfer.main?.hash ?? null
  const zoneHash = transfer.zone?.hash ?? null
  const isEmptied =
    (sighting.mainHash === null && mainHash !== null && !sighting.unsaid?.includes('mainHash')) ||
    (sighting.zoneHash === null && zoneHash !== null && !sighting.unsaid?.includes('zoneHash'))
  if (isEmptied) return sighting.lastAt >= transfer.readAt
  return (
    (sighting.status !== 'unknown' && sighting.status !== transfer.status) ||
    (sighting.amountRaw !== null && sighting.amountRaw !== transfer.amountRaw) ||
    (sighting.targetAddress !== '' && sighting.targetAddress !== transfer.targetAddress) ||
    (sighting.mainHash !== null && sighting.mainHash !== mainHash)
  )
}
