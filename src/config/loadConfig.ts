import { dirname, resolve } from 'node:path'
import { errorText } from '../lib/errors.ts'
import type { YamlMask } from '../lib/maskSecrets.ts'
import { suggest } from '../lib/nearest.ts'
import { parseYamlDocument } from '../lib/parseYamlDocument.ts'
import { schemaProblems } from '../lib/schemaProblems.ts'
import { Secret } from '../lib/secret.ts'
import {
  fileProblem,
  problemAt,
  withoutEchoes,
  type YamlDoc,
  type YamlPath,
  type YamlProblem,
} from '../lib/yamlProblems.ts'
import { checkChannelNames, checkMuteNames, checkWhole } from './checkConfig.ts'
import { listWarnings } from './listWarnings.ts'
import { type Config, toConfig } from './config.ts'
import { type ConfigFiles, nodeFiles } from './nodeFiles.ts'
import { configSchema } from './schema.ts'

export interface ConfigInput {
  readonly path: string
  /** `process.env`, given by main.ts: nothing else reads it. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly files?: ConfigFiles
  /**
   * The sections whose references have to be there; all without it. Whoever lists alerts at night has not the daemon's
   * secrets in his shell, and needs none.
   */
  readonly needs?: readonly Section[]
}

export type Section =
  | 'explorer'
  | 'preconf'
  | 'canonical'
  | 'zoneRpc'
  | 'channels'
  | 'http'
  | 'heartbeat'
  | 'replicas'

export type LoadedConfig =
  | {
      readonly ok: true
      readonly config: Config
      readonly doc: YamlDoc
      readonly warnings: readonly YamlProblem[]
      /** For the scrubber of logs. */
      readonly secrets: readonly Secret[]
    }
  | { readonly ok: false; readonly problems: readonly YamlProblem[] }

export const maxConfigBytes = 1_048_576

interface ReferenceDeps {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly files: ConfigFiles
  /** The configuration's: where what `${file:…}` names begins. */
  readonly folder: string
  /** The sections that are used now; all without it. Of others what they refer to may be missing: a placeholder stands in. */
  readonly needs: readonly string[] | undefined
}

const maxReferencedBytes = 65_536

/** No secret: stands for what is not there, in sections that are not used. */
const placeholder = 'not-set-here'

interface Substituted {
  readonly data: unknown
  readonly problems: readonly YamlProblem[]
  /** What references brought to the places where secrets stand. */
  readonly secrets: readonly Secret[]
  readonly warnings: readonly YamlProblem[]
}

type Resolved =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string }

/**
 * Where secrets stand in `spanwatch.yaml`. Around them everything is covered but what is known to be harmless, so that
 * a secret behind a mistyped key stays covered too.
 */
export const secretPlaces: YamlMask = {
  keys: ['key', 'secret', 'passphrase', 'password', 'smtp', 'token', 'readToken', 'url'],
  isSecret(keys) {
    const [section, second] = keys
    const last = keys.at(-1) ?? ''
    if (section === 'explorer') return second === 'auth' && last !== 'signer'
    if (section === 'channels') return keys.length > 2 && !['type', 'from', 'to'].includes(last)
    if (section === 'http')
      return keys.length > 1 && !['listen', 'publicUrl', 'sessions', 'trustProxy'].includes(last)
    if (section === 'heartbeat') return keys.length > 1 && last !== 'every'
    return ['preconf', 'canonical', 'zoneRpc'].includes(String(section)) && last === 'url'
  },
}

/** Reads, completes and checks a configuration file: whole, or all of its problems. */
export function loadConfig(input: ConfigInput): LoadedConfig {
  const { needs, ...whole } = input
  const loaded = load(input)
  // A placeholder that does not fit its place would be blamed for what is missing: say what is.
  return loaded.ok || needs === undefined ? loaded : load(whole)
}

function load(input: ConfigInput): LoadedConfig {
  const files = input.files ?? nodeFiles
  const folder = dirname(resolve(input.path))
  let text: string
  try {
    text = files.readFile(input.path, maxConfigBytes)
  } catch (error) {
    return failed([
      fileProblem(
        input.path,
        `the configuration cannot be read: ${errorText(error)}; spanwatch.example.yaml is one to begin with, --config names another`,
      ),
    ])
  }
  const { doc, data, problems } = parseYamlDocument({
    path: input.path,
    text,
    maxBytes: maxConfigBytes,
    mask: secretPlaces,
  })
  if (doc === null) return failed(problems)
  const substituted = substitute({ env: input.env, files, folder, needs: input.needs }, doc, data)
  const parsed = configSchema.safeParse(substituted.data)
  const found = [
    ...problems,
    ...substituted.problems,
    ...checkChannelNames(doc, data),
    ...checkMuteNames(doc, data),
  ]
  if (!parsed.success) {
    const context = { schema: configSchema, data, mask: secretPlaces }
    return failed([...found, ...withoutEchoes(found, schemaProblems(doc, context, parsed.error))])
  }
  const config = toConfig(parsed.data, { folder, isFolder: files.isFolder })
  const context = {
    doc,
    written: data,
    files,
    rulesDir: config.rulesDir,
    pricesPath: config.bridge.prices ?? null,
    placeholder,
  }
  const all = [...found, ...checkWhole(context, parsed.data)]
  if (all.length > 0) return failed(all)
  const secrets = [...collectSecrets(config), ...substituted.secrets].filter(
    (secret) => !isPlaceholder(secret.reveal()),
  )
  const warnings = [...substituted.warnings, ...listWarnings(context, parsed.data)]
  return { ok: true, config, doc, warnings, secrets }
}

