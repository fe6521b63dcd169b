/** A value that is read anew when it is old, so that many readers cost what one does. */
export interface Kept<T> {
  now: { readonly value: T; readonly at: number } | null
  readonly lifeMs: number
}

export function nothingKept<T>(lifeMs: number): Kept<T> {
  return { now: null, lifeMs }
}

/** @param at by the clock that nobody sets */
export function readKept<T>(kept: Kept<T>, at: number, read: () => T): T {
  if (kept.now === null || at - kept.now.at >= kept.lifeMs) kept.now = { value: read(), at }
  return kept.now.value
}

/** A value that takes its time is kept from when it was asked for, but for one that came to nothing: the next reader tries again. */
export async function forgetFailed<T>(kept: Kept<Promise<T>>, value: Promise<T>): Promise<T> {
  try {
    return await value
  } catch (error) {
    kept.now = null
    throw error
  }
}
