/**
 * The known name that a mistyped one most likely means; null when none is near.
 * @example nearestName('serverity', ['severity', 'summary']) // 'severity'
 */
export function nearestName(name: string, known: Iterable<string>): string | null {
  let best: { name: string; distance: number } | null = null
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase().slice(0, 80), candidate.toLowerCase())
    if (
      distance <= Math.max(1, Math.floor(candidate.length / 3)) &&
      distance < (best?.distance ?? Infinity)
    ) {
      best = { name: candidate, distance }
    }
  }
  return best?.name ?? null
}

/** `, did you mean 'x'?`, or nothing. */
export function suggest(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known)
  return near === null ? '' : `, did you mean '${near}'?`
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + cost,
        ),
      )
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
