/**
 * The candidate that somebody who typed `word` most likely meant; null when none is close. Case is no difference, two
 * swapped neighbours count as one mistake.
 * @example nearest('pase', ['pace', 'timeout']) // 'pace'
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  // Longer words are nobody's typing mistake, and the table below grows with their product.
  if (word.length > 100) return null
  const limit = word.length <= 3 ? 1 : Math.max(2, Math.floor(word.length / 3))
  let best: { readonly candidate: string; readonly distance: number } | null = null
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && distance < candidate.length && distance < (best?.distance ?? Infinity)) {
      best = { candidate, distance }
    }
  }
  return best?.candidate ?? null
}

/** What to say of it after `unknown …`: `, did you mean \`pace\`?`, or nothing. */
export function suggest(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates)
  return meant === null ? '' : `, did you mean \`${meant}\`?`
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1]
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, column - 2) + 1 : Infinity,
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
