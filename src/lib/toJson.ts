/**
 * JSON with every bigint as a decimal string: a number would be rounded by whoever reads it.
 * @param indent spaces of each level; left out, all stands in one line
 * @example toJson({ amountRaw: 10n ** 20n }) // '{"amountRaw":"100000000000000000000"}'
 */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}` : inner),
    indent,
  )
}
