import { parseDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { type Cursors } from '../store/cursors.ts'
import { openState } from '../store/openState.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { readCursorFile } from './readCursorFile.ts'

export interface CursorsCommand {
  readonly config: string
  readonly json?: boolean
}

/** `spanwatch cursors show`: how far each reading has come. */
export function showCursors(io: Io, options: CursorsCommand): number {
  const cursors = readCursorFile(readConfig(io, options.config).config.stateDir)
  io.out(options.json ? `${JSON.stringify(cursors, null, 2)}\n` : format(cursors))
  return exitCodes.fine
}

export interface RewindCommand {
  readonly config: string
  readonly to: string
}

/** `spanwatch cursors rewind`: walks the list again, from the newest record back to a time. Needs the state folder. */
export function rewindCursors(io: Io, options: RewindCommand): number {
  const { config } = readConfig(io, options.config)
  const now = io.clock.now()
  const until = readTime(options.to, now)
  const state = openState({ folder: config.stateDir, since: until, now })
  try {
    state.cursors.write({ ...state.cursors.read(), history: { until, page: 1, read: 0, done: false } })
    io.out(`The list will be read again back to ${new Date(until).toISOString()} when the daemon starts.\n`)
    return exitCodes.fine
  } finally {
    state.close()
  }
}

function readTime(text: string, now: number): number {
  const ms = parseDuration(text)
  if (ms !== null) return Math.max(0, now - ms)
  const at = text === 'genesis' ? 0 : Date.parse(text)
  if (!Number.isNaN(at)) return at
  throw new MonitorError(
    'usage',
    `--to: expected a duration such as 24h, genesis, or a time such as 2026-03-08T00:00:00Z, got "${text}"`,
  )
}

function format({ tail, history, sweep }: Cursors): string {
  const time = (at: number | null) => (at === null ? 'never' : new Date(at).toISOString())
  const walk = history.done
    ? `done (${history.read} records)`
    : `reading back to ${time(history.until)}, at page ${history.page} (${history.read} records so far)`
  return `tail     last complete reading with news ${time(tail.completeAt)}\nhistory  ${walk}\nsweep    at page ${sweep.page}, last pass ended ${time(sweep.finishedAt)}\n`
}
