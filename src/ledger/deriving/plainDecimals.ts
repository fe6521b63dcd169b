import { decimalsByText } from '../../bridge/amount.ts'
import type { Group, Sighting } from '../sightings/sighting.ts'

/** One sighting whose amounts say nothing of its decimals, or that is part of a batch. */
const undecided = -1

/**
 * What says that a transfer was seen in one form alone, so that a walk through history may pass over it: the decimals in which its
 * base units and its token units agree as text, -1 where they do not or it is part of a batch; null with more forms.
 */
export function plainDecimals({ members, ambiguous }: Group): number | null {
  const [one] = members
  if (one === undefined || members.length + ambiguous.length > 1) return null
  if (namesBatch(one)) return undecided
  return one.value === null || one.amountRaw === null
    ? undecided
    : (decimalsByText(one.value, one.amountRaw) ?? undecided)
}

const batch = /batch/i

/** Hashes, addresses, amounts and words of ours cannot. */
function namesBatch(one: Sighting): boolean {
  return [
    one.crossType,
    one.id,
    one.tokenType,
    one.tokenId,
    one.tokenName,
    one.zoneEventIndex,
    one.batchDetail,
    one.logIndex,
    one.unsaid,
  ].some((text) => text !== undefined && text !== null && text !== '' && batch.test(text))
}
