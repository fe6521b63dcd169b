import type { Clock } from '../lib/clock.ts'
import { createScrubber, type Secret } from '../lib/secret.ts'
import { escapeInvisible } from '../lib/text.ts'
import type { Screen } from './screen.ts'

export const exitCodes = { fine: 0, wrong: 1, usage: 2, unreachable: 3, locked: 75 } as const

/** All that a command has of the world around it; main.ts gives the process's, tests their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly random: () => number
  /** Results, for people or for the next program in a pipe. */
  readonly out: (text: string) => void
  /** Problems and logs. */
  readonly err: (text: string) => void
  /** One line of a terminal that the next one is written over; '' takes it away. */
  readonly status: (line: string) => void
  /** Asks whoever sits there; null where nobody does. Resolves to null at the end of what is typed (Ctrl-D). */
  readonly ask: ((question: string) => Promise<string | null>) | null
  /** What shows `out`, and `err`; null for a pipe or a file. */
  readonly screen: Screen | null
  readonly errScreen: Screen | null
  /** Told to end (SIGTERM, SIGINT). */
  readonly stop: AbortSignal
  /** Calls back at each request to reload (SIGHUP). Returns what ends it. */
  readonly onReload: (listener: () => void) => () => void
  /** From now on these never leave through `out` or `err`. */
  readonly protect: (secrets: readonly Secret[]) => void
}

/** Two sinks that hide whatever was protected, and write out what could not be seen. */
export function createOutput(sinks: {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}): Pick<Io, 'out' | 'err' | 'status' | 'protect'> {
  const known: Secret[] = []
  let scrub = createScrubber(known)
  let status = ''
  const clean = (text: string) => escapeInvisible(scrub(text))
  const draw = (line: string) => {
    // Spaces over what was longer: a terminal need not know any sequence for it.
    sinks.err(`\r${line.padEnd(status.length)}${line === '' ? '\r' : ''}`)
    status = line
  }
  /** The line that is written over goes before anything else is written, and comes back behind it. */
  const around = (sink: (text: string) => void) => (text: string) => {
    const line = status
    if (line !== '') draw('')
    sink(clean(text))
    if (line !== '' && text.endsWith('\n')) draw(line)
  }
  return {
    out: around(sinks.out),
    err: around(sinks.err),
    status: (line) => {
      if (line !== status) draw(clean(line))
    },
    protect(secrets) {
      known.push(...secrets)
      scrub = createScrubber(known)
    },
  }
}
