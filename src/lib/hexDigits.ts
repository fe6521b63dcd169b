const values = new Int8Array(128).fill(-1)
for (let value = 0; value < 16; value += 1) values[value.toString(16).charCodeAt(0)] = value

/**
 * Writes the bytes that a text names in lower-case hex digits behind `0x`.
 * @returns false where any of it is something else; what is written then is nothing
 */
export function writeHex(text: string, into: Uint8Array, at: number): boolean {
  for (let index = 2, place = at; index < text.length; index += 2, place += 1) {
    const high = values[text.charCodeAt(index)] ?? -1
    const low = values[text.charCodeAt(index + 1)] ?? -1
    if (high < 0 || low < 0) return false
    into[place] = high * 16 + low
  }
  return true
}

/** Whether a text begins as hex digits are written, with a whole number of bytes behind. */
export function beginsAsHex(text: string): boolean {
  return (
    text.length > 2 && text.length % 2 === 0 && text.charCodeAt(0) === 0x30 && text.charCodeAt(1) === 0x78
  )
}
