import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { errorText } from '../lib/errors.ts'
import type { YamlMask } from '../lib/maskSecrets.ts'
import { parseYamlDocument } from '../lib/parseYamlDocument.ts'
import { sayIssues, schemaProblems } from '../lib/schemaProblems.ts'
import type { Secret } from '../lib/secret.ts'
import { fileProblem, problemAt, type YamlProblem } from '../lib/yamlProblems.ts'
import { isObject } from '../lib/isObject.ts'
import { toChannels, toHttp } from './config.ts'
import { text } from './fields.ts'
import { collectSecrets, maxConfigBytes, secretPlaces, substitute } from './loadConfig.ts'
import { nodeFiles } from './nodeFiles.ts'
import { channel, channelName } from './schema.ts'
import { http, postgresUrl, report } from './sections.ts'

/** The whole file of `spanwatch fleet --config`. */
const fleetSchema = z.strictObject({
  database: postgresUrl,
  ca: text('expected the path of a PEM file').optional(),
  http: http.prefault({}),
  channels: z.record(channelName, channel).default({}),
  /** One report over all bridges. */
  daily: report('0 8 * * *'),
})

export type FleetConfig = ReturnType<typeof toFleetConfig>

/** What the command line says of it, before the file. */
interface FleetInput {
  /** Null without a file. */
  readonly path: string | null
  readonly database?: string | undefined
  readonly listen?: string | undefined
  /** What `${NAME}` refers to. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export type LoadedFleet =
  | { readonly ok: true; readonly config: FleetConfig; readonly secrets: readonly Secret[] }
  | { readonly ok: false; readonly problems: readonly YamlProblem[] }
  /** Of the command line, which has no lines. */
  | { readonly ok: false; readonly usage: string }

const mask: YamlMask = {
  keys: [...secretPlaces.keys, 'database'],
  isSecret: (keys) => keys[0] === 'database' || secretPlaces.isSecret(keys),
}

export function loadFleet(input: FleetInput): LoadedFleet {
  const { path } = input
  if (path === null) {
    const parsed = fleetSchema.safeParse(withOptions({}, input))
    if (!parsed.success) return { ok: false, usage: sayIssues(fleetSchema, parsed.error.issues) }
    return loaded(toFleetConfig(parsed.data, '.'))
  }
  let written: string
  try {
    written = nodeFiles.readFile(path, maxConfigBytes)
  } catch (error) {
    return { ok: false, problems: [fileProblem(path, `it cannot be read: ${errorText(error)}`)] }
  }
  const { doc, data, problems } = parseYamlDocument({ path, text: written, maxBytes: maxConfigBytes, mask })
  if (doc === null) return { ok: false, problems }
  const folder = dirname(resolve(path))
  const substituted = substitute({ env: input.env, files: nodeFiles, folder, needs: undefined }, doc, data)
  const found = [...problems, ...substituted.problems]
  const parsed = fleetSchema.safeParse(withOptions(toObject(substituted.data), input))
  if (!parsed.success)
    return {
      ok: false,
      problems: [...found, ...schemaProblems(doc, { schema: fleetSchema, data, mask }, parsed.error)],
    }
  const config = toFleetConfig(parsed.data, folder)
  const { daily, channels } = config
  if (daily !== null && channels.every(({ name }) => name !== daily.channel))
    found.push(problemAt(doc, ['daily', 'channel'], `no channel is named \`${daily.channel}\``))
  return found.length > 0 ? { ok: false, problems: found } : loaded(config)
}

function loaded(config: FleetConfig): LoadedFleet {
  return { ok: true, config, secrets: collectSecrets(config) }
}

function toObject(data: unknown): Readonly<Record<string, unknown>> {
  return isObject(data) ? data : {}
}

function withOptions(data: Readonly<Record<string, unknown>>, { database, listen }: FleetInput): object {
  return {
    ...data,
    ...(database !== undefined && { database }),
    // Another one than a monitor's: both may run on one machine.
    http: { listen: '127.0.0.1:8090', ...toObject(data['http']), ...(listen !== undefined && { listen }) },
  }
}

function toFleetConfig(parsed: z.output<typeof fleetSchema>, folder: string) {
  return {
    database: parsed.database,
    caFile: parsed.ca === undefined ? null : resolve(folder, parsed.ca),
    http: toHttp(parsed.http),
    channels: toChannels(parsed.channels),
    daily: parsed.daily,
  }
}
