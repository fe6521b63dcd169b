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

/** A value that takes its time: who comes while it is old gets the old one, for which the next is read; nobody gets one that is older. */
export interface Renewed<T> {
  now: { readonly value: Promise<T>; readonly at: number } | null
  isRenewing: boolean
  readonly lifeMs: number
  readonly oldMs: number
}

export function nothingRenewed<T>(lifeMs: number, oldMs: number): Renewed<T> {
  return { now: null, isRenewing: false, lifeMs, oldMs }
}

/**
 * One that came to nothing is not kept: the next reader tries again.
 * @param at by the clock that nobody sets
 */
export async function readRenewed<T>(kept: Renewed<T>, at: number, read: () => Promise<T>): Promise<T> {
  const { now } = kept
  if (now === null || at - now.at >= kept.oldMs) {
    const begun = { value: read(), at }
    kept.now = begun
    try {
      return await begun.value
    } catch (error) {
      if (kept.now === begun) kept.now = null
      throw error
    }
  }
  if (at - now.at >= kept.lifeMs && !kept.isRenewing) void renew(kept, now, at, read)
  return now.value
}

async function renew<T>(
  kept: Renewed<T>,
  before: Renewed<T>['now'],
  at: number,
  read: () => Promise<T>,
): Promise<void> {
  kept.isRenewing = true
  try {
    const value = await read()
    // What was forgotten meanwhile may be otherwise by now.
    if (kept.now === before) kept.now = { value: Promise.resolve(value), at }
  } catch {
    // Who comes once the old one is too old is told.
  } finally {
    kept.isRenewing = false
  }
}
