import { expect, test } from 'vitest'
import { createSystemClock } from '../../../../src/lib/clock.ts'
import { Secret } from '../../../../src/lib/secret.ts'
import {
  type ChannelConfig,
  createChannel,
  followsCases,
} from '../../../../src/delivery/channels/createChannel.ts'

const deps = { clock: createSystemClock(), write: () => undefined, color: false }

test.each<ChannelConfig>([
  { name: 'a', type: 'slack', url: new Secret('https://hooks.example.com/services/T/B/k') },
  {
    name: 's',
    type: 'slack-app',
    token: new Secret('xoxb-1'),
    channel: 'C012AB3CD',
    url: new Secret('https://slack.com/api/'),
  },
  {
    name: 'b',
    type: 'email',
    smtp: new Secret('smtp://127.0.0.1:1'),
    from: 'a@example.com',
    to: ['b@example.com'],
  },
  { name: 'c', type: 'webhook', url: 'https://hooks.example.com/' },
  {
    name: 'p',
    type: 'pagerduty',
    routingKey: new Secret('k'),
    url: new Secret('https://events.pagerduty.com/v2/enqueue'),
  },
  { name: 'm', type: 'alertmanager', url: new Secret('http://127.0.0.1:9093') },
  { name: 't', type: 'teams', url: new Secret('https://flows.example.com/x') },
  { name: 'x', type: 'discord', url: new Secret('https://discord.example.com/x') },
  {
    name: 'g',
    type: 'telegram',
    botToken: new Secret('1:a'),
    chatId: '@ops',
    url: new Secret('https://api.telegram.org'),
  },
  { name: 'd', type: 'console' },
])('a configuration of type $type becomes its channel', async (config) => {
  const channel = createChannel(deps, config)
  expect({ name: channel.name, type: channel.type }).toEqual({ name: config.name, type: config.type })
  // What cases are told by before there is a channel.
  expect(channel.followsCases ?? false).toBe(followsCases(config.type))
  await channel.close()
})
