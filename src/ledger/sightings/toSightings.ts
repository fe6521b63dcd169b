import type { Observation } from '../../bridge/observation.ts'
import { once } from '../../lib/once.ts'
import { sightingDigest } from './sightingCells.ts'
import { type Sighting, compareText, isFullerForm, strongName, weakContent } from './sighting.ts'

/**
 * The observations of one answer as sightings. They must come from one answer: what stands side by side in it is
 * known to be separate, which is the only proof that two alike records are two.
 */
export function toSightings(answer: readonly Observation[]): Sighting[] {
  const numbered = numberEqualDetails(answer)
  const twins = findTwins(numbered)
  const alike = once(() => Map.groupBy(numbered, weakContent))
  return numbered.map((observation) => {
    const name = strongName(observation)
    if (name !== null) return toSighting(observation, twins.has(name), 0)
    return toSighting(
      observation,
      false,
      countFuller(observation, alike().get(weakContent(observation)) ?? []),
    )
  })
}

/** Field by field, so that all have the same form: what reads them is then as fast as it can be. */
function toSighting(observation: Observation, twin: boolean, besides: number): Sighting {
  const { requestedAt, logIndex, unsaid } = observation
  const sighting: Required<Omit<Sighting, 'logIndex' | 'unsaid'>> = {
    source: observation.source,
    id: observation.id,
    direction: observation.direction,
    crossType: observation.crossType,
    status: observation.status,
    mainHash: observation.mainHash,
    mainHeight: observation.mainHeight,
    mainTime: observation.mainTime,
    zoneHash: observation.zoneHash,
    zoneHeight: observation.zoneHeight,
    zoneTime: observation.zoneTime,
    from: observation.from,
    to: observation.to,
    sourceAddress: observation.sourceAddress,
    targetAddress: observation.targetAddress,
    value: observation.value,
    amountRaw: observation.amountRaw,
    token: observation.token,
    tokenType: observation.tokenType,
    tokenId: observation.tokenId,
    tokenName: observation.tokenName,
    zoneEventIndex: observation.zoneEventIndex,
    zoneBlockHash: observation.zoneBlockHash,
    batchDetail: observation.batchDetail,
    updateTime: observation.updateTime,
    pushHeight: observation.pushHeight,
    firstAt: requestedAt,
    lastAt: requestedAt,
    twin,
    besides,
  }
  if (logIndex === undefined && unsaid === undefined) return sighting
  return { ...sighting, ...(logIndex !== undefined && { logIndex }), ...(unsaid !== undefined && { unsaid }) }
}

/** Strong names that records of other content bear beside each other. */
function findTwins(answer: readonly Observation[]): Set<string> {
  const firstOf = new Map<string, Observation>()
  const twins = new Set<string>()
  for (const observation of answer) {
    const name = strongName(observation)
    if (name === null) continue
    const first = firstOf.get(name)
    if (!first) firstOf.set(name, observation)
    else if (first.mainHash !== observation.mainHash || weakContent(first) !== weakContent(observation))
      twins.add(name)
  }
  return twins
}

/**
 * A deployment may give neither id nor event index. Several equal records in one E12 answer are then several
 * transfers all the same, and their place among their equals stands in for the index.
 */
function numberEqualDetails(answer: readonly Observation[]): readonly Observation[] {
  const equals = new Map<string, Observation[]>()
  for (const observation of answer) {
    if (observation.source !== 'E12' || strongName(observation) !== null || observation.zoneHash === null)
      continue
    const name = `${observation.zoneHash}|${weakContent(observation)}`
    equals.set(name, [...(equals.get(name) ?? []), observation])
  }
  const ordinals = new Map<Observation, string>()
  for (const group of equals.values()) {
    if (group.length < 2) continue
    const ordered = [...group].sort(
      (a, b) =>
        compareText(a.mainHash ?? '~', b.mainHash ?? '~') ||
        compareText(sightingDigest(a), sightingDigest(b)) ||
        (a.updateTime ?? 0) - (b.updateTime ?? 0),
    )
    for (const [ordinal, observation] of ordered.entries()) ordinals.set(observation, `~${ordinal}`)
  }
  if (ordinals.size === 0) return answer
  return answer.map((observation) => {
    const ordinal = ordinals.get(observation)
    return ordinal === undefined ? observation : { ...observation, zoneEventIndex: ordinal }
  })
}

function countFuller(record: Omit<Observation, 'requestedAt'>, alike: readonly Observation[]): number {
  return alike.filter((other) => isFullerForm(other, record)).length
}
