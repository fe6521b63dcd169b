import type { Config } from '../config/config.ts'
import { MonitorError } from '../lib/errors.ts'
import {
  problemInside,
  renderProblems,
  type YamlDoc,
  type YamlPath,
  type YamlProblem,
} from '../lib/yamlProblems.ts'
import { compileLabelPredicate } from '../rules/cel/compileLabelPredicate.ts'
import { readRuleFolder } from '../rules/readRuleFolder.ts'
import { formatProblem } from '../rules/sourceProblem.ts'
import { checkOnline } from './checkOnline.ts'
import { describeConfig } from './describeConfig.ts'
import { exitCodes } from './exitCodes.ts'
import type { CliIo } from './io.ts'
import { configOption, loadForCommand } from './loadForCommand.ts'
import type { AddCommand } from './run.ts'

/** `spanwatch check` */
export const addCheck: AddCommand = (program, io, done) => {
  program
    .command('check')
    .description('check configuration, rules and templates; with --online also sources and channels')
    .option(...configOption)
    .option('--online', 'ask every source, and see whether every channel can be reached; posts nothing')
    .action(async (flags: { readonly config: string; readonly online?: true }) => {
      done(await check(io, flags.config, flags.online ?? false))
    })
}

async function check(io: CliIo, path: string, isOnline: boolean): Promise<number> {
  const { config, doc, warnings } = loadForCommand(io, path)
  const predicates = checkPredicates(doc, config)
  const rules = await readRuleFolder(config.rulesDir)
  const problems = [
    ...(predicates.length > 0 ? [renderProblems(predicates)] : []),
    ...(rules.ok ? [] : rules.problems.map(formatProblem)),
  ]
  if (problems.length > 0 || !rules.ok) {
    throw new MonitorError('config.invalid', `the configuration cannot be used:\n${problems.join('\n')}`)
  }
  io.out(describeConfig(config, rules.rules))
  if (warnings.length > 0) io.out(`\nwarnings\n${renderProblems(warnings)}\n`)
  if (isOnline) {
    const results = await checkOnline(io, config)
    io.out('\nonline\n')
    for (const { what, verdict, says, remedy } of results) {
      io.out(`  ${verdict.padEnd(7)} ${what}: ${says}\n${remedy === null ? '' : `          ${remedy}\n`}`)
    }
    if (results.some(({ verdict }) => verdict === 'failed')) return exitCodes.unreachable
  }
  io.out(`\n${isOnline ? 'Configuration, sources and channels are' : 'The configuration is'} fine.\n`)
  return exitCodes.fine
}

/** The expressions of routes and inhibitions, each problem at its place inside the text. */
function checkPredicates(doc: YamlDoc, config: Config): YamlProblem[] {
  const routes = config.routes.map(({ match }, index) => [['routes', index, 'match'], match] as const)
  const inhibitions = config.inhibit.flatMap(({ source, target }, index) => [
    [['inhibit', index, 'source'], source] as const,
    [['inhibit', index, 'target'], target] as const,
  ])
  return [...routes, ...inhibitions].flatMap(([path, text]: readonly [YamlPath, string | null]) => {
    if (text === null) return []
    const compiled = compileLabelPredicate(text)
    if (compiled.ok) return []
    return [problemInside(doc, path, compiled.problem.offset, compiled.problem.message)]
  })
}
