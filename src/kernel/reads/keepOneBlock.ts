/**
 * Of what one answer says of a transaction, what stands in one block: where a reorganisation moved it, a service may
 * show it in its old block and in its new one for a while. The fuller one counts, of two alike the higher.
 */
export function keepOneBlock<R extends { readonly height: number }>(rows: readonly R[]): readonly R[] {
  const blocks = [...Map.groupBy(rows, ({ height }) => height)]
  if (blocks.length <= 1) return rows
  return blocks.reduce((best, one) => {
    const more = one[1].length - best[1].length
    return more > 0 || (more === 0 && one[0] > best[0]) ? one : best
  })[1]
}
