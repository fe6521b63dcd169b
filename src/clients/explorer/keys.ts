import type { z } from 'zod'

type Use = 'vital' | 'judged' | 'shown' | 'ignored'

/**
 * What hangs on a documented key of a record.
 * - `vital`: judged by, and without it nothing can be said of the row, which is set aside.
 * - `judged`: judged by; without it that one thing is unknown.
 * - `shown`: for people to read.
 * - `ignored`: nobody's but of who asks with `query`.
 *
 * A key that ends in `?` may be left out, one that ends in `!` may not even be empty; any other has to be there and may
 * be empty.
 */
export type KeyClass = Use | `${Use}?` | `${Use}!`

/** `none`: the field belongs to a schema that several endpoints share, and this one does not document it. */
export type KeyClasses = Readonly<Record<string, KeyClass | 'none'>>

/** A class for every field of a schema, and for documented keys that it does not read. */
export type KeysOf<S extends z.ZodObject> = Readonly<Record<keyof S['shape'], KeyClass | 'none'>> & KeyClasses

/** Whether findings or people rest on it; null where nothing does. */
export function useOf(keyClass: KeyClass | 'none' | undefined): 'judged' | 'shown' | null {
  if (keyClass === undefined || /^(none|ignored)/.test(keyClass)) return null
  return keyClass.startsWith('shown') ? 'shown' : 'judged'
}
