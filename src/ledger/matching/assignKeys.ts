import type { Database } from '../../store/database.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'
import type { Group, Sighting } from '../sightings/sighting.ts'

export interface Assigned {
  readonly key: number
  readonly group: Group
}

/** The oldest key among a group's sightings names it; a key that two groups claim stays with the one seen first. */
export function assignKeys(
  groups: readonly Group[],
  owners: ReadonlyMap<Sighting, number>,
  next: () => number,
): Assigned[] {
  const claims = groups
    .map((group) => ({
      group,
      keys: group.members.flatMap((sighting) => owners.get(sighting) ?? []).sort((a, b) => a - b),
      firstAt: Math.min(...group.members.map((sighting) => sighting.firstAt)),
    }))
    .sort((a, b) => (a.keys[0] ?? Infinity) - (b.keys[0] ?? Infinity) || a.firstAt - b.firstAt)
  const taken = new Set<number>()
  return claims.map(({ group, keys }) => {
    const key = keys.find((candidate) => !taken.has(candidate)) ?? next()
    taken.add(key)
    return { key, group }
  })
}

/** Keys are never given twice, not even after their transfer was joined into another: alerts remember them. */
export function reserveKeys(db: Database, atMost: number): () => number {
  let next = readMetaNumber(db, 'next_key') ?? 1
  const last = next + atMost
  let isReserved = false
  return () => {
    if (!isReserved) {
      saveMeta(db, 'next_key', String(last))
      isReserved = true
    }
    return next++
  }
}
