/** How many samples of different parties make a habit that questions and warnings rest on. */
export const enoughToWarn = 3
/** How many samples make one that accuses by itself. */
export const enoughToAccuse = 20
/** Of so many that agree one may say otherwise, and one in any case: what is judged may have taught it. */
const mostContradicted = 20

/**
 * Whether samples show what something means: enough of them agree, and hardly any says otherwise.
 * @param needed how many are enough
 */
export function isHabit(agree: number, disagree: number, needed: number = enoughToWarn): boolean {
  return agree >= needed && disagree <= Math.max(1, agree / mostContradicted)
}

/** Lessons with how many samples of the zone's words make a habit in them: those that warn where it is left out. */
export interface Lessons {
  readonly needed?: number
}

/** The same lessons, with nothing in them of the zone's words but what accuses by itself. */
export function onlyCertain<L extends Lessons>(learned: L): L {
  return { ...learned, needed: enoughToAccuse }
}

/** The same lessons with all that is more than chance. */
export function allLikely<L extends Lessons>(learned: L): L {
  return { ...learned, needed: enoughToWarn }
}
