/**
 * An address or a hash as it is kept, whatever capitals its checksum has; any other text as it is.
 * @example lowerHash('0x00…00AB') // '0x00…00ab'
 */
export function lowerHash(text: string): string {
  return /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text) ? text.toLowerCase() : text
}
