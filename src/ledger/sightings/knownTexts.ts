import type { Database } from '../../store/database.ts'
import { fromHashCell } from '../../store/hash.ts'
import { namesOf, nameText } from '../../store/names.ts'
import type { Row } from '../../store/table.ts'
import { isRecipient } from './parties.ts'

/** The columns of a transfer to which what is packed of it refers by their place: never to be put in another order. */
export const known = [
  'rec_id',
  'zone_hash',
  'main_hash',
  'token',
  'source_address',
  'target_address',
] as const

/** Their texts, of a row that has all of them. */
export function knownOf(db: Database, row: Row): string[] {
  return known.map((name) => {
    if (name === 'token') return nameText(namesOf(db), row[name]) ?? ''
    const column = name === 'source_address' && isRecipient(row[name]) ? 'target_address' : name
    return fromHashCell(row[column]) ?? ''
  })
}

/** The columns with times to which sightings refer by their places, as `known`. */
export const knownTimes = ['first_seen_at', 'read_at', 'origin_at', 'destination_at'] as const
/** The same of answers: what a reading changes is none of them. */
export const knownOfAnswers = ['origin_at', 'destination_at'] as const

export function timesOf(row: Row, columns: readonly string[] = knownTimes): number[] {
  return columns.map((name) => Number(row[name] ?? -1))
}
