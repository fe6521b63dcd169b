import type { Observation } from '../../bridge/observation.ts'
import { isUnsaid } from '../../ledger/sightings/sighting.ts'
import type { Read } from './reads.ts'
import { mayBeUnread } from './unreadRows.ts'

type Rows = Pick<Read<Observation>, 'records' | 'bad' | 'isUnfiltered'>

/** Whether the record that was asked for may be in a row that was set aside, or that does not say what it is of. */
export function isHiding({ records, bad, isUnfiltered }: Rows): boolean {
  // What answers another question hides nothing of this one.
  const isBad = bad.length > 0 && isUnfiltered !== true
  return isBad || records.some((record) => isUnsaid(record, 'mainHash') || isUnsaid(record, 'zoneHash'))
}

/** Whether an answer would show the record that was asked for if it were there. */
export function isClean(read: Rows): boolean {
  return read.bad.length === 0 && read.isUnfiltered !== true && !isHiding(read)
}

/** The same of each hash of a question about several: a row that was set aside and names others is theirs alone. */
export function isCleanOf(read: Rows, asked: readonly string[]): (hash: string) => boolean {
  const isOtherwiseClean = isClean({ ...read, bad: [] })
  const isUnread = mayBeUnread(read.bad, asked)
  return (hash) => isOtherwiseClean && !isUnread(hash)
}
