/** Above this size the structure is counted before it is built. */
const scanAboveLength = 1_000_000
const maxDepth = 200
/** A page of 100 records has some 3,000 values; a list of ten thousand logs some 150,000. */
const maxValues = 500_000

/**
 * `JSON.parse` for text from outside: never throws, and refuses large texts whose structure is out of all proportion
 * (a million nested arrays, ten million empty ones), which would cost many times their size in memory.
 */
export function parseJson(text: string): { readonly value: unknown } | null {
  if (!isParseable(text)) return null
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

/** Whether parsing a text costs memory in proportion to its length. For text that somebody else will parse. */
export function isParseable(text: string): boolean {
  return text.length <= scanAboveLength || isProportionate(text)
}

function isProportionate(text: string): boolean {
  let depth = 0
  let values = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index)
        break
      case 0x5b: // [
      case 0x7b: // {
        values += 1
        depth += 1
        if (depth > maxDepth) return false
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
        break
      case 0x2c: // ,
        values += 1
        break
      default:
    }
    if (values > maxValues) return false
  }
  return true
}

function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
  } while (isEscaped(text, end))
  return end
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(index - 1 - backslashes) === 0x5c) backslashes += 1
  return backslashes % 2 === 1
}
