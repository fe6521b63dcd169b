import { isLoopback, listUrls } from './addresses.ts'
import { suggest } from '../lib/nearest.ts'
import { valueAt } from '../lib/schemaProblems.ts'
import { Secret, shortestToken } from '../lib/secret.ts'
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

/** By these requests and records are of the one chain or of the other; in requests the main chain's is in lower case. */
function checkChains({ doc, placeholder }: CheckContext, { explorer }: ParsedConfig): YamlProblem[] {
  const { main, zone } = explorer.chains
  if (main.toLowerCase() !== zone.toLowerCase() || zone.includes(placeholder)) return []
  const message = `expected the name of the zone chain: ${main} is the main chain's`
  return [problemAt(doc, ['explorer', 'chains', 'zone'], message)]
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
    ...checkChains(context, config),
    ...checkTokens(context, config),
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

export const likeThese = 'such as those of `openssl rand -hex 16`'

/** Tokens that are known here and could be guessed. */
export function listShortTokens(context: CheckContext, http: NonNullable<ParsedConfig['http']>) {
  return tokenNames.filter((name) => {
    const secret = http[name]
    return secret !== null && isKnown(context, secret) && secret.reveal().length < shortestToken
  })
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
