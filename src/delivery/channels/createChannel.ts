import type { CaseActions } from './caseActions.ts'
import type { Channel, Message } from './message.ts'
import { type AlertmanagerConfig, createAlertmanagerChannel } from './alertmanager.ts'
import { createTelegramChannel, type TelegramConfig } from './telegram.ts'
import { createDiscordChannel, type DiscordConfig } from './discord.ts'
import { createEmailChannel, type EmailConfig, type EmailDeps } from './email.ts'
import { createPagerDutyChannel, type PagerDutyConfig } from './pagerduty.ts'
import { createSlackAppChannel } from './slackApp/createSlackApp.ts'
import type { SlackAppConfig, SlackAppDeps } from './slackApp/openApp.ts'
import { createSlackChannel, type SlackConfig } from './slack.ts'
import { createTeamsChannel, type TeamsConfig } from './teams.ts'
import { createWebhookChannel, type WebhookConfig, type WebhookDeps } from './webhook.ts'
import { renderText } from './renderText.ts'
import { Secret } from '../../lib/secret.ts'

export type ChannelConfig =
  | SlackConfig
  | SlackAppConfig
  | EmailConfig
  | WebhookConfig
  | PagerDutyConfig
  | AlertmanagerConfig
  | TeamsConfig
  | DiscordConfig
  | TelegramConfig
  | ConsoleConfig
export type ChannelDeps = SlackAppDeps & EmailDeps & WebhookDeps & ConsoleDeps

type Creators = {
  readonly [Type in ChannelConfig['type']]: (
    deps: ChannelDeps,
    config: Extract<ChannelConfig, { type: Type }>,
  ) => Channel
}

/** Every kind of channel: a new one is a file and a row here. */
const creators: Creators = {
  slack: createSlackChannel,
  'slack-app': createSlackAppChannel,
  email: createEmailChannel,
  webhook: createWebhookChannel,
  pagerduty: createPagerDutyChannel,
  alertmanager: createAlertmanagerChannel,
  teams: createTeamsChannel,
  discord: createDiscordChannel,
  telegram: createTelegramChannel,
  console: createConsoleChannel,
}

/** Kinds of channels that show a case as one thing that changes. */
const followingTypes: ReadonlySet<string> = new Set(['slack-app', 'webhook', 'pagerduty', 'alertmanager'])

export function followsCases(type: string): boolean {
  return followingTypes.has(type)
}

export function listFollowing(
  channels: readonly { readonly name: string; readonly type: string }[],
): ReadonlySet<string> {
  return new Set(channels.filter(({ type }) => followsCases(type)).map(({ name }) => name))
}

/** The channel that a parsed configuration describes. Opens no connection before the first message. */
export function createChannel<Type extends ChannelConfig['type']>(
  deps: ChannelDeps,
  config: Extract<ChannelConfig, { type: Type }>,
): Channel {
  const create: Creators[Type] = creators[config.type]
  return create(deps, config)
}

interface ConsoleConfig {
  readonly name: string
  readonly type: 'console'
}

interface ConsoleDeps {
  /** Takes one finished block of text, its newlines included. */
  readonly write: (text: string) => void
  readonly color: boolean
}

const colors = { critical: '31', warning: '33', info: '36' } as const

/** Prints messages as text. What the chain says cannot move the cursor or colour anything: controls are gone. */
export function createConsoleChannel(deps: ConsoleDeps, config: ConsoleConfig): Channel {
  return {
    name: config.name,
    type: 'console',
    async deliver(message) {
      try {
        deps.write(renderConsole(message, deps.color))
        return { result: 'ack' }
      } catch {
        return { result: 'transient', reason: 'the console could not be written to' }
      }
    },
    async close() {},
  }
}

/** The block for one message: headline, findings indented by a bar, id. */
export function renderConsole(message: Message, color: boolean): string {
  const paint = (code: string, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
  const text = renderText(message, { withRest: false })
  const bar = paint(colors[message.severity], '│')
  const lines = [
    paint(`1;${colors[message.severity]}`, text.head[0] ?? ''),
    ...[text.head.slice(1), ...text.items, text.links].flatMap((item) =>
      item.length === 0 ? [] : [...item.map((line) => `${bar} ${line}`), bar],
    ),
    ...text.details.flat().map((line) => paint('2', `${bar} ${line}`)),
    paint('2', text.foot.join('   ')),
  ]
  return `\n${lines.join('\n')}\n`
}

interface RotatingDeps extends ChannelDeps {
  /** The channel's settings as they are on disk now; null when they cannot be read, or never change. */
  readonly reread: (name: string) => ChannelConfig | null
}

/**
 * A channel whose address and credentials are looked at before each delivery: a webhook that is replaced is usually
 * revoked at the same time, and its new address must not wait for a restart.
 */
export function createRotatingChannel(deps: RotatingDeps, config: ChannelConfig): Channel {
  let current = { config, channel: createChannel(deps, config) }
  let heardBy: CaseActions | null = null
  const renew = (): Channel => {
    const found = deps.reread(config.name)
    if (found === null || found.type !== config.type || isSame(found, current.config)) return current.channel
    const replaced = current.channel
    try {
      current = { config: found, channel: createChannel(deps, found) }
    } catch {
      // Settings that are being edited: the ones before hold until these are good.
      return replaced
    }
    if (heardBy !== null) current.channel.listen?.(heardBy)
    // What is still under way on the old connections ends by itself.
    replaced.close().catch(() => undefined)
    return current.channel
  }
  const { refresh } = current.channel
  const sendsReports = current.channel.deliverReport !== undefined
  return {
    name: config.name,
    type: config.type,
    ...(current.channel.followsCases && { followsCases: true }),
    deliver: (message, options) => renew().deliver(message, options),
    ...(current.channel.listen && {
      listen(actions) {
        heardBy = actions
        current.channel.listen?.(actions)
      },
      listening: () => current.channel.listening?.() ?? null,
    }),
    ...(refresh && {
      refresh: {
        everyMs: refresh.everyMs,
        tell: async (cases, options) =>
          (await renew().refresh?.tell(cases, options)) ?? {
            result: 'transient',
            reason: 'it repeats nothing',
          },
      },
    }),
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

/** For comparing alone: it is shown to nobody. */
function reveal(config: ChannelConfig): string {
  return JSON.stringify(
    Object.entries(config).map(([key, value]) => [key, value instanceof Secret ? value.reveal() : value]),
  )
}
