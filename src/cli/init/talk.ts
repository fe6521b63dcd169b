import { MonitorError } from '../../lib/errors.ts'
import type { Io } from '../io.ts'
import { usage } from '../readOptions.ts'

/** A conversation with whoever sets spanwatch up. */
export interface Talk {
  readonly io: Io
  /** Null where nobody is asked: in a pipe, and with `--yes`. */
  readonly ask: Io['ask']
}

/** A line that says how something went, as `check --online` says it. */
export function tell({ io }: Talk, verdict: 'ok' | 'unsure' | 'failed' | '', says: string): void {
  io.out(`  ${verdict.padEnd(7)} ${says}\n`)
}

/**
 * What somebody types; `usual` when that is nothing.
 * @throws MonitorError `usage` when he ended it
 */
export async function askFor({ ask, io }: Talk, question: string, usual = ''): Promise<string> {
  const typed = await ask?.(`${question}${usual === '' ? '' : ` [${usual}]`}: `)
  if (typed === null || typed === undefined || io.stop.aborted)
    throw usage('init: ended; nothing was written')
  return typed.trim() === '' ? usual : typed.trim()
}

/** Asks until what is typed can be read; a wrong one is explained. Null when nothing is typed. */
export async function askUntil<T>(
  talk: Talk,
  question: string,
  read: (text: string) => T | Promise<T>,
): Promise<T | null> {
  for (;;) {
    const typed = await askFor(talk, question)
    if (typed === '') return null
    try {
      return await read(typed)
    } catch (error) {
      if (!(error instanceof MonitorError)) throw error
      tell(talk, 'failed', error.message)
    }
  }
}
