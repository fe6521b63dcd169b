import { join } from 'node:path'
import { createApp } from '../monitor/createMonitor.ts'
import { resolveStart } from '../daemon/resolveStart.ts'
import type { Config } from '../config/config.ts'
import { formatDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { createLog } from '../lib/log.ts'
import { readCopyState } from '../replicas/ledgerFolder.ts'
import { followsAnother } from '../store/changeLog.ts'
import { beginHistory, type HistoryWalk } from '../store/cursors.ts'
import { ledgerPath } from '../store/state.ts'
import { takeStateLock } from '../store/stateFolder.ts'
import { createBar } from './createBar.ts'
import { createLogWriter } from './createLogWriter.ts'
import { exitCodes, type Io } from './io.ts'
import { loadProject } from './loadProject.ts'
import { openOperations } from './openOperations.ts'
import { readActor } from './readAuthor.ts'
import { readCursorFile } from './readCursorFile.ts'
import { readTime } from './readTime.ts'
import { version } from '../lib/version.ts'

export interface BackfillCommand {
  readonly config: string
  readonly from: string
}

const lookEveryMs = 2_000

/**
 * `spanwatch backfill`: reads the list back to a time, with progress. Beside a running daemon that one reads, and this
 * watches it; otherwise this does, with the daemon's rules, so that nothing it finds is lost: what is news waits in the
 * outbox for the daemon. Stopped, it goes on where it was when it is called again.
 */
export async function backfill(io: Io, options: BackfillCommand): Promise<number> {
  const project = await loadProject(io, options.config)
  const now = io.clock.now()
  const until = options.from === 'genesis' ? 0 : readTime('--from', options.from, { now, sign: -1 })
  const log = createLog({
    level: 'warn',
    write: await createLogWriter(io),
    scrub: (line) => project.scrub(line),
  })
  const deps = { clock: io.clock, log, write: io.out, random: io.random }
  const progress = createProgress(io, until)
  if (project.config.replicas !== null) {
    assertWatches(project.config)
    return await follow(io, project.config, until, progress)
  }
  const config = await resolveStart(deps, { config: project.config })
  try {
    const app = createApp(deps, { config, rules: project.rules, version })
    const walk = [...app.parts.opened.values()]
      .flatMap(({ pollers }) => pollers)
      .find(({ name }) => name === 'sweep')
    try {
      const { cursors } = app.parts
      cursors.write({ ...cursors.read(), history: resumeFrom(cursors.read().history, until) })
      while (!cursors.read().history.done && !io.stop.aborted) {
        await walkOn(() => walk?.run(io.stop), io)
        progress(cursors.read().history)
      }
      // The pages since the last that was noted on the disk.
      cursors.write(cursors.read())
      return finish(io, cursors.read().history)
    } finally {
      await app.stop()
    }
  } catch (error) {
    if (!(error instanceof MonitorError) || error.code !== 'state.locked') throw error
    return await follow(io, project.config, until, progress)
  }
}

/** Of several nodes the one that watches reads: a ledger that knows what no other has is given up for what they have. */
function assertWatches({ stateDir }: Config): void {
  if (!isHeld(join(stateDir, 'lock.sqlite')))
    throw new MonitorError(
      'usage',
      'With replicas the node that watches reads: start it (spanwatch run), and call this beside it.',
    )
  if (readCopyState(ledgerPath(stateDir))?.role === 'follower') throw followsAnother()
}

function isHeld(lockPath: string): boolean {
  try {
    takeStateLock(lockPath).release()
    return false
  } catch (error) {
    if (error instanceof MonitorError && error.code === 'state.locked') return true
    throw error
  }
}

/** An unfinished walk that goes back as far is gone on with. */
function resumeFrom(history: HistoryWalk, until: number): HistoryWalk {
  if (!history.done && history.until <= until) return history
  return beginHistory(until, history.oldestAt)
}

/** Walks until the stop: the request that it aborts ends with an error, which is no failure. */
async function walkOn(run: () => Promise<void> | undefined, io: Pick<Io, 'stop'>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!io.stop.aborted) throw error
  }
}

async function follow(
  io: Io,
  config: Config,
  until: number,
  progress: (history: HistoryWalk) => void,
): Promise<number> {
  const before = readCursorFile(config.stateDir).history
  if (before.done || before.until > until) {
    const operations = openOperations(io, config)
    try {
      await operations.rewindCursors(until, readActor(io, undefined))
    } finally {
      operations.close()
    }
  }
  io.err('The daemon reads; this only watches, and may be ended.\n')
  for (;;) {
    const { history } = readCursorFile(config.stateDir)
    if (history.done || io.stop.aborted) return finish(io, history)
    progress(history)
    await io.clock.sleep(lookEveryMs, io.stop)
  }
}

/** How much, how far back, and about how long it will still take: a bar, or in a pipe a line each time it has come further. */
function createProgress(io: Io, until: number): (history: HistoryWalk) => void {
  const startedAt = io.clock.now()
  const bar = createBar(io, 'records')
  let first: { readonly reachedAt: number; readonly at: number } | null = null
  let lastRead = -1
  return ({ read, reachedAt }) => {
    if (reachedAt === null || read === lastRead) return
    lastRead = read
    const now = io.clock.now()
    first ??= { reachedAt, at: startedAt }
    const passed = first.reachedAt - reachedAt
    const place = `back to ${new Date(reachedAt).toISOString()}`
    if (bar !== null) {
      const whole = now - until
      bar.show({ share: until > 0 && whole > 0 ? (now - reachedAt) / whole : null, count: read, place })
      return
    }
    const left = passed > 0 && until > 0 ? ((reachedAt - until) * (now - first.at)) / passed : null
    const estimate =
      left === null || left < 0 ? '' : `, about ${formatDuration(Math.ceil(left / 1_000) * 1_000)} to go`
    io.err(`${read} records, ${place}${estimate}\n`)
  }
}

function finish(io: Io, { done, read }: HistoryWalk): number {
  io.status('')
  io.out(
    done
      ? `Done: ${read} records read.\n`
      : `Stopped after ${read} records; the same command, or the daemon, goes on from there.\n`,
  )
  return exitCodes.fine
}
