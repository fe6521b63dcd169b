/** How many rows with other words make a new one rare. */
const manyAlike = { challengeStatus: 20, crossType: 200 } as const

/** Fields that hold words and whose words are not all documented. One that is judged by its word alone is drift at once. */
export type WordField = keyof typeof manyAlike

/** A row that has a word for the first time. */
export interface WordRow {
  /** Never empty. */
  readonly word: string
  /** Its height or its time: what lies before all that is known is only learned. */
  readonly place: number
}

/** The words of a field, how many rows had each first, and the lowest place that one of them has. */
export interface KnownWords {
  readonly counts: ReadonlyMap<string, number>
  readonly lowest: number
}

/** Of rows that came together those whose word none had before while many had others: one for each word. */
export function findRareWords<R extends WordRow>(
  field: WordField,
  { counts, lowest }: KnownWords,
  rows: readonly R[],
): R[] {
  const others = counts.values().reduce((sum, count) => sum + count, 0)
  if (others < manyAlike[field]) return []
  const rare = rows.filter(({ word, place }) => !counts.has(word) && place > lowest)
  return [...new Map(rare.toReversed().map((row) => [row.word, row])).values()]
}