function failed(problems: readonly YamlProblem[]): LoadedConfig {
  return { ok: false, problems }
}

/**
 * Every secret of a configuration, for the scrubber of logs: the values themselves and the parts of them that travel
 * alone in other people's texts, such as the path of a webhook or the password of a mail server.
 */
export function collectSecrets(config: unknown): Secret[] {
  if (config instanceof Secret) return partsOf(config.reveal()).map((part) => new Secret(part))
  if (typeof config !== 'object' || config === null) return []
  return Object.values(config).flatMap(collectSecrets)
}

function partsOf(value: string): string[] {
  if (!URL.canParse(value) || !/^(https?|smtps?):/.test(value)) return [value]
  const url = new URL(value)
  const isMail = url.protocol.startsWith('smtp')
  const isBare = url.pathname.length <= 1 && url.search === '' && url.username === '' && url.password === ''
  // A host alone is no secret, and people have to see which one does not answer.
  if (isBare) return []
  const path = isMail ? [] : [url.pathname, `${url.pathname}${url.search}`]
  const parts = [value, url.href, url.password, decode(url.password), ...path]
  return [...new Set(parts)].filter((part) => part.length > 1)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function isPlaceholder(value: string): boolean {
  return value.includes(placeholder)
}

/**
 * Puts `${NAME}` and `${file:/run/secrets/x}` into scalars that were parsed already: what they bring is text, whatever
 * it looks like as YAML. `$${` is a plain `${`.
 */
export function substitute(deps: ReferenceDeps, doc: YamlDoc, data: unknown): Substituted {
  const problems: YamlProblem[] = []
  const warnings: YamlProblem[] = []
  const secrets: Secret[] = []
  const replace = (value: unknown, path: YamlPath): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => replace(item, [...path, index]))
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, replace(item, [...path, key])]),
      )
    }
    if (typeof value !== 'string' || !value.includes('${')) return value
    const isSecret = secretPlaces.isSecret(path.filter((step) => typeof step === 'string'))
    return value.replace(/\$\$\{|\$\{([^}]*)\}?/g, (whole: string, name: string | undefined) => {
      if (name === undefined) return '${'
      const found = resolveReference(deps, whole.endsWith('}') ? name : null)
      if (found.ok) {
        if (isSecret) secrets.push(new Secret(found.value))
        if (
          isSecret &&
          name.startsWith('file:') &&
          deps.files.isOpenToAll?.(resolve(deps.folder, name.slice('file:'.length)))
        ) {
          const message = `every user of this machine can read ${name.slice('file:'.length)}: take that away with chmod o-r`
          warnings.push(problemAt(doc, path, message))
        }
        return found.value
      }
      if (deps.needs?.includes(String(path[0])) === false)
        return whole === value ? placeholderFor(path) : placeholder
      problems.push(problemAt(doc, path, found.message))
      return ''
    })
  }
  return { data: replace(data, []), problems, warnings, secrets }
}

/** One that its place takes for well-formed. */
function placeholderFor(path: YamlPath): string {
  const key = path.at(-1)
  if (key === 'smtp') return `smtp://${placeholder}.invalid`
  return key === 'url' || key === 'baseUrl' ? `https://${placeholder}.invalid` : placeholder
}

function resolveReference(deps: ReferenceDeps, name: string | null): Resolved {
  if (name === null) return { ok: false, message: 'expected `}` after `${`' }
  if (name.startsWith('file:')) return resolveFile(deps, name.slice('file:'.length))
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return { ok: false, message: 'expected ${NAME} or ${file:/path/to/file}; write $${ for a plain ${' }
  }
  const value = deps.env[name]
  if (value === undefined) {
    const hint = suggest(name, Object.keys(deps.env))
    return { ok: false, message: `the environment variable ${name} is not set${hint}` }
  }
  return value === ''
    ? { ok: false, message: `the environment variable ${name} is empty` }
    : { ok: true, value }
}

function resolveFile(deps: ReferenceDeps, path: string): Resolved {
  try {
    const value = deps.files.readFile(resolve(deps.folder, path), maxReferencedBytes).replace(/\r?\n$/, '')
    return value === '' ? { ok: false, message: `the file ${path} is empty` } : { ok: true, value }
  } catch (error) {
    return { ok: false, message: `the file ${path} cannot be read: ${errorText(error)}` }
  }
}
