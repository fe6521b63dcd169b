/**
 * The element at a place that there is.
 * @throws Error where there is none
 * @example nth(['a', 'b'], 1) // 'b'
 */
export function nth<T>(list: readonly T[], place: number): T {
  const value = list[place]
  if (value === undefined) throw new Error(`expected an element at ${place} of ${list.length}`)
  return value
}
