/**
 * JSON with every bigint as a decimal string: a number would be rounded by whoever reads it.
 * @example toJson({ amountRaw: 10n ** 20n }) // '{"amountRaw":"100000000000000000000"}'
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner))
}
