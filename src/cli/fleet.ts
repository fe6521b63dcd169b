import { loadFleet } from '../config/loadFleet.ts'
import { runFleet } from '../fleet/runFleet.ts'
import { MonitorError } from '../lib/errors.ts'
import { createLog } from '../lib/log.ts'
import { renderProblems } from '../lib/renderProblems.ts'
import { createScrubber } from '../lib/secret.ts'
import { version } from '../lib/version.ts'
import { createLogWriter } from './createLogWriter.ts'
import { readDatabaseOption } from './databaseOption.ts'
import { exitCodes, type Io } from './io.ts'

export interface FleetCommand {
  readonly database?: string
  readonly listen?: string
  readonly config?: string
  readonly logLevel: string
}

/** `spanwatch fleet`: one page over all bridges until something stops it. */
export async function fleet(io: Io, options: FleetCommand): Promise<number> {
  const { listen, config: path = null } = options
  const database = options.database && readDatabaseOption(io, options.database)
  const loaded = loadFleet({ path, database, listen, env: io.env })
  if (!loaded.ok)
    throw 'usage' in loaded
      ? new MonitorError('usage', `spanwatch fleet: ${loaded.usage}`)
      : new MonitorError('config.invalid', renderProblems(loaded.problems).trimEnd())
  io.protect(loaded.secrets)
  const log = createLog({
    level: options.logLevel,
    write: await createLogWriter(io),
    scrub: createScrubber(loaded.secrets),
  })
  await runFleet({ clock: io.clock, log, write: io.out }, loaded.config, {
    version,
    stop: io.stop,
    onReady: (page) => log.info({ version, page }, 'the page over all bridges is open'),
  })
  return exitCodes.fine
}
