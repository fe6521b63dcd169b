/**
 * The characters and elements that a value has when all of it is written out: a list that stands in another one twice
 * counts twice. `known` keeps what was measured, so that this takes no longer than the value has parts.
 * @example sizeOf(['ab', ['c']], new WeakMap()) // 6
 */
export function sizeOf(value: unknown, known: WeakMap<object, number>): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  if (!isCollection(value)) return 0
  const found = known.get(value)
  if (found !== undefined) return found
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  const size = items.reduce<number>((sum, item) => sum + 1 + sizeOf(item, known), 0)
  known.set(value, size)
  return size
}

/** Lists and maps that an expression or a template makes; what it is given are classes of their own, or small. */
function isCollection(value: unknown): value is object {
  return Array.isArray(value) || (typeof value === 'object' && value !== null && value.constructor === Object)
}
