/**
 * The rows whose names hold all words; with the one word `short` those of a list, which the gate runs.
 * @throws Error when the list names one that is not there
 */
export function choose<Row extends { readonly name: string }>(
  rows: readonly Row[],
  words: readonly string[],
  short: readonly string[],
): readonly Row[] {
  if (words[0] !== 'short') return rows.filter(({ name }) => words.every((word) => name.includes(word)))
  return short.map((wanted) => {
    const row = rows.find(({ name }) => name === wanted)
    if (row === undefined) throw new Error(`there is no row named "${wanted}"`)
    return row
  })
}
