/**
 * A list in pieces of at most `size`, in order.
 * @example toChunks([1, 2, 3], 2) // [[1, 2], [3]]
 */
export function toChunks<T>(list: readonly T[], size: number): T[][] {
  const pieces: T[][] = []
  for (let at = 0; at < list.length; at += size) pieces.push(list.slice(at, at + size))
  return pieces
}
