import type { Channel } from './message.ts'
import { type ConsoleConfig, type ConsoleDeps, createConsoleChannel } from './console.ts'
import { createEmailChannel, type EmailConfig, type EmailDeps } from './email.ts'
import { createSlackChannel, type SlackConfig, type SlackDeps } from './slack.ts'
import { createWebhookChannel, type WebhookConfig, type WebhookDeps } from './webhook.ts'

export type ChannelConfig = SlackConfig | EmailConfig | WebhookConfig | ConsoleConfig
export type ChannelDeps = SlackDeps & EmailDeps & WebhookDeps & ConsoleDeps

type Creators = {
  readonly [Type in ChannelConfig['type']]: (
    deps: ChannelDeps,
    config: Extract<ChannelConfig, { type: Type }>,
  ) => Channel
}

/** Every kind of channel: a new one is a file and a row here. */
const creators: Creators = {
  slack: createSlackChannel,
  email: createEmailChannel,
  webhook: createWebhookChannel,
  console: createConsoleChannel,
}

/** The channel that a parsed configuration describes. Opens no connection before the first message. */
export function createChannel<Type extends ChannelConfig['type']>(
  deps: ChannelDeps,
  config: Extract<ChannelConfig, { type: Type }>,
): Channel {
  const create: Creators[Type] = creators[config.type]
  return create(deps, config)
}
