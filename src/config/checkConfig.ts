import { isIPv4 } from 'node:net'
import { readPrices } from './priceFile.ts'
import { formatDuration } from '../lib/duration.ts'
import { suggest } from '../lib/nearest.ts'
import { valueAt } from '../lib/schemaProblems.ts'
import { Secret, shortestCovered, shortestToken } from '../lib/secret.ts'
import { problemAt, type YamlDoc, type YamlPath, type YamlProblem } from '../lib/yamlProblems.ts'
import type { ConfigFiles } from './nodeFiles.ts'
import type { ParsedConfig } from './schema.ts'

export interface CheckContext {
  readonly doc: YamlDoc
  /** As written, references and all. */
  readonly written: unknown
  readonly files: ConfigFiles
  readonly rulesDir: string
  /** Null without a price file. */
  readonly pricesPath: string | null
  /** Stands in the place of a secret that this command does not use. */
  readonly placeholder: string
}

/** Channels that a route or a report names and nobody defined. Looks at what was written, whole or not. */
export function checkChannelNames(doc: YamlDoc, written: unknown): YamlProblem[] {
  const names = keysOf(valueAt(written, ['channels']))
  const known = names.length > 0 ? names : ['console']
  const routes = listOf(valueAt(written, ['routes']))
  const places: YamlPath[] = routes.flatMap((route, index) =>
    listOf(valueAt(route, ['channels'])).map((_, position) => ['routes', index, 'channels', position]),
  )
  const escalations = routes.flatMap((route, index) =>
    listOf(valueAt(route, ['escalate'])).flatMap((step, place) =>
      listOf(valueAt(step, ['channels'])).map(
        (_, position): YamlPath => ['routes', index, 'escalate', place, 'channels', position],
      ),
    ),
  )
  const canaries = listOf(valueAt(written, ['canary', 'channels'])).map(
    (_, index): YamlPath => ['canary', 'channels', index],
  )
  return [
    ...places,
    ...escalations,
    ...canaries,
    ['reports', 'daily', 'channel'],
    ['reports', 'weekly', 'channel'],
    ['reports', 'monthly', 'channel'],
  ].flatMap((path) => {
    const name = valueAt(written, path)
    if (typeof name !== 'string' || known.includes(name)) return []
    const hint = suggest(name, known) || `: there is ${known.join(', ')}`
    return [problemAt(doc, path, `no channel is named \`${name}\`${hint}`)]
  })
}

/** A price file has to be there at the start; what happens to it later stops nobody. */
function checkPrices({ doc, pricesPath }: CheckContext, { bridge }: ParsedConfig): YamlProblem[] {
  if (bridge.prices === undefined || pricesPath === null) return []
  const read = readPrices(pricesPath)
  return read.ok ? [] : [problemAt(doc, ['bridge', 'prices'], read.problem)]
}

/** Two addresses of one host are one source: what it says twice is said once. */
function checkQuorums({ doc }: CheckContext, config: ParsedConfig): YamlProblem[] {
  const seats = [
    ['explorer', config.explorer.quorum, listUrls(['explorer', 'baseUrl'], config.explorer.baseUrl)],
    ['preconf', config.preconf?.quorum ?? 1, listUrls(['preconf', 'url'], config.preconf?.url)],
    ['canonical', config.canonical?.quorum ?? 1, listUrls(['canonical', 'url'], config.canonical?.url)],
    ['zoneRpc', config.zoneRpc?.quorum ?? 1, listUrls(['zoneRpc', 'url'], config.zoneRpc?.url)],
  ] as const
  return seats.flatMap(([seat, quorum, urls]) => {
    const hosts = new Set(urls.map(([, url]) => new URL(url instanceof Secret ? url.reveal() : url).host))
    if (quorum <= Math.max(hosts.size, 1)) return []
    const there = hosts.size === 1 ? 'one source' : `${hosts.size} sources`
    const message = `${quorum} sources have to agree, and only ${there} ${hosts.size === 1 ? 'is' : 'of different hosts are'} listed: name more of them, or lower it`
    return [problemAt(doc, [seat, 'quorum'], message)]
  })
}

