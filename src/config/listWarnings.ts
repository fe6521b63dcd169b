import { DateTime } from 'luxon'
import { isLoopback, listUrls } from './addresses.ts'
import { type CheckContext, likeThese, listShortTokens } from './checkConfig.ts'
import { readPrices } from './priceFile.ts'
import type { ParsedConfig } from './schema.ts'
import { formatDuration } from '../lib/duration.ts'
import { nextDueIn } from '../lib/nextDueIn.ts'
import { nameOf, valueAt } from '../lib/schemaProblems.ts'
import { Secret, shortestCovered, shortestToken } from '../lib/secret.ts'
import { problemAt, type YamlPath, type YamlProblem } from '../lib/yamlProblems.ts'
import { warnOfOneSource, warnOfTokenAsEscrow } from './warnOfMixUps.ts'
import { warnOfPolls, warnOfQuietRoutes } from './warnOfTimes.ts'

/** What works but should not stay so. */
export function listWarnings(context: CheckContext, config: ParsedConfig): YamlProblem[] {
  return [
    ...warnOfLiterals(context, config),
    ...warnOfShortSecrets(context, config),
    ...warnOfShortTokens(context, config),
    ...warnOfPlainHttp(context, config),
    ...warnOfPolls(context, config),
    ...warnOfRoutes(context, config),
    ...warnOfQuietRoutes(context, config),
    ...warnOfReports(context, config),
    ...warnOfCanary(context, config),
    ...warnOfSymbols(context, config),
    ...warnOfPrices(context, config),
    ...warnOfOneSource(context, config),
    ...warnOfTokenAsEscrow(context, config),
  ]
}

/** Others write that file, now and later: what is wrong with it keeps nobody from watching. */
function warnOfPrices({ doc, pricesPath }: CheckContext, { bridge }: ParsedConfig): YamlProblem[] {
  const problem = bridge.prices === undefined || pricesPath === null ? null : readPrices(pricesPath).problem
  return problem === null ? [] : [problemAt(doc, ['bridge', 'prices'], problem)]
}

/** Messages, pages and reports name a token by its symbol alone. */
function warnOfSymbols(context: CheckContext, { bridge: { tokens } }: ParsedConfig): YamlProblem[] {
  return tokens.flatMap(({ symbol }, index) => {
    const first = tokens.findIndex((one) => one.symbol.toLowerCase() === symbol.toLowerCase())
    if (first === index) return []
    const message = `\`bridge.tokens[${first}]\` is called ${symbol} as well: messages and reports do not tell the two apart`
    return [problemAt(context.doc, ['bridge', 'tokens', index, 'symbol'], message)]
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
    const message = `\`${nameOf(path)}\` is plain http to another machine: everybody between can read and change it`
    return [problemAt(context.doc, path, message)]
  })
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

const periods = { daily: 'day', weekly: 'week', monthly: 'month' } as const

/** A report is made once for each of its periods, however often its cron comes due. */
function warnOfReports(context: CheckContext, { reports }: ParsedConfig): YamlProblem[] {
  return (['daily', 'weekly', 'monthly'] as const).flatMap((name) => {
    const settings = reports[name]
    const period = periods[name]
    if (settings === null) return []
    const startOf = (at: number) => DateTime.fromMillis(at, { zone: settings.timezone }).startOf(period)
    const starts = listDue(settings).map((at) => startOf(at).toMillis())
    if (new Set(starts).size === starts.length) return []
    const message = `\`reports.${name}.cron\` comes due more than once a ${period}: the report of a ${period} is sent once, at the first of these times after its end`
    return [problemAt(context.doc, ['reports', name, 'cron'], message)]
  })
}

const hourMs = 3_600_000

/** Each time a message goes down each channel, whether anything happened or not. */
function warnOfCanary(context: CheckContext, { canary }: ParsedConfig): YamlProblem[] {
  if (canary === null) return []
  const times = listDue(canary)
  const least = Math.min(
    ...times.flatMap((at, index) => (index === 0 ? [] : [at - (times[index - 1] ?? at)])),
  )
  if (least >= hourMs) return []
  const message = `\`canary.cron\` comes due every ${formatDuration(least)}: each time a test message goes to each channel`
  return [problemAt(context.doc, ['canary', 'cron'], message)]
}

/** So many times one after another show how close they lie. */
const looked = 10

/** From a Monday that begins a month, by the time zone's own clock. */
function listDue(schedule: { readonly cron: string; readonly timezone: string }): number[] {
  const times = [nextDueIn(schedule, Date.UTC(2026, 5, 1))]
  while (times.length < looked) times.push(nextDueIn(schedule, times.at(-1) ?? 0))
  return times
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
