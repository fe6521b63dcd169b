import type { ChannelConfig } from '../../src/delivery/channels/createChannel.ts'
import { Secret } from '../../src/lib/secret.ts'
import type { ChannelServer } from './channelServer.ts'
import { startFakeAlertmanager } from './fakeAlertmanager.ts'
import { discordPath, startFakeDiscord } from './fakeDiscord.ts'
import { routingKey, startFakePagerDuty } from './fakePagerDuty.ts'
import { startFakeTeams, workflowPath } from './fakeTeams.ts'
import { botToken, chatId, startFakeTelegram } from './fakeTelegram.ts'

interface Service {
  readonly start: () => Promise<ChannelServer>
  readonly config: (url: string) => ChannelConfig
  /** What must not show in anything. */
  readonly secrets: readonly string[]
}

/** Every service that takes messages by HTTP, but Slack, which is served by its own libraries. */
export const services: Readonly<Record<string, Service>> = {
  pagerduty: {
    start: startFakePagerDuty,
    config: (url) => ({
      name: 'pager',
      type: 'pagerduty',
      routingKey: new Secret(routingKey),
      url: new Secret(url),
    }),
    secrets: [routingKey],
  },
  alertmanager: {
    start: startFakeAlertmanager,
    config: (url) => ({
      name: 'manager',
      type: 'alertmanager',
      url: new Secret(url.replace('://', '://bob:averysecretword@')),
    }),
    secrets: ['averysecretword'],
  },
  teams: {
    start: startFakeTeams,
    config: (url) => ({ name: 'ops', type: 'teams', url: new Secret(`${url}${workflowPath}`) }),
    secrets: ['averysecretsignature'],
  },
  discord: {
    start: startFakeDiscord,
    config: (url) => ({ name: 'ops', type: 'discord', url: new Secret(`${url}${discordPath}`) }),
    secrets: ['averysecrettoken'],
  },
  telegram: {
    start: startFakeTelegram,
    config: (url) => ({
      name: 'ops',
      type: 'telegram',
      botToken: new Secret(botToken),
      chatId,
      url: new Secret(url),
    }),
    secrets: [botToken, 'averysecret_bot-token'],
  },
}
