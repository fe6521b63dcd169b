import type { Sighting } from '../sightings/sighting.ts'

/**
 * Without the ids that records bear which share neither transaction: a word for none names nobody. It is kept as `word`,
 * because two that bear different ones differ all the same (semantics 1).
 */
export function forgetSharedIds(sightings: readonly Sighting[]): readonly Sighting[] {
  const first = new Map<string, Sighting>()
  const shared = new Set<string | null>()
  for (const sighting of sightings) {
    const { id, mainHash, zoneHash } = sighting
    if (id === null || mainHash === null || zoneHash === null) continue
    const known = first.get(id) ?? sighting
    first.set(id, known)
    if (known.mainHash !== mainHash && known.zoneHash !== zoneHash) shared.add(id)
  }
  return shared.size === 0
    ? sightings
    : sightings.map((sighting) =>
        shared.has(sighting.id) ? { ...sighting, id: null, word: sighting.id } : sighting,
      )
}
