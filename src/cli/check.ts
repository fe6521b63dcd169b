import { existsSync } from 'node:fs'
import { proposeZoneTokens } from '../checks/escrow/supply/proposeZoneTokens.ts'
import { kinds } from '../checks/index.ts'
import type { Config } from '../config/config.ts'
import { listUnwatched } from '../config/listUnwatched.ts'
import { MonitorError } from '../lib/errors.ts'
import { addUntold } from '../rules/addUntold.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { RpcSource } from '../clients/rpc/createRpc.ts'
import { checkChannel } from './checkChannel.ts'
import { checkExplorer } from './checkExplorer.ts'
import { checkReplicas } from './checkReplicas.ts'
import { checkRpc } from './checkRpc.ts'
import { describeConfig } from './describeConfig.ts'
import { exitCodes, type Io } from './io.ts'
import { ledgerPath } from '../store/state.ts'
import { loadProject } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { formatResult, type OnlineResult } from './onlineResult.ts'

export interface CheckCommand {
  readonly config: string
  readonly online?: boolean
}

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
