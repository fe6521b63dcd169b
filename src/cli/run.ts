import { runMonitor } from '../daemon/runMonitor.ts'
import { createChannelReader } from './createChannelReader.ts'
import { createLog } from '../lib/log.ts'
import { exitCodes, type Io } from './io.ts'
import { loadProject } from './loadProject.ts'
import { version } from './version.ts'

export interface RunCommand {
  readonly config: string
  readonly resetState?: boolean
  readonly logLevel: string
}

/** `spanwatch run`: the daemon, until it is told to stop. */
export async function run(io: Io, options: RunCommand): Promise<number> {
  const project = await loadProject(io, options.config)
  const { config, rules, warnings } = project
  const log = createLog({ level: options.logLevel, write: io.err, scrub: (line) => project.scrub(line) })
  if (warnings !== '')
    log.warn({ warnings: warnings.split('\n') }, 'the configuration works, but should be better')
  await runMonitor(
    {
      clock: io.clock,
      log,
      write: io.out,
      random: io.random,
      rereadChannel: createChannelReader({ io, clock: io.clock }, options.config),
    },
    {
      config,
      rules,
      version,
      resetState: options.resetState ?? false,
      env: io.env,
      stop: io.stop,
      onReload: io.onReload,
      onReady: (_, page) =>
        log.info({ version, explorer: config.explorer.baseUrl, rules: rules.length, page }, 'watching'),
    },
  )
  log.info('stopped')
  return exitCodes.fine
}
