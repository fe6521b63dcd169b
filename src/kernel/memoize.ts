/** Keeps a value for a while, so that many readers cost what one does. `forget` has it read anew. */
export function memoize<T>(
  clock: { monotonicMs(): number },
  lifeMs: number,
  read: () => T,
): { (): T; forget(): void } {
  let kept: { readonly value: T; readonly at: number } | null = null
  const get = () => {
    const at = clock.monotonicMs()
    if (kept === null || at - kept.at >= lifeMs) kept = { value: read(), at }
    return kept.value
  }
  return Object.assign(get, {
    forget: () => {
      kept = null
    },
  })
}
