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
        err: pino.stdSerializers.wrapErrorSerializer((err) => ({ ...err, stack: nameSources(err.stack) })),
      },
    },
    { write: (line: string) => options.write(scrub(line)) },
  )
}

export function createSilentLog(): Logger {
  return pino({ level: 'silent' })
}