/** Mute times that a route names and nobody defined. */
export function checkMuteNames(doc: YamlDoc, written: unknown): YamlProblem[] {
  const known = keysOf(valueAt(written, ['muteTimes']))
  return listOf(valueAt(written, ['routes'])).flatMap((route, index) =>
    (['mute', 'activeTimes'] as const).flatMap((setting) =>
      listOf(valueAt(route, [setting])).flatMap((name, position) => {
        if (typeof name !== 'string' || known.includes(name)) return []
        const there = known.length === 0 ? ': muteTimes is empty' : `: there is ${known.join(', ')}`
        const message = `no mute time is named \`${name}\`${suggest(name, known) || there}`
        return [problemAt(doc, ['routes', index, setting, position], message)]
      }),
    ),
  )
}

function keysOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** What no single field can show: folders that are not there, things said twice, doors left open. */
export function checkWhole(context: CheckContext, config: ParsedConfig): YamlProblem[] {
  const problems = checkRepeated(context, config)
  if (config.http && config.http.token === null && !isLoopback(config.http.listen.host)) {
    const message = 'expected http.token: without one the page must listen on loopback, such as 127.0.0.1'
    problems.push(problemAt(context.doc, ['http', 'listen'], message))
  }
  problems.push(
    ...checkTokens(context, config),
    ...checkPrices(context, config),
    ...checkQuorums(context, config),
  )
  if (config.rules !== undefined && !context.files.isFolder(context.rulesDir)) {
    problems.push(problemAt(context.doc, ['rules'], `there is no folder ${context.rulesDir}`))
  }
  return problems
}

const tokenNames = ['token', 'readToken'] as const

/** The length of a token is what keeps out whoever may guess as often as he likes. */
function checkTokens(context: CheckContext, { http }: ParsedConfig): YamlProblem[] {
  if (http === null) return []
  const at = (name: (typeof tokenNames)[number], message: string) =>
    problemAt(context.doc, ['http', name], message)
  const { token, readToken } = http
  const problems = isLoopback(http.listen.host)
    ? []
    : listShortTokens(context, http).map((name) =>
        at(name, `expected at least ${shortestToken} characters beyond loopback, ${likeThese}`),
      )
  if (readToken === null) return problems
  if (token === null)
    return [...problems, at('readToken', 'expected http.token beside it: the one that may act')]
  const isSame = isKnown(context, token) && token.reveal() === readToken.reveal()
  return isSame
    ? [...problems, at('readToken', 'expected another text than http.token: it may look only')]
    : problems
}

function isKnown({ placeholder }: CheckContext, secret: Secret): boolean {
  return !secret.reveal().includes(placeholder)
}

const likeThese = 'such as those of `openssl rand -hex 16`'

function listShortTokens(context: CheckContext, http: NonNullable<ParsedConfig['http']>) {
  return tokenNames.filter((name) => {
    const secret = http[name]
    return secret !== null && isKnown(context, secret) && secret.reveal().length < shortestToken
  })
}

/** Behind a proxy loopback is no bound. */
function warnOfShortTokens(context: CheckContext, { http }: ParsedConfig): YamlProblem[] {
  if (http === null || !isLoopback(http.listen.host)) return []
  if (http.publicUrl === null && http.trustProxy.length === 0) return []
  return listShortTokens(context, http).map((name) =>
    problemAt(
      context.doc,
      ['http', name],
      `\`http.${name}\` is shorter than ${shortestToken} characters, and others can reach the page: choose a longer one, ${likeThese}`,
    ),
  )
}

