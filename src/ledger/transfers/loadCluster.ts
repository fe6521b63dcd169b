import type { Sighting } from '../sightings/sighting.ts'
import type { Database } from '../../store/database.ts'
import { type RestingRecords, withTimes } from './restingRecords.ts'
import { type StoredTransfer } from './transferRows.ts'
import { selectNamed } from './named.ts'

/** Every stored row that the records could concern: same strong name, or joined by a hash to a record without one. */
export function loadCluster(
  db: Database,
  fresh: readonly Sighting[],
  resting: RestingRecords,
): Map<number, StoredTransfer> {
  const rows = new Map<number, StoredTransfer>()
  const seen = { ids: new Set<string>(), hashes: new Set<string>(), looseHashes: new Set<string>() }
  let found = fresh
  while (found.length > 0) {
    const names = listNames(found, seen)
    found = selectNamed(db, names).flatMap((stored) => {
      if (rows.has(stored.key)) return []
      const row = withTimes(resting, stored)
      rows.set(row.key, row)
      return [...row.group.members, ...row.group.ambiguous]
    })
  }
  return rows
}

interface Names<T> {
  readonly ids: T
  /** Of every row that bears one of them. */
  readonly hashes: T
  /** Of the rows that hold a record without id. */
  readonly looseHashes: T
}

/** The names by which these sightings may concern other rows, without those that were looked up before. */
function listNames(sightings: readonly Sighting[], seen: Names<Set<string>>): Names<string[]> {
  const names: Names<string[]> = { ids: [], hashes: [], looseHashes: [] }
  const add = (kind: keyof typeof names, name: string) => {
    if (seen[kind].has(name)) return
    seen[kind].add(name)
    names[kind].push(name)
  }
  for (const { id, zoneHash, mainHash } of sightings) {
    if (id !== null) add('ids', id)
    for (const hash of [zoneHash, mainHash]) {
      if (hash === null) continue
      // Two records that both bear an id concern each other through it alone.
      if (id === null) add('hashes', hash)
      else if (!seen.hashes.has(hash)) add('looseHashes', hash)
    }
  }
  return names
}
