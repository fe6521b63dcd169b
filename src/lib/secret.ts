import { inspect } from 'node:util'

const redacted = '[redacted]'

/** A value that prints as `[redacted]` everywhere; `reveal` is called only where it is sent. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return redacted
  }

  toJSON(): string {
    return redacted
  }

  [inspect.custom](): string {
    return redacted
  }
}

/** The shortest secret that is covered, characters: a three-letter one would mask half of every line. */
export const shortestCovered = 8

/** The shortest token of the page that keeps out whoever may guess as often as his line allows, characters. */
export const shortestToken = 16

/** Of a secret that was cut off, fewer characters than this are left as they are. */
const shortestBeginning = 4
/** What `cleanText` puts in the place of what it cut. */
const cutMark = '…'

/**
 * Replaces the values of secrets in a finished line of output: plain, URL-encoded, as JSON text, in hex and in base64,
 * also within a longer base64 text, and what is left of one where a text was cut in its midst. The last resort behind
 * `Secret`: a URL with a key in its path can travel inside an error's text.
 */
export function createScrubber(secrets: readonly Secret[]): (line: string) => string {
  const values = secrets.map((secret) => secret.reveal()).filter((value) => value.length >= shortestCovered)
  const needles = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  return (line) => coverCut(needles.reduce(cover, line), needles)
}

function cover(text: string, needle: string): string {
  return text.includes(needle) ? text.replaceAll(needle, () => redacted) : text
}

/** Of a URL, what says nothing of the secret in it. */
const scheme = /^[a-z][a-z0-9+.-]*(?::\/\/|%3A%2F%2F)/i

/** The beginning of a secret, right before the mark of a cut. */
function coverCut(text: string, needles: readonly string[]): string {
  let covered = text
  for (let mark = text.lastIndexOf(cutMark); mark > 0; mark = text.lastIndexOf(cutMark, mark - 1)) {
    const before = covered.slice(0, mark)
    const length = Math.max(...needles.map((needle) => lengthOfBeginning(before, needle)))
    if (length >= shortestBeginning) covered = before.slice(0, mark - length) + redacted + covered.slice(mark)
  }
  return covered
}

/** How much of the needle's beginning a text ends with. */
function lengthOfBeginning(text: string, needle: string): number {
  const shortest = shortestBeginning + (scheme.exec(needle)?.[0].length ?? 0)
  for (let length = Math.min(needle.length - 1, text.length); length >= shortest; length -= 1) {
    if (text.endsWith(needle.slice(0, length))) return length
  }
  return 0
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8')
  const base64 = [0, 1, 2].flatMap((offset) => base64Within(bytes, offset))
  const forms = [bytes.toString('base64'), ...base64].flatMap((form) => [form, toUrlSafe(form)])
  const hex = bytes.toString('hex')
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    ...forms.flatMap((form) => [form, encodeURIComponent(form)]),
    hex,
    hex.toUpperCase(),
  ].filter((form) => form.length >= shortestCovered)
}

/** The part of a base64 text that these bytes alone decide, when `offset` others (of three) come before them. */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}

function toUrlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
