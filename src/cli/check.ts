import { existsSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { proposeZoneTokens } from '../checks/escrow/supply/proposeZoneTokens.ts'
import { kinds } from '../checks/index.ts'
import type { ChannelSettings, Config } from '../config/config.ts'
import { listUnwatched } from '../config/listUnwatched.ts'
import { verifyEmail } from '../delivery/channels/email.ts'
import { isTlsCode } from '../lib/isTlsCode.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { createScrubber, type Secret } from '../lib/secret.ts'
import { addUntold } from '../rules/addUntold.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { RpcSource } from '../clients/rpc/createRpc.ts'
import { checkExplorer } from './checkExplorer.ts'
import { checkReplicas } from './checkReplicas.ts'
import { checkRpc } from './checkRpc.ts'
import { checkSlackApp } from './checkSlackApp.ts'
import { exitCodes, type Io } from './io.ts'
import { ledgerPath } from '../store/openState.ts'
import { loadProject } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { formatResult, type OnlineResult } from './onlineResult.ts'
import { formatDuration } from '../lib/duration.ts'

export interface CheckCommand {
  readonly config: string
  readonly online?: boolean
}

const timeoutMs = 10_000

/** `spanwatch check`: configuration, rules and texts; with `--online` also sources and channels. */
export async function check(io: Io, options: CheckCommand): Promise<number> {
  const { config, rules, warnings } = await loadProject(io, options.config)
  io.out(describeConfig(config, rules))
  io.out(describeUnwatched(config, rules))
  io.out(proposeSettings(config))
  if (warnings !== '') io.out(`\nwarnings\n${warnings}\n`)
  if (options.online) return await reportOnline(io, config)
  io.out('\nThe configuration is fine.\n')
  return exitCodes.fine
}

/** What this configuration leaves out, and what to write to have it. */
function describeUnwatched(config: Config, rules: readonly LoadedRule[]): string {
  const rows = addUntold(rules, listUnwatched(config, kinds.all), kinds).map(
    ({ setting, what, write }) => `  ${setting}: ${what}\n    ${write}\n`,
  )
  return rows.length === 0 ? '' : `\nnot watched, and what to write\n${rows.join('')}`
}

/** Newest deposits that are looked at of each token. */
const depositsLooked = 100

/** What the ledger's matched deposits say that the configuration could: to be confirmed by whoever writes it. */
function proposeSettings(config: Config): string {
  const tokens = config.bridge.tokens.filter(({ zoneAddress }) => zoneAddress === undefined)
  const opened = tokens.length === 0 ? null : openReadable(config)
  if (opened === null) return ''
  try {
    const deposits = tokens.flatMap(({ address }) =>
      opened.ledger.listTransfers({
        token: address,
        direction: 'MainToZone',
        state: 'completed',
        limit: depositsLooked,
      }),
    )
    const rows = proposeZoneTokens(deposits).map(
      ({ token, zoneAddress, agree, deposits: count }) =>
        `  ${token}: ${agree} of ${count} matched deposits were credited by ${zoneAddress}\n    zoneAddress: "${zoneAddress}"\n`,
    )
    return rows.length === 0
      ? ''
      : `\nfound in the ledger; write it under its token of bridge.tokens once you have checked it\n${rows.join('')}`
  } finally {
    opened.db.close()
  }
}

/** Null before a first start, and of a ledger that only a daemon could read: neither is a mistake in the configuration. */
function openReadable(config: Config): ReturnType<typeof openLedger> | null {
  if (!existsSync(ledgerPath(config.stateDir))) return null
  try {
    return openLedger(config)
  } catch (error) {
    if (error instanceof MonitorError && error.code === 'state.invalid') return null
    throw error
  }
}

async function reportOnline(io: Io, config: Config): Promise<number> {
  const results = await checkOnline(io, config)
  io.out('\nonline\n')
  for (const result of results) io.out(formatResult(result))
  const count = (wanted: string) => results.filter(({ verdict }) => verdict === wanted).length
  if (count('failed') > 0) return exitCodes.unreachable
  const rest =
    count('unsure') === 0 ? 'all answer.' : `none failed, but ${count('unsure')} could not be judged.`
  io.out(`\nThe configuration is fine; of sources and channels ${rest}\n`)
  return exitCodes.fine
}

/** Asks every source and reaches for every channel; nothing that anybody would see is sent. */
async function checkOnline(io: Pick<Io, 'clock' | 'stop'>, config: Config): Promise<readonly OnlineResult[]> {
  const { name, others, ...settings } = config.explorer
  const explorers = [{ name, url: settings.baseUrl }, ...others].map(async (one) => {
    const checked = await checkExplorer(io, { ...settings, baseUrl: one.url }, config.bridge.contracts)
    const isOnly = others.length === 0
    const results = checked.results.map((result) =>
      isOnly ? result : { ...result, what: `${result.what} of ${one.name}` },
    )
    return { ...checked, results }
  })
  const node = async (source: RpcSource, chain: 'main' | 'zone') => {
    const seat = config[source]
    const shown = (await explorers[0])?.shown[chain] ?? null
    const urls = seat === null ? [] : [seat.url, ...(seat.others ?? []).map(({ url }) => url)]
    return (await Promise.all(urls.map((url) => checkRpc(io, source, url, shown)))).flat()
  }
  const results = await Promise.all([
    ...explorers.map(async (explorer) => (await explorer).results),
    node('preconf', 'main'),
    node('canonical', 'main'),
    node('zoneRpc', 'zone'),
    ...(config.replicas === null ? [] : [checkReplicas(config.replicas).then((result) => [result])]),
    ...config.channels.map((channel) => checkChannel(io, channel)),
  ])
  return results.flat()
}

/**
 * Whether a channel can be reached, without a message that anybody would see: a mail server is greeted and logged in
 * to; of a webhook only the connection is tried, because every request to it would be a message.
 */
export async function checkChannel(
  io: Pick<Io, 'clock' | 'stop'>,
  channel: ChannelSettings,
): Promise<OnlineResult[]> {
  switch (channel.type) {
    case 'console':
      return []
    case 'email':
      return [await checkMail(channel)]
    case 'slack-app':
      return [await checkSlackApp(io, channel)]
    case 'slack':
    case 'webhook':
    case 'pagerduty':
    case 'alertmanager':
    case 'teams':
    case 'discord':
    case 'telegram':
      return [await checkWebhook(channel.name, channel.url)]
  }
}

async function checkMail(channel: Extract<ChannelSettings, { type: 'email' }>): Promise<OnlineResult> {
  const what = `channel ${channel.name}, mail server ${hostOf(channel.smtp.reveal())}`
  try {
    await verifyEmail({}, channel)
    return { what, verdict: 'ok', says: 'greeted and logged in', remedy: null }
  } catch (error) {
    const says = createScrubber([channel.smtp])(errorText(error))
    const isRefused = codeOf(error) === 'EAUTH'
    const remedy = isRefused
      ? `The mail server refused the login: check user and password in channels.${channel.name}.smtp.`
      : `Check host and port in channels.${channel.name}.smtp; TLS is required unless the server is this machine and needs no login.`
    return { what, verdict: 'failed', says, remedy }
  }
}

async function checkWebhook(name: string, url: Secret): Promise<OnlineResult> {
  const { protocol, hostname, port, host } = new URL(url.reveal())
  const what = `channel ${name}, ${host}`
  const isTls = protocol === 'https:'
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (isTls ? 443 : 80)) }
  try {
    await connectOnce(
      () =>
        isTls
          ? connectTls({
              ...address,
              ...(/^[\d.]+$|:/.test(address.host) ? {} : { servername: address.host }),
            })
          : connectTcp(address),
      isTls ? 'secureConnect' : 'connect',
    )
    return {
      what,
      verdict: 'ok',
      says: 'can be reached; whether it takes messages shows with the first one',
      remedy: null,
    }
  } catch (error) {
    const remedy = isTlsCode(codeOf(error))
      ? 'Its certificate is not trusted here: check the address and the certificates of this machine.'
      : `Check channels.${name}.url, name resolution, and whether a firewall or proxy stands between.`
    return { what, verdict: 'failed', says: `no connection (${codeOf(error) || errorText(error)})`, remedy }
  }
}

