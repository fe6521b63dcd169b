/** Below so many all are looked at each time: that is sooner done than remembered. */
const few = 16

/**
 * What is found out of a list, of a long one once: each of a crowd asks the same of all. Lists never change.
 * @example const sumOf = ofCrowd((all: readonly number[]) => all.reduce((a, b) => a + b, 0))
 */
export function ofCrowd<T, R>(find: (all: readonly T[]) => R): (all: readonly T[]) => R {
  const found = new WeakMap<readonly T[], { readonly value: R }>()
  return (all) => {
    if (all.length <= few) return find(all)
    const known = found.get(all) ?? { value: find(all) }
    found.set(all, known)
    return known.value
  }
}
