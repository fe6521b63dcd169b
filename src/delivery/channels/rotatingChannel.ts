import { Secret } from '../../lib/secret.ts'
import type { ChannelConfig } from './createChannel.ts'
import type { Channel } from './message.ts'

export interface RotatingDeps {
  /** The channel's settings as they are on disk now; null when they cannot be read, or never change. */
  readonly reread: (name: string) => ChannelConfig | null
  readonly create: (config: ChannelConfig) => Channel
}

/**
 * A channel whose address and credentials are looked at before each delivery: a webhook that is replaced is usually
 * revoked at the same time, and its new address must not wait for a restart.
 */
export function createRotatingChannel(deps: RotatingDeps, config: ChannelConfig): Channel {
  let current = { config, channel: deps.create(config) }
  const renew = (): Channel => {
    const found = deps.reread(config.name)
    if (found === null || found.type !== config.type || isSame(found, current.config)) return current.channel
    const replaced = current.channel
    current = { config: found, channel: deps.create(found) }
    // What is still under way on the old connections ends by itself.
    replaced.close().catch(() => undefined)
    return current.channel
  }
  const sendsReports = current.channel.deliverReport !== undefined
  return {
    name: config.name,
    type: config.type,
    deliver: (message, options) => renew().deliver(message, options),
    ...(sendsReports && {
      deliverReport: async (report, options) =>
        (await renew().deliverReport?.(report, options)) ?? { result: 'transient', reason: 'no reports' },
    }),
    close: () => current.channel.close(),
  }
}

function isSame(a: ChannelConfig, b: ChannelConfig): boolean {
  return reveal(a) === reveal(b)
}

/** For comparing alone: it is told to nobody. */
function reveal(config: ChannelConfig): string {
  return JSON.stringify(
    Object.entries(config).map(([key, value]) => [key, value instanceof Secret ? value.reveal() : value]),
  )
}
