/** Each kind of question about what is long over gets no more than a tenth of the time. */
const rests = 9
/** While the list itself is still being read, which all else waits for, a fortieth: there are five kinds of them. */
const restsBesideList = 39
/** A commit that took no time that could be measured is followed by another turn of the loop all the same. */
const leastMs = 50

/**
 * How long to wait after a commit of what is long over, which held everything else up for so long: a walk through the list
 * that is under way, the page, a finding that is to be told. All in ms.
 */
export function restAfter(heldMs: number, isListRead: boolean): number {
  return Math.max((isListRead ? rests : restsBesideList) * heldMs, leastMs)
}
