import type { Config } from '../config/config.ts'
import { MonitorError } from '../lib/errors.ts'
import { renderProblems } from '../lib/renderProblems.ts'
import { readRules } from '../rules/readRules.ts'
import { checkOnline } from './checkOnline.ts'
import { checkPredicates } from './checkPredicates.ts'
import { describeConfig } from './describeConfig.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'

export interface CheckCommand {
  readonly config: string
  readonly online?: boolean
}

/** `spanwatch check`: configuration, rules and texts; with `--online` also sources and channels. */
export async function check(io: Io, options: CheckCommand): Promise<number> {
  const { config, doc, warnings } = readConfig(io, options.config)
  const predicates = checkPredicates(doc, config)
  const rules = await readRules(config.rulesDir)
  const problems = [...predicates, ...(rules.ok ? [] : rules.problems)]
  if (problems.length > 0 || !rules.ok) throw new MonitorError('config.invalid', renderProblems(problems))
  io.out(describeConfig(config, rules.rules))
  if (warnings !== '') io.out(`\nwarnings\n${warnings}\n`)
  if (options.online) return await reportOnline(io, config)
  io.out('\nThe configuration is fine.\n')
  return exitCodes.fine
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
