import { kinds } from '../checks/index.ts'
import type { Config } from '../config/config.ts'
import { listUnwatched } from '../config/listUnwatched.ts'
import { addUntold } from '../rules/addUntold.ts'
import type { LoadedRule } from '../rules/types.ts'
import { checkChannel } from './checkChannel.ts'
import { checkExplorer } from './checkExplorer.ts'
import { checkRpc, type OnlineResult } from './checkRpc.ts'
import { describeConfig } from './describeConfig.ts'
import { exitCodes, type Io } from './io.ts'
import { loadProject } from './loadProject.ts'

export interface CheckCommand {
  readonly config: string
  readonly online?: boolean
}

/** `spanwatch check`: configuration, rules and texts; with `--online` also sources and channels. */
export async function check(io: Io, options: CheckCommand): Promise<number> {
  const { config, rules, warnings } = await loadProject(io, options.config)
  io.out(describeConfig(config, rules))
  io.out(describeUnwatched(config, rules))
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

async function reportOnline(io: Io, config: Config): Promise<number> {
  const results = await checkOnline(io, config)
  io.out('\nonline\n')
  for (const { what, verdict, says, remedy } of results) {
    io.out(`  ${verdict.padEnd(7)} ${what}: ${says}\n${remedy === null ? '' : `          ${remedy}\n`}`)
  }
  const count = (wanted: string) => results.filter(({ verdict }) => verdict === wanted).length
  if (count('failed') > 0) return exitCodes.unreachable
  const rest =
    count('unsure') === 0 ? 'all answer.' : `none failed, but ${count('unsure')} could not be judged.`
  io.out(`\nThe configuration is fine; of sources and channels ${rest}\n`)
  return exitCodes.fine
}

/** Asks every source and reaches for every channel; nothing that anybody would see is sent. */
async function checkOnline(io: Pick<Io, 'clock' | 'stop'>, config: Config): Promise<readonly OnlineResult[]> {
  const results = await Promise.all([
    checkExplorer(io, config.explorer, config.bridge.contracts),
    ...(config.preconf ? [checkRpc(io, 'preconf', config.preconf.url)] : []),
    ...(config.canonical ? [checkRpc(io, 'canonical', config.canonical.url)] : []),
    ...config.channels.map((channel) => checkChannel(channel)),
  ])
  return results.flat()
}
