import { putNewest } from '../../lib/putNewest.ts'

/** The newest entries of a map, so many of them. */
export interface Recent<T> {
  add(key: string, value: T): void
  get(key: string): T | null
  /** Whether it is there; if so it counts as new again. */
  touch(key: string): boolean
}

export function createRecent<T>(size: number): Recent<T> {
  const entries = new Map<string, T>()
  const add = (key: string, value: T) => putNewest(entries, key, value, size)
  return {
    add,
    get: (key) => entries.get(key) ?? null,
    touch(key) {
      const value = entries.get(key)
      if (value === undefined) return false
      add(key, value)
      return true
    },
  }
}
