import { Secret } from '../../lib/secret.ts'
import { checkChannel } from '../checkChannel.ts'
import { checkRpc } from '../checkRpc.ts'
import type { Io } from '../io.ts'
import { formatResult, type OnlineResult } from '../onlineResult.ts'
import { MonitorError } from '../../lib/errors.ts'
import { usage } from '../readOptions.ts'
import { readPlace, readVariable, type Reference } from './reference.ts'
import { askFor, askUntil, type Talk, tell } from './talk.ts'
import type { Channel } from './toYaml.ts'

/** Channels that are no more than an address, which is a secret. */
const channelTypes = ['slack', 'teams', 'discord', 'webhook'] as const
type ChannelType = (typeof channelTypes)[number]

const variables: Readonly<Record<ChannelType, string>> = {
  slack: 'SLACK_WEBHOOK_URL',
  teams: 'TEAMS_WORKFLOW_URL',
  discord: 'DISCORD_WEBHOOK_URL',
  webhook: 'HOOK_URL',
}

const sources = {
  preconf: {
    asks: 'Preconfirmation RPC, an address or the name of a variable (Enter: none)',
    example: 'PRECONF_URL',
  },
  canonical: {
    asks: 'RPC of the main chain as a second source, an address or the name of a variable (Enter: none)',
    example: 'CANONICAL_URL',
  },
} as const

type GivenOptions = Readonly<Partial<Record<ChannelType | keyof typeof sources, string>>>

/** What options name beside the explorer. @throws MonitorError `usage` */
export function readGiven(io: Pick<Io, 'env'>, options: GivenOptions) {
  const place = (name: keyof typeof sources) => {
    const text = options[name]
    return text === undefined ? null : readPlace(io, text, { what: `--${name}`, ...sources[name] })
  }
  const channels = channelTypes.flatMap((type) => {
    const text = options[type]
    return text === undefined ? [] : [{ type, url: readAddressOf(io, type, text) }]
  })
  if (channels.length > 1)
    throw usage(`${channelTypes.map((type) => `--${type}`).join(', ')}: expected one of them`)
  return { preconf: place('preconf'), canonical: place('canonical'), channel: channels[0] ?? null }
}

function readAddressOf(io: Pick<Io, 'env'>, type: ChannelType, text: string): Reference {
  return readVariable(io, text, { what: `--${type}`, example: variables[type] })
}

/** An RPC that answers, or none. @throws MonitorError where one that options name does not */
export async function chooseSource(
  talk: Talk,
  name: keyof typeof sources,
  given: Reference | null,
): Promise<Reference | null> {
  const { asks, example } = sources[name]
  const attempt = (place: Reference) =>
    tryPlace(talk, name, place, (url) => checkRpc(talk.io, name, new Secret(url)))
  if (given !== null) return await attempt(given)
  if (talk.ask === null) return null
  return await askUntil(talk, asks, (text) => attempt(readPlace(talk.io, text, { what: name, example })))
}

/** A channel that can be reached, or none. @throws MonitorError where one that options name cannot */
export async function chooseChannel(talk: Talk, given: Channel | null): Promise<Channel | null> {
  if (given !== null) return await tryChannel(talk, given)
  if (talk.ask === null) return null
  const type = await askUntil(
    talk,
    `Channel for alerts: ${channelTypes.join(', ')} (Enter: none, they are printed)`,
    (text) => {
      const found = channelTypes.find((known) => known === text.toLowerCase())
      if (found === undefined)
        throw usage(`expected one of ${channelTypes.join(', ')}; docs/channels.md has all kinds`)
      return found
    },
  )
  if (type === null) return null
  for (;;) {
    const text = await askFor(
      talk,
      'Name of the environment variable that holds its address',
      variables[type],
    )
    try {
      return await tryChannel(talk, { type, url: readAddressOf(talk.io, type, text) })
    } catch (error) {
      if (!(error instanceof MonitorError)) throw error
      tell(talk, 'failed', error.message)
    }
  }
}

async function tryChannel(talk: Talk, channel: Channel): Promise<Channel> {
  const type = channelTypes.find((known) => known === channel.type) ?? 'webhook'
  const url = await tryPlace(talk, `channel ${type}`, channel.url, (address) => {
    if (!/^https?:\/\/./.test(address) || !URL.canParse(address))
      throw usage(`${channel.url.variable}: expected an http or https address in it`)
    return checkChannel(talk.io, { name: 'ops', type, url: new Secret(address) })
  })
  return { type, url }
}

/** Tries what stands behind a reference, as far as that is known here, and says how it went. */
async function tryPlace(
  talk: Talk,
  what: string,
  place: Reference,
  attempt: (url: string) => Promise<readonly OnlineResult[]>,
): Promise<Reference> {
  const { value, variable } = place
  if (value === null) {
    tell(talk, 'unsure', `${what}: not tried, ${variable} is not set here`)
    return place
  }
  if (variable !== null) talk.io.protect([new Secret(value)])
  const results = await attempt(value)
  const failed = results.find(({ verdict }) => verdict === 'failed')
  if (failed !== undefined)
    throw new MonitorError(
      'source.unreachable',
      formatResult(failed)
        .replace(/^ *failed */, '')
        .trimEnd(),
    )
  for (const result of results) talk.io.out(formatResult(result))
  return place
}