function checkRepeated(context: CheckContext, config: ParsedConfig): YamlProblem[] {
  const { tokens, escrows, contracts, events, operators, probes } = config.bridge
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['tokens', tokens.map(({ address }) => address)],
    ['escrows', escrows.map(({ address, token }) => `${address} ${token}`)],
    ['contracts', contracts],
    ['events', events.map(({ topic }) => topic)],
    ['operators', operators.map(({ address }) => address)],
    ['probes', probes.map(({ address, direction }) => `${address} ${direction}`)],
  ]
  return lists.flatMap(([name, keys]) =>
    keys.flatMap((key, index) => {
      const first = keys.indexOf(key)
      if (first === index) return []
      return [problemAt(context.doc, ['bridge', name, index], `this is bridge.${name}[${first}] again`)]
    }),
  )
}

/** What works but should not stay so. */
export function listWarnings(context: CheckContext, config: ParsedConfig): YamlProblem[] {
  return [
    ...warnOfLiterals(context, config),
    ...warnOfShortSecrets(context, config),
    ...warnOfShortTokens(context, config),
    ...warnOfPlainHttp(context, config),
    ...warnOfRoutes(context, config),
  ]
}

function warnOfLiterals(context: CheckContext, config: ParsedConfig): YamlProblem[] {
  const channels = listChannelSecrets(config)
    .filter(({ type, secret, isAddress }) => !isAddress || isKeyItself(type) || holdsCredentials(secret))
    .map(({ path }) => path)
  const places: YamlPath[] = [
    ['explorer', 'auth', 'key'],
    ['explorer', 'auth', 'secret'],
    ['explorer', 'auth', 'passphrase'],
    ['http', 'token'],
    ['http', 'readToken'],
    ...channels,
  ]
  return places.flatMap((path) => {
    const value = valueAt(context.written, path)
    if (typeof value !== 'string' || /\$\{[^}]+\}/.test(value)) return []
    const message = `\`${path.join('.')}\` is a secret in plain text: write \${NAME} or \${file:/path} instead`
    return [problemAt(context.doc, path, message)]
  })
}

/** A text this short stands in many lines that have nothing to do with it: it is not covered in what is written. */
function warnOfShortSecrets(context: CheckContext, config: ParsedConfig): YamlProblem[] {
  const { auth } = config.explorer
  const ofChannels = listChannelSecrets(config)
    .filter(({ isAddress }) => !isAddress)
    .map(({ path, secret }): [YamlPath, Secret] => [path, secret])
  const places: [YamlPath, Secret | null | undefined][] = [
    [['explorer', 'auth', 'key'], auth?.key],
    [['explorer', 'auth', 'secret'], auth?.secret],
    [['explorer', 'auth', 'passphrase'], auth?.passphrase],
    [['http', 'token'], config.http?.token],
    [['http', 'readToken'], config.http?.readToken],
    ...ofChannels,
  ]
  return places.flatMap(([path, secret]) => {
    const length = secret?.reveal().length ?? 0
    if (length === 0 || length >= shortestCovered) return []
    const message = `\`${path.join('.')}\` is shorter than ${shortestCovered} characters: it cannot be distinguished from other text, and is not masked in logs`
    return [problemAt(context.doc, path, message)]
  })
}

interface ChannelSecret {
  readonly type: ParsedConfig['channels'][string]['type']
  readonly path: YamlPath
  readonly secret: Secret
  readonly isAddress: boolean
}

/** Whatever of the channels' settings is never shown. */
function listChannelSecrets({ channels }: ParsedConfig): ChannelSecret[] {
  return Object.entries(channels).flatMap(([name, channel]) =>
    Object.entries(channel).flatMap(([key, secret]: [string, unknown]) =>
      secret instanceof Secret
        ? [{ type: channel.type, path: ['channels', name, key], secret, isAddress: addressNames.has(key) }]
        : [],
    ),
  )
}

const addressNames = new Set(['url', 'smtp'])

/** Whether whoever knows a channel's address may post to it: the address is all that is asked for. */
function isKeyItself(type: ChannelSecret['type']): boolean {
  return type === 'slack' || type === 'teams' || type === 'discord'
}

