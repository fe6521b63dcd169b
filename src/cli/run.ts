import { runMonitor } from '../daemon/runMonitor.ts'
import { createLog } from '../lib/log.ts'
import { createLogWriter } from './createLogWriter.ts'
import { exitCodes, type Io } from './io.ts'
import { loadProject } from './loadProject.ts'
import { version } from '../lib/version.ts'
import { loadConfig } from '../config/loadConfig.ts'
import type { Clock } from '../lib/clock.ts'
import type { ChannelConfig } from '../delivery/channels/createChannel.ts'

export interface RunCommand {
  readonly config: string
  readonly resetState?: boolean
  readonly adoptState?: boolean
  readonly logLevel: string
}

/** `spanwatch run`: the daemon, until a signal stops it. */
export async function run(io: Io, options: RunCommand): Promise<number> {
  const project = await loadProject(io, options.config)
  const { config, rules, warnings } = project
  const log = createLog({
    level: options.logLevel,
    write: await createLogWriter(io),
    scrub: (line) => project.scrub(line),
  })
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
      adoptState: options.adoptState ?? false,
      env: io.env,
      stop: io.stop,
      onReload: io.onReload,
      onReady: ({ parts }, page) =>
        log.info(
          { version, explorer: config.explorer.baseUrl, rules: rules.length, page },
          parts.replica?.().role === 'follower' ? 'following' : 'watching',
        ),
    },
  )
  log.info('stopped')
  return exitCodes.fine
}

interface ChannelReaderDeps {
  readonly io: Pick<Io, 'env' | 'protect'>
  readonly clock: Pick<Clock, 'monotonicMs'>
}

/** Often enough for a secret that is replaced, and seldom enough to cost nothing in a storm. */
const everyMs = 1_000

/**
 * Reads the channels of a configuration again, for secrets in files that are replaced while the daemon runs. A file that
 * cannot be used, as in the middle of an edit, changes nothing.
 */
function createChannelReader(deps: ChannelReaderDeps, path: string): (name: string) => ChannelConfig | null {
  let readAt = -Infinity
  let channels: readonly ChannelConfig[] = []
  return (name) => {
    const now = deps.clock.monotonicMs()
    if (now - readAt >= everyMs) {
      readAt = now
      const loaded = loadConfig({ path, env: deps.io.env })
      if (loaded.ok) {
        deps.io.protect(loaded.secrets)
        channels = loaded.config.channels
      }
    }
    return channels.find((channel) => channel.name === name) ?? null
  }
}
