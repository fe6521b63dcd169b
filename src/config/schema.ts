import { z } from 'zod'
import { text, pattern, refuse, secretHttpUrl, secretText } from './fields.ts'
import {
  bridge,
  canary,
  canonical,
  explorer,
  heartbeat,
  http,
  inhibition,
  muteTime,
  poll,
  preconf,
  reports,
  retention,
  route,
  start,
} from './sections.ts'
import { settingTexts } from './settingTexts.ts'
import { Secret } from '../lib/secret.ts'

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

/** Every kind of channel, by its `type`. */
const channel = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('slack'), url: secretHttpUrl }),
    z.strictObject({
      type: z.literal('email'),
      smtp: smtpUrl,
      from: mailAddress,
      to: z.array(mailAddress).min(1, 'expected at least one recipient'),
    }),
    z.strictObject({ type: z.literal('webhook'), url: secretHttpUrl, secret: secretText.optional() }),
    z.strictObject({ type: z.literal('console') }),
  ],
  { error: 'expected a channel with type slack, email, webhook or console' },
)

const channelName = pattern(
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
  'expected a name of letters, digits, dots, dashes and underscores',
)

/** The whole `spanwatch.yaml`. Only `explorer.baseUrl` and `explorer.chains` are required. */
export const configSchema = z.strictObject({
  explorer,
  preconf: preconf.nullable().default(null),
  canonical: canonical.nullable().default(null),
  bridge: bridge.prefault({}),
  poll: poll.prefault({}),
  start: start.prefault({}),
  state: text('expected the path of a folder').default('./state'),
  rules: text('expected the path of a folder').optional(),
  channels: z.record(channelName, channel).default({}),
  routes: z.array(route).default([]),
  /** Named parts of the week, for `mute` of routes. */
  muteTimes: z.record(channelName, muteTime).default({}),
  /** Beside what always holds: a silent source mutes the conditions that rest on it. */
  inhibit: z.array(inhibition).default([]),
  reports: reports.prefault({}),
  http: http.nullable().prefault({}),
  heartbeat: heartbeat.nullable().default(null),
  /** Real messages, so that a channel that fails in silence is noticed. */
  canary: canary.nullable().default(null),
  retention: retention.prefault({}),
})

export type ParsedConfig = z.output<typeof configSchema>

/** JSON Schema of `spanwatch.yaml`, for editors: every setting says what it means. */
export function configJsonSchema(): SchemaNode {
  const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as SchemaNode
  for (const { path, nodes } of listSettings(schema)) {
    for (const node of nodes) {
      const form = node.description === undefined ? '' : ` Expects ${node.description}.`
      if (settingTexts[path] !== undefined) node.description = `${settingTexts[path]}${form}`
    }
  }
  return Object.assign(schema, { title: 'spanwatch configuration' })
}

/** A node of a JSON Schema, as far as settings are listed from it. */
export interface SchemaNode {
  description?: string
  readonly type?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly additionalProperties?: SchemaNode | boolean
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
}

export interface Setting {
  /** `explorer.pace.concurrency`; `[]` is every entry of a list, `NAME` a name of one's own. */
  readonly path: string
  readonly nodes: readonly SchemaNode[]
}

/** Every setting of a configuration's JSON Schema, in its order. A setting of several variants is one setting. */
export function listSettings(root: SchemaNode): Setting[] {
  const found = new Map<string, SchemaNode[]>()
  visit(root, '', found)
  return [...found].map(([path, nodes]) => ({ path, nodes }))
}

function visit(node: SchemaNode, path: string, found: Map<string, SchemaNode[]>): void {
  for (const variant of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) visit(variant, path, found)
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const below = path === '' ? name : `${path}.${name}`
    found.set(below, [...(found.get(below) ?? []), child])
    visit(child, below, found)
  }
  if (node.items) visit(node.items, `${path}[]`, found)
  if (typeof node.additionalProperties === 'object') {
    const below = `${path}.NAME`
    found.set(below, [...(found.get(below) ?? []), node.additionalProperties])
    visit(node.additionalProperties, below, found)
  }
}
