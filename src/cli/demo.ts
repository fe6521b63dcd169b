import { isLoopback } from '../config/addresses.ts'
import { http } from '../config/sections.ts'
import { runDemo } from '../daemon/runDemo.ts'
import { parseDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { createLog } from '../lib/log.ts'
import { createLogWriter } from './createLogWriter.ts'
import { exitCodes, type Io } from './io.ts'
import { version } from '../lib/version.ts'

export interface DemoCommand {
  readonly scenario: string
  readonly speed: string
  readonly seed?: string
  readonly for?: string
  readonly listen: string
  readonly logLevel: string
}

/** `spanwatch demo`: the sandbox, the inboxes and the daemon in one process. */
export async function demo(io: Io, options: DemoCommand): Promise<number> {
  const speed = readNumber('--speed', options.speed, 0.1, 10_000)
  const seed =
    options.seed === undefined ? null : readNumber('--seed', options.seed, 0, Number.MAX_SAFE_INTEGER)
  const log = createLog({ level: options.logLevel, write: await createLogWriter(io) })
  const deps = { log, write: io.out, random: io.random }
  const { scenario, listen } = options
  const at = http.shape.listen.safeParse(listen)
  // Nobody signs in to it.
  if (!at.success || !isLoopback(at.data.host))
    throw new MonitorError(
      'usage',
      `--listen: expected a port of this machine alone, such as 127.0.0.1:9464, got "${listen}"`,
    )
  const stop = endAfter(io.stop, options.for)
  await runDemo(deps, { scenario, speed, seed, listen, stop, onReload: io.onReload, version })
  return exitCodes.fine
}

function readNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= min && value <= max) return value
  throw new MonitorError('usage', `${option}: expected a number from ${min} to ${max}, got "${text}"`)
}

function endAfter(stop: AbortSignal, text: string | undefined): AbortSignal {
  if (text === undefined) return stop
  const ms = parseDuration(text)
  if (ms === null) throw new MonitorError('usage', `--for: expected a duration such as 60s, got "${text}"`)
  return AbortSignal.any([stop, AbortSignal.timeout(ms)])
}
