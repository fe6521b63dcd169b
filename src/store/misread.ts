import { errorText } from '../lib/errors.ts'
import type { Database } from './database.ts'
import { placeOfUnreadable } from './unreadable.ts'

/*
 * Rows that cannot be read, in a file that is whole otherwise: something else stands in for what they said, or what rests on them
 * is left as it is, so that they hold up nothing else, and whoever runs spanwatch is told.
 */

interface Misread {
  readonly places: Set<string>
  told: number
}

const found = new WeakMap<Database, Misread>()

/** That there are more of them is all that is said then. */
const mostPlaces = 1_000

export function noteMisread(db: Database, place: string): void {
  const misread = found.get(db) ?? { places: new Set(), told: 0 }
  found.set(db, misread)
  if (misread.places.size < mostPlaces) misread.places.add(place)
}

/** Those that were met since this was asked last, each once in the life of a process. */
export function takeMisread(db: Database): readonly string[] {
  const misread = found.get(db)
  if (misread === undefined) return []
  const places = [...misread.places].slice(misread.told)
  misread.told = misread.places.size
  return places
}

/**
 * Does one part of a transaction. A row that cannot be read stops that part alone: what it did is rolled back, and the row is
 * noted. @returns why it was stopped; null when it was not
 */
export function attempt(db: Database, work: () => void): string | null {
  try {
    db.part(work)
    return null
  } catch (error) {
    const place = placeOfUnreadable(error)
    if (place === null) throw error
    noteMisread(db, place)
    return errorText(error)
  }
}
