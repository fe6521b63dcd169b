import { z } from 'zod'
import { Secret } from '../lib/secret.ts'
import { pattern, refuse, secretHttpUrl, secretText, text } from './fields.ts'
import { bridge } from './bridgeSection.ts'
import {
  backups,
  canary,
  canonical,
  zoneRpc,
  explorer,
  heartbeat,
  http,
  inhibition,
  muteTime,
  poll,
  preconf,
  replicas,
  reports,
  retention,
  route,
  start,
} from './sections.ts'

const smtpExpected = 'expected an address such as smtp://user:password@host:587 or smtps://host'

const smtpUrl = z.string({ error: smtpExpected }).transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null
  const isSmtp = url?.protocol === 'smtp:' || url?.protocol === 'smtps:'
  return isSmtp && url.hostname !== '' ? new Secret(value) : refuse(context, smtpExpected)
})

const mailAddress = pattern(
  /^(?:[^<>\r\n]*<[^<>\s@,;:]+@[^<>\s@,;:]+>|[^<>\s@,;:]+@[^<>\s@,;:]+)$/,
  'expected a mail address such as ops@example.com',
)

/** An address that is the service's own unless another is written. */
const urlOr = (address: string) => secretHttpUrl.optional().transform((url) => url ?? new Secret(address))

const slackChannel = pattern(
  /^#?[\p{L}\p{N}][\p{L}\p{N}_.-]{0,79}$/u,
  'expected the id of a Slack channel such as C012AB3CD, or its name',
)

/** Written with quotes or without. */
const chatId = z
  .union([z.int(), text()], { error: 'expected the number of a chat, or the "@name" of a channel' })
  .transform(String)

/** Every kind of channel, by its `type`. */
export const channel = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('slack'), url: secretHttpUrl }),
    z.strictObject({
      type: z.literal('slack-app'),
      token: secretText,
      appToken: secretText.optional(),
      channel: slackChannel,
      url: urlOr('https://slack.com/api/'),
    }),
    z.strictObject({
      type: z.literal('email'),
      smtp: smtpUrl,
      from: mailAddress,
      to: z.array(mailAddress).min(1, 'expected at least one recipient'),
    }),
    z.strictObject({
      type: z.literal('webhook'),
      url: secretHttpUrl,
      secret: secretText.optional(),
      body: text().optional(),
      contentType: pattern(
        /^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=[\w.-]+)*$/,
        'expected a type of content such as application/json or text/plain; charset=utf-8',
      ).optional(),
    }),
    z.strictObject({
      type: z.literal('pagerduty'),
      routingKey: secretText,
      url: urlOr('https://events.pagerduty.com/v2/enqueue'),
    }),
    z.strictObject({ type: z.literal('alertmanager'), url: secretHttpUrl }),
    z.strictObject({ type: z.literal('teams'), url: secretHttpUrl }),
    z.strictObject({ type: z.literal('discord'), url: secretHttpUrl }),
    z.strictObject({
      type: z.literal('telegram'),
      botToken: secretText,
      chatId,
      messageThreadId: z.int('expected the number of a topic').min(1).optional(),
      url: urlOr('https://api.telegram.org'),
    }),
    z.strictObject({ type: z.literal('console') }),
  ],
  {
    error:
      'expected a channel with type slack, slack-app, email, webhook, pagerduty, alertmanager, teams, discord, telegram or console',
  },
)

export const channelName = pattern(
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
  'expected a name of letters, digits, dots, dashes and underscores',
)

/** The whole `spanwatch.yaml`. Only `explorer.baseUrl` and `explorer.chains` are required. */
export const configSchema = z.strictObject({
  explorer,
  preconf: preconf.nullable().default(null),
  canonical: canonical.nullable().default(null),
  zoneRpc: zoneRpc.nullable().default(null),
  bridge: bridge.prefault({}),
  poll: poll.prefault({}),
  start: start.prefault({}),
  state: text('expected the path of a folder').default('./state'),
  rules: text('expected the path of a folder').optional(),
  channels: z.record(channelName, channel).default({}),
  routes: z.array(route).default([]),
  /** Named days and times, for `mute` and `activeTimes` of routes. */
  muteTimes: z.record(channelName, muteTime).default({}),
  /** Beside what always holds: a silent source mutes the conditions that rest on it. */
  inhibit: z.array(inhibition).default([]),
  reports: reports.prefault({}),
  http: http.nullable().prefault({}),
  heartbeat: heartbeat.nullable().default(null),
  /** Real messages, so that a channel that fails in silence is noticed. */
  canary: canary.nullable().default(null),
  retention: retention.prefault({}),
  backups: backups.nullable().default(null),
  replicas: replicas.nullable().default(null),
})

export type ParsedConfig = z.output<typeof configSchema>
