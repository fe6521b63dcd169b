import type { Database } from '../store/database.ts'
import { fromHashCell } from '../store/hash.ts'
import { namesOf, nameText } from '../store/names.ts'
import type { Row } from '../store/table.ts'
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
