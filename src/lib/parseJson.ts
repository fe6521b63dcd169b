import { isObject } from './isObject.ts'

/** Answers nest their values less than ten deep. */
const maxDepth = 200
/** A page of 100 records has some 3,000 values; a list of ten thousand logs some 150,000. */
const maxValues = 300_000
/** A record has less than a hundred; from some thousand on each costs many times as much. */
const maxKeysOfOne = 5_000
/** Every object of other keys costs a description of its own: in large texts different keys are counted as well. */
const manyKeysFrom = 1_000_000
const maxDifferentKeys = 5_000

/**
 * `JSON.parse` for text from outside: never throws, and refuses texts whose structure is out of all proportion (a
 * million empty arrays), which would cost many times their size in memory. What nests too deep reads as null, so that
 * one such record is no trouble of the others. An object that names a key twice is refused as well: other readers may
 * take the other one.
 */
export function parseJson(text: string): { readonly value: unknown } | null {
  const structure = readStructure(text)
  if (structure === null) return null
  try {
    const value: unknown = JSON.parse(withoutDeep(text, structure.deep))
    return countReadKeys(value) === structure.keys ? { value } : null
  } catch {
    return null
  }
}

/** Whether the structure of a text is in proportion, so that it may be parsed. */
export function isProportionate(text: string): boolean {
  return readStructure(text)?.deep.length === 0
}

/** What a text holds, without parsing it. */
interface Structure {
  /** How many keys it names. */
  readonly keys: number
  /** Where what nests too deep begins, and where it is over. */
  readonly deep: readonly (readonly [from: number, until: number])[]
}

/**
 * The structure of a JSON text; null where it holds too many values. It goes from one sign of structure to the next:
 * strings, which are most of an answer, are passed over.
 */
function readStructure(text: string): Structure | null {
  const deep: (readonly [number, number])[] = []
  let depth = 0
  let values = 0
  let keys = 0
  /** By depth, the keys of the object that is open there. */
  const own = new Uint16Array(maxDepth + 2)
  const different = text.length > manyKeysFrom ? new Set<string>() : null
  let quote = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        quote = index
        index = endOfString(text, index)
        break
      case 0x3a: // :
        keys += 1
        if ((own[depth] = (own[depth] ?? 0) + 1) > maxKeysOfOne) return null
        if (different && different.add(text.slice(quote, index)).size > maxDifferentKeys) return null
        break
      case 0x5b: // [
      case 0x7b: // {
        values += 1
        if (values > maxValues) return null
        if (depth === maxDepth) {
          const until = endOfValue(text, index)
          deep.push([index, until])
          index = until - 1
          break
        }
        depth += 1
        own[depth] = 0
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
        if (depth < 0) return null
        break
      case 0x2c: // ,
        values += 1
        if (values > maxValues) return null
        break
      default:
    }
  }
  return { keys, deep }
}

function withoutDeep(text: string, deep: Structure['deep']): string {
  if (deep.length === 0) return text
  const kept = deep.map(([from], nth) => text.slice(deep[nth - 1]?.[1] ?? 0, from))
  return [...kept, text.slice(deep.at(-1)?.[1])].join('null')
}

/** Behind the array or object that begins here; the end of the text where it is never closed. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index)
        break
      case 0x5b: // [
      case 0x7b: // {
        depth += 1
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
        if (depth === 0) return index + 1
        break
      default:
    }
  }
  return text.length
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

function countReadKeys(value: unknown): number {
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
