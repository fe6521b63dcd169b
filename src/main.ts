import { createInterface } from 'node:readline'
import { isatty } from 'node:tty'
import { createAsk } from './cli/createAsk.ts'
import { createOutput } from './cli/io.ts'
import { runCommandLine } from './cli/program.ts'
import { findScreen } from './cli/screen.ts'
import { createSystemClock } from './lib/clock.ts'
import { errorText } from './lib/errors.ts'
import { nameSources } from './lib/nameSources.ts'

// The only file that touches the process: its signals, its streams, its end.

/** Beyond this a stop is not coming: systemd's own patience ends at 30 s. */
const stopWithinMs = 25_000

const stopping = new AbortController()
const reloadListeners = new Set<() => void>()
const output = createOutput({
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})

function stop(): void {
  // The second time somebody is impatient: what is committed is safe, the rest is sent after the next start.
  if (stopping.signal.aborted) process.exit(1)
  stopping.abort()
  setTimeout(() => process.exit(1), stopWithinMs).unref()
}

function reload(): void {
  // Without anybody to reload, SIGHUP means that the terminal is gone.
  if (reloadListeners.size === 0) stop()
  for (const listener of reloadListeners) listener()
}

function crash(error: unknown): void {
  output.err(`spanwatch: this is a bug in spanwatch, please report it.\n${traceOf(error)}\n`)
  process.exit(1)
}

function traceOf(error: unknown): string {
  return error instanceof Error ? nameSources(error.stack ?? error.message) : errorText(error)
}

/**
 * A reader that went away, as in `spanwatch … | head`, is no failure. A daemon goes on without it: it has other channels,
 * and whoever restarts its log must not end it.
 */
function onBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') crash(error)
  else if (reloadListeners.size === 0) process.exit(0)
}

// The ledger, its journals and what is written beside them are nobody else's to read.
process.umask(0o077)

// Neither a debugger that anybody of our user can attach by a signal, nor a dump of environment and memory in a report.
process.on('SIGUSR1', () => undefined)
process.report.excludeEnv = true
process.report.reportOnSignal = false
process.report.reportOnFatalError = false
process.report.reportOnUncaughtException = false

process.on('SIGTERM', stop)
process.on('SIGINT', stop)
process.on('SIGHUP', reload)
process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)
process.stdout.on('error', onBrokenPipe)
process.stderr.on('error', onBrokenPipe)

const io = {
  ...output,
  env: process.env,
  clock: createSystemClock(),
  random: Math.random,
  ask:
    isatty(0) && isatty(2)
      ? createAsk(() => createInterface({ input: process.stdin, output: process.stderr }), stop)
      : null,
  screen: findScreen(process.stdout),
  errScreen: findScreen(process.stderr),
  stop: stopping.signal,
  onReload(listener: () => void) {
    reloadListeners.add(listener)
    return () => reloadListeners.delete(listener)
  },
}

runCommandLine(io, process.argv.slice(2)).then((exitCode) => {
  // Whatever is still written to a pipe is written first.
  process.stdout.write('', () => process.exit(exitCode))
}, crash)
