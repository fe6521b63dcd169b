import { isObject } from '../lib/isObject.ts'
/** Above this size the structure is counted before it is built. */
const scanAboveLength = 1_000_000
const maxDepth = 200
/** A page of 100 records has some 3,000 values; a list of ten thousand logs some 150,000. */
const maxValues = 500_000

/**
 * `JSON.parse` for text from outside: never throws, and refuses large texts whose structure is out of all proportion
 * (a million nested arrays, ten million empty ones), which would cost many times their size in memory. An object that
 * names a key twice is refused as well: other readers may take the other one.
 */
export function parseJson(text: string): { readonly value: unknown } | null {
  if (text.length > scanAboveLength && !isProportionate(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    return hasRepeatedKey(text, value) ? null : { value }
  } catch {
    return null
  }
}

/**
 * Whether a text names more keys than were read from it. Colons are counted where a string has just ended, which is
 * quick, and right but for strings that begin with a colon: only with one of those is the text gone through exactly.
 */
function hasRepeatedKey(text: string, value: unknown): boolean {
  const read = countKeys(value)
  if (countColonsAfterQuotes(text) === read) return false
  return countKeysExactly(text) !== read
}

/** Without recursion: what JSON.parse can nest may be deeper than the stack. */
function countKeys(value: unknown): number {
  let keys = 0
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === 'object' && item !== null) open.push(item)
    } else if (isObject(next)) {
      // Of what was parsed every enumerable key is its own.
      for (const key in next) {
        keys += 1
        const item = next[key]
        if (typeof item === 'object' && item !== null) open.push(item)
      }
    }
  }
  return keys
}

function countColonsAfterQuotes(text: string): number {
  let count = 0
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let before = colon - 1
    while (isSpace(text.charCodeAt(before))) before -= 1
    if (text.charCodeAt(before) === 0x22 && !isEscaped(text, before)) count += 1
  }
  return count
}

function countKeysExactly(text: string): number {
  let count = 0
  for (let quote = text.indexOf('"'); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    quote = endOfString(text, quote)
    let after = quote + 1
    while (isSpace(text.charCodeAt(after))) after += 1
    if (text.charCodeAt(after) === 0x3a) count += 1
  }
  return count
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
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
