/**
 * The beginning of a text, well-formed, at most `maxLength` units. Copied: a slice would keep the whole of a body of
 * megabytes in memory for as long as it lives.
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text.toWellFormed()
  return Buffer.from(text.slice(0, maxLength), 'utf8').toString('utf8')
}
