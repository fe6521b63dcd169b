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

/**
 * Replaces the literal values of secrets, plain and URL-encoded, in a finished line of output. The last resort
 * behind `Secret`: a URL with a key in its path can travel inside an error's text.
 */
export function createScrubber(secrets: readonly Secret[]): (line: string) => string {
  const values = secrets
    .map((secret) => secret.reveal())
    .filter((value) => value.length >= shortestCovered)
    .flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])
  const needles = [...new Set(values)].sort((a, b) => b.length - a.length)
  return (line) => needles.reduce((text, needle) => text.split(needle).join(redacted), line)
}