function connectOnce(open: () => Socket, ready: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = open()
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`nothing within ${timeoutMs / 1_000} s`)))
    socket.once('error', reject)
    socket.once(ready, () => {
      socket.destroy()
      resolve()
    })
  })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** What a configuration means, for somebody who wants to see that it is what was meant. No secret in it. */
function describeConfig(config: Config, rules: readonly LoadedRule[]): string {
  const { explorer, http } = config
  const signed = explorer.auth === null ? 'without access headers' : `signed (${explorer.auth.signer})`
  const rows: readonly (readonly [string, string])[] = [
    [
      'explorer',
      `${explorer.baseUrl}, chains ${explorer.chains.main} and ${explorer.chains.zone}, ${signed}`,
    ],
    [
      'pace',
      `at most ${explorer.pace.maxRequestsPerSecond} requests a second, ${explorer.pace.concurrency} at a time`,
    ],
    [
      'polls',
      `transfers ${config.poll.transfers}, open transfers ${config.poll.openTransfers}, heads ${config.poll.heads}`,
    ],
    ['start', describeStart(config.start.from)],
    ['state', config.stateDir],
    ...(config.replicas === null ? [] : [['replicas', describeReplicas(config.replicas)] as const]),
    [
      'rules',
      `${rules.length} from ${config.rulesDir}, for ${new Set(rules.map(({ kind }) => kind)).size} kinds`,
    ],
    ...config.channels.map((channel) => ['channel', describeChannel(channel)] as const),
    ...describeRoutes(config),
    [
      'page',
      http === null
        ? 'none'
        : `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}/`,
    ],
  ]
  return rows.map(([name, text]) => `${name.padEnd(10)} ${text}\n`).join('')
}

