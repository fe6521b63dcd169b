import type { Database } from './database.ts'

/*
 * Rows whose packed cell cannot be read, in a file that is whole otherwise: something else stands in for what they said, so that
 * they hold up no other, and whoever runs spanwatch is told.
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
