// Controls, bidirectional controls, zero-width characters and the byte order mark: none of them can be seen, all of
// them can change what a reader believes to see.
const invisible =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu

/**
 * Makes a string from outside safe to keep and to show: well-formed, NFC, one line, nothing invisible, at most
 * `maxLength` code points with `…` in place of what was cut. Escaping for a sink comes on top of it, in the sink.
 */
export function cleanText(text: string, maxLength = 64): string {
  // Cut before normalising: NFC over a string of hundreds of kilobytes is work that nobody will read.
  const isCut = text.length > maxLength * 8
  const rough = isCut ? text.slice(0, maxLength * 8) : text
  const clean = rough
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\t\r\n]+/g, ' ')
    .replace(invisible, '')
    .trim()
  const points = Array.from(clean)
  return isCut || points.length > maxLength ? `${points.slice(0, maxLength - 1).join('')}…` : clean
}
