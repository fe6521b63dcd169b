/**
 * The ends of a hash or an address, for a line; the whole one stands elsewhere.
 * @example shortHash('0x12ab…') // '0x12ab…cd34'
 */
export function shortHash(hash: string): string {
  return /^0x[0-9a-f]{12,}$/i.test(hash) ? `${hash.slice(0, 6)}…${hash.slice(-4)}` : hash
}