function holdsCredentials(secret: Secret): boolean {
  const url = new URL(secret.reveal())
  return url.password !== '' || url.search !== ''
}

function warnOfPlainHttp(context: CheckContext, config: ParsedConfig): YamlProblem[] {
  const channels = listChannelSecrets(config)
    .filter(({ path }) => path.at(-1) === 'url')
    .map(({ path, secret }): [YamlPath, Secret] => [path, secret])
  const places: [YamlPath, string | Secret | undefined][] = [
    ...listUrls(['explorer', 'baseUrl'], config.explorer.baseUrl),
    ...listUrls(['preconf', 'url'], config.preconf?.url),
    ...listUrls(['canonical', 'url'], config.canonical?.url),
    ...listUrls(['zoneRpc', 'url'], config.zoneRpc?.url),
    [['heartbeat', 'url'], config.heartbeat?.url],
    ...channels,
  ]
  return places.flatMap(([path, value]) => {
    if (value === undefined) return []
    const url = new URL(value instanceof Secret ? value.reveal() : value)
    if (url.protocol !== 'http:' || isLoopback(url.hostname)) return []
    const message = `\`${path.join('.')}\` is plain http to another machine: everybody between can read and change it`
    return [problemAt(context.doc, path, message)]
  })
}

type Url = string | Secret

/** Every address of a seat, with its place. */
function listUrls(
  path: YamlPath,
  listed: Url | readonly (Url | { readonly url: Url })[] | undefined,
): [YamlPath, Url][] {
  if (listed === undefined) return []
  if (typeof listed === 'string' || listed instanceof Secret) return [[path, listed]]
  return listed.map((entry, at) =>
    typeof entry === 'string' || entry instanceof Secret
      ? [[...path, at], entry]
      : [[...path, at, 'url'], entry.url],
  )
}

function warnOfRoutes(context: CheckContext, config: ParsedConfig): YamlProblem[] {
  const { routes } = config
  const used = new Set(
    routes.flatMap((route) => [...route.channels, ...route.escalate.flatMap((step) => step.channels)]),
  )
  for (const report of Object.values(config.reports)) if (report) used.add(report.channel)
  const unused = routes.length === 0 ? [] : Object.keys(config.channels).filter((name) => !used.has(name))
  const warnings = unused.map((name) =>
    problemAt(context.doc, ['channels', name], `no route leads to the channel \`${name}\``, 'key'),
  )
  warnings.push(...warnOfRepeats(context, config))
  const open = routes.findIndex((route) => route.match === null && !route.continue)
  if (routes.length > 0 && !routes.some((route) => route.match === null)) {
    const message = 'alerts that match no route go to nobody: end with a route without `match`'
    warnings.push(problemAt(context.doc, ['routes'], message, 'key'))
  }
  if (open !== -1 && open < routes.length - 1) {
    const message = `never reached: \`routes[${open}]\` takes everything; give it \`continue: true\` or a \`match\``
    warnings.push(problemAt(context.doc, ['routes', open + 1], message))
  }
  return warnings
}

/** Reminders are looked for when a group may speak: what is written is rounded up to that. */
function warnOfRepeats(context: CheckContext, { routes }: ParsedConfig): YamlProblem[] {
  return routes.flatMap(({ repeat, repeatMax, groupInterval }, index) =>
    [
      { name: 'repeat', ms: repeat },
      { name: 'repeatMax', ms: repeatMax ?? 0 },
    ].flatMap(({ name, ms }) => {
      if (ms % groupInterval === 0) return []
      const rounded = formatDuration(Math.ceil(ms / groupInterval) * groupInterval)
      const message = `\`${name}\` is no multiple of groupInterval: it is taken as ${rounded}`
      return [problemAt(context.doc, ['routes', index, name], message)]
    }),
  )
}

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare === '::1' || (isIPv4(bare) && bare.startsWith('127.'))
}
