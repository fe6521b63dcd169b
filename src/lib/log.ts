import { type Logger, pino } from 'pino'
import { nameSources } from './nameSources.ts'

export type { Logger }

export interface LogOptions {
  readonly level?: string
  /** Takes one finished JSON line, newline included. */
  readonly write: (line: string) => void
  /** The last-resort scrubber; see lib/secret.ts. */
  readonly scrub?: (line: string) => string
}

/** JSON lines with ISO times. Callers log facts as fields and one plain sentence as the message. */
export function createLog(options: LogOptions): Logger {
  const scrub = options.scrub ?? ((line: string) => line)
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {
        err: pino.stdSerializers.wrapErrorSerializer(withSources),
      },
    },
    { write: (line: string) => options.write(scrub(line)) },
  )
}

/** Anything may be thrown, and what fails without an error has null here: no line of the log may be what fails. */
function withSources<E>(thrown: E): E {
  const hasStack = typeof thrown === 'object' && thrown !== null && 'stack' in thrown
  return hasStack && typeof thrown.stack === 'string'
    ? { ...thrown, stack: nameSources(thrown.stack) }
    : thrown
}

export function createSilentLog(): Logger {
  return pino({ level: 'silent' })
}
