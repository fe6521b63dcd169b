import type { Cursors } from '../store/cursors.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openOperations } from './openOperations.ts'
import { readCursorFile } from './readCursorFile.ts'
import { readActor } from './readAuthor.ts'
import { readTime } from './readTime.ts'

export interface CursorsCommand {
  readonly config: string
  readonly json?: boolean
}

/** `spanwatch cursors show`: how far each reading has come. */
export function showCursors(io: Io, options: CursorsCommand): number {
  const cursors = readCursorFile(readConfig(io, options.config, { needs: [] }).config.stateDir)
  io.out(options.json ? `${JSON.stringify(cursors, null, 2)}\n` : format(cursors))
  return exitCodes.fine
}

export interface RewindCommand {
  readonly config: string
  readonly to: string
  readonly by?: string
  readonly json?: boolean
}

/** `spanwatch cursors rewind`: walks the list again, from the newest record back to a time. */
export async function rewindCursors(io: Io, options: RewindCommand): Promise<number> {
  const { config } = readConfig(io, options.config, { needs: ['http'] })
  const now = io.clock.now()
  const to = options.to === 'genesis' ? 0 : readTime('--to', options.to, { now, sign: -1 })
  const operations = openOperations(io, config)
  try {
    const { until } = await operations.rewindCursors(to, readActor(io, options.by))
    io.out(
      options.json
        ? `${JSON.stringify({ until })}\n`
        : `The list is read again back to ${new Date(until).toISOString()}.\n`,
    )
    return exitCodes.fine
  } finally {
    operations.close()
  }
}

function format({ tail, history, gap, sweep }: Cursors): string {
  const time = (at: number | null) => (at === null ? 'never' : new Date(at).toISOString())
  const walk = history.done
    ? `done (${history.read} records)`
    : `reading back to ${time(history.until)}, at page ${history.page} (${history.read} records so far)`
  const left =
    gap === null
      ? ''
      : `gap      reading back to ${time(gap.until)} what the tail left out, at page ${gap.page}\n`
  return `tail     last complete reading with news ${time(tail.completeAt)}\nhistory  ${walk}\n${left}sweep    at page ${sweep.page}, last pass ended ${time(sweep.finishedAt)}\n`
}
