import { loadConfig } from '../config/loadConfig.ts'
import type { Clock } from '../lib/clock.ts'
import type { ChannelConfig } from '../delivery/channels/createChannel.ts'
import type { Io } from './io.ts'

export interface ChannelReaderDeps {
  readonly io: Pick<Io, 'env' | 'protect'>
  readonly clock: Pick<Clock, 'monotonicMs'>
}

/** Often enough for a secret that is replaced, and seldom enough to cost nothing in a storm. */
const everyMs = 1_000

/**
 * Reads the channels of a configuration again, for secrets in files that are replaced while the daemon runs. A file that
 * cannot be used, as in the middle of an edit, changes nothing.
 */
export function createChannelReader(
  deps: ChannelReaderDeps,
  path: string,
): (name: string) => ChannelConfig | null {
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
