import { isProportionate } from '../lib/parseJson.ts'

/** What a text holds as JSON; undefined when it is none. */
export function parseJson(text: string): unknown {
  if (!isProportionate(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a string holds when it holds JSON of a list, an object or another string; else itself. */
export function unwrap(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value
  return parseJson(value) ?? value
}
