import { z } from 'zod'
import { channel, channelName } from './channelSchemas.ts'
import { text } from './fields.ts'
import { listSettings, type SchemaNode } from './listSettings.ts'
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
