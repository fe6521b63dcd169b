import { isVague, mayBeSame } from '../matching/fillUnsaid.ts'
import type { Observation } from '../../bridge/observation.ts'
import { isCompatible, isRecord, type Sighting, weakContent } from '../sightings/sighting.ts'
import type { Database } from '../../store/database.ts'
import { isAddress, isHash } from '../../store/hash.ts'
import { byHash, selectTransfers, type StoredTransfer } from './transferRows.ts'

/** Of one transaction no more transfers are compared, whomever they are for. */
const maxSharing = 500

/**
 * Whether no record in the ledger can be an earlier or later form of this one. It may say yes of a record that matching
 * would join all the same: what is said to lack is read again before it counts.
 */
export function lacksRecord(db: Database, record: Observation): boolean {
  const { id, zoneHash, mainHash } = record
  const isAmong = (rows: readonly StoredTransfer[]) => rows.some((row) => holds(row, record))
  if (id !== null && isAmong(selectTransfers(db, `WHERE ${isHash('rec_id', '?1')} LIMIT ?2`, id, maxSharing)))
    return false
  return ![zoneHash, mainHash].some((hash) => hash !== null && isAmong(listBearing(db, hash, record)))
}

/** Who bears a hash; of more than are compared those for the record's recipient. */
function listBearing(db: Database, hash: string, { targetAddress }: Observation): StoredTransfer[] {
  const rows = selectTransfers(db, `${byHash} LIMIT ?2`, hash, maxSharing)
  return rows.length < maxSharing
    ? rows
    : selectTransfers(
        db,
        `${byHash} AND ${isAddress('target_address', '?3')} LIMIT ?2`,
        hash,
        maxSharing,
        targetAddress,
      )
}

function holds({ group }: StoredTransfer, record: Observation): boolean {
  return [...group.members, ...group.ambiguous].some(
    (sighting) => isRecord(sighting) && isSame(sighting, record),
  )
}

function isSame(sighting: Sighting, record: Observation): boolean {
  if (!isCompatible(sighting.id, record.id) || !isCompatible(sighting.mainHash, record.mainHash)) return false
  // The same name with other content is a record that was written again.
  if (record.id !== null && sighting.id === record.id) return true
  if (isVague(sighting) || isVague(record)) return mayBeSame(sighting, record)
  return isCompatible(sighting.zoneHash, record.zoneHash) && weakContent(sighting) === weakContent(record)
}

/** A name for a record that the ledger does not hold. */
export function nameOfRecord(record: Observation): string {
  const { id, zoneHash, mainHash } = record
  return [
    id ?? '',
    zoneHash ?? '',
    id !== null && zoneHash !== null ? '' : (mainHash ?? ''),
    weakContent(record),
  ].join('|')
}
