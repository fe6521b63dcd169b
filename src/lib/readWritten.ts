import { MonitorError } from './errors.ts'
import { cleanText } from './text.ts'

/**
 * A text that somebody wrote to be kept, such as a reason, on one line. One that is too long is refused: what was cut off would
 * be missed by whoever reads it later.
 * @throws MonitorError `usage`
 */
export function readWritten(given: string, most: number): string {
  const problem = findTooLong(given, most)
  if (problem !== null) throw new MonitorError('usage', problem)
  return cleanText(given, most).trim()
}

/** What is wrong with the length of such a text; null where nothing is. */
export function findTooLong(given: string, most: number): string | null {
  const { length } = Array.from(given.trim())
  return length > most ? `expected a text of at most ${most} characters, got ${length}` : null
}
