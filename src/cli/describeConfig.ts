import type { ChannelSettings, Config } from '../config/config.ts'
import { formatDuration } from '../lib/duration.ts'
import type { LoadedRule } from '../rules/types.ts'

/** What a configuration means, for somebody who wants to see that it is what was meant. No secret in it. */
export function describeConfig(config: Config, rules: readonly LoadedRule[]): string {
  const { explorer, http } = config
  const signed = explorer.auth === null ? 'without access headers' : `signed (${explorer.auth.signer})`
  const rows: readonly (readonly [string, string])[] = [
    [
      'explorer',
      `${explorer.baseUrl}, chains ${explorer.chains.main} and ${explorer.chains.zone}, ${signed}`,
    ],
    [
      'pace',
      `at most ${explorer.pace.maxRequestsPerSecond} requests a second, ${explorer.pace.concurrency} at a time`,
    ],
    [
      'polls',
      `transfers ${config.poll.transfers}, open transfers ${config.poll.openTransfers}, heads ${config.poll.heads}`,
    ],
    ['start', describeStart(config.start.from)],
    ['state', config.stateDir],
    ...(config.replicas === null ? [] : [['replicas', describeReplicas(config.replicas)] as const]),
    [
      'rules',
      `${rules.length} from ${config.rulesDir}, for ${new Set(rules.map(({ kind }) => kind)).size} kinds`,
    ],
    ...config.channels.map((channel) => ['channel', describeChannel(channel)] as const),
    ...describeRoutes(config),
    [
      'page',
      http === null
        ? 'none'
        : `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}/`,
    ],
  ]
  return rows.map(([name, text]) => `${name.padEnd(10)} ${text}\n`).join('')
}

function describeReplicas({ bridge, node, database }: NonNullable<Config['replicas']>): string {
  return `node ${node} of ${bridge}, by way of PostgreSQL at ${hostOf(database.reveal())}`
}

function describeStart(from: Config['start']['from']): string {
  switch (from.kind) {
    case 'now':
      return 'what happens from now on, and the time that the sweep reads back'
    case 'genesis':
      return 'the whole history'
    case 'ago':
      return `the last ${formatDuration(from.ms)}`
    case 'height':
      return `${from.chain} block ${from.height}`
  }
}

function describeChannel(channel: ChannelSettings): string {
  switch (channel.type) {
    case 'console':
      return `${channel.name}: console`
    case 'email':
      return `${channel.name}: email over ${hostOf(channel.smtp.reveal())} to ${channel.to.join(', ')}`
    case 'slack-app': {
      const buttons = channel.appToken === undefined ? 'without buttons' : 'with buttons'
      return `${channel.name}: slack-app in ${channel.channel} at ${hostOf(channel.url.reveal())}, ${buttons}`
    }
    case 'slack':
    case 'webhook':
    case 'pagerduty':
    case 'alertmanager':
    case 'teams':
    case 'discord':
    case 'telegram':
      return `${channel.name}: ${channel.type} at ${hostOf(channel.url.reveal())}`
  }
}

/** Of an address that is a secret only the host may be said. */
export function hostOf(address: string): string {
  return new URL(address).host
}

function describeRoutes(config: Config): (readonly [string, string])[] {
  if (config.routes.length === 0)
    return [['route', `everything to ${config.channels.map(({ name }) => name).join(', ')}`]]
  return config.routes.map((route) => {
    const what = route.match ?? 'everything'
    const further = route.escalate.map(
      ({ afterMs, channels }) => `; untaken after ${formatDuration(afterMs)} to ${channels.join(', ')}`,
    )
    const times = `every ${formatDuration(route.groupIntervalMs)}, again after ${formatDuration(route.repeatMs)}`
    return [
      'route',
      `${what} to ${route.channels.join(', ')}, by ${route.groupBy.join(' and ') || 'nothing'}, ${times}${describeQuiet(route)}${further.join('')}`,
    ]
  })
}

function describeQuiet({ mute, activeTimes, muteCritical }: Config['routes'][number]): string {
  const times = [
    ...(mute.length > 0 ? [`muted in ${mute.join(', ')}`] : []),
    ...(activeTimes.length > 0 ? [`muted outside of ${activeTimes.join(', ')}`] : []),
  ]
  if (times.length === 0) return ''
  return `, ${times.join(' and ')}${muteCritical ? ', what is critical too' : ' but for what is critical'}`
}