function describeReplicas({ bridge, node, database }: NonNullable<Config['replicas']>): string {
  return `node ${node} of ${bridge}, by way of PostgreSQL at ${hostOf(database.reveal())}`
}

function describeStart(from: Config['start']['from']): string {
  switch (from.kind) {
    case 'now':
      return 'what happens from now on, and the time that the sweep reads back'
    case 'genesis':
      return 'the whole history'
    case 'ago':
      return `the last ${formatDuration(from.ms)}`
    case 'height':
      return `${from.chain} block ${from.height}`
  }
}

function describeChannel(channel: ChannelSettings): string {
  switch (channel.type) {
    case 'console':
      return `${channel.name}: console`
    case 'email':
      return `${channel.name}: email over ${hostOf(channel.smtp.reveal())} to ${channel.to.join(', ')}`
    case 'slack-app': {
      const buttons = channel.appToken === undefined ? 'without buttons' : 'with buttons'
      return `${channel.name}: slack-app in ${channel.channel} at ${hostOf(channel.url.reveal())}, ${buttons}`
    }
    case 'slack':
    case 'webhook':
    case 'pagerduty':
    case 'alertmanager':
    case 'teams':
    case 'discord':
    case 'telegram':
      return `${channel.name}: ${channel.type} at ${hostOf(channel.url.reveal())}`
  }
}

/** Of an address that is a secret only the host may be said. */
function hostOf(address: string): string {
  return new URL(address).host
}

function describeRoutes(config: Config): (readonly [string, string])[] {
  if (config.routes.length === 0)
    return [['route', `everything to ${config.channels.map(({ name }) => name).join(', ')}`]]
  return config.routes.map((route) => {
    const what = route.match ?? 'everything'
    const further = route.escalate.map(
      ({ afterMs, channels }) => `; untaken after ${formatDuration(afterMs)} to ${channels.join(', ')}`,
    )
    const times = `every ${formatDuration(route.groupIntervalMs)}, again after ${formatDuration(route.repeatMs)}`
    return [
      'route',
      `${what} to ${route.channels.join(', ')}, by ${route.groupBy.join(' and ') || 'nothing'}, ${times}${further.join('')}`,
    ]
  })
}
