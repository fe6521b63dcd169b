import { Command, CommanderError, Option } from 'commander'
import { MonitorError, type ErrorCode } from '../lib/errors.ts'
import { addInit } from './addInit.ts'
import { addOperating } from './addOperating.ts'
import { addReplicas } from './addReplicas.ts'
import { config, type Finish } from './commandOptions.ts'
import { readCommandTree } from './commandTree.ts'
import { shells, toCompletion } from './completion.ts'
import { toManual } from './manual.ts'
import { shown, usage } from './readOptions.ts'
import { exitCodes, type Io } from './io.ts'
import { describeEndpoints } from './query/queryParams.ts'
import { describeMethods } from './describeMethods.ts'
import { version } from '../lib/version.ts'
import { addLooking } from './addLooking.ts'

/** Runs one command line, without the program's name. Resolves to the exit code; throws only what is a bug, exits never. */
export async function runCommandLine(io: Io, argv: readonly string[]): Promise<number> {
  const result: { code: number } = { code: exitCodes.fine }
  const program = createProgram(io, (code) => {
    result.code = code
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return result.code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage
    if (!(error instanceof MonitorError)) throw error
    io.err(`${error.message}\n`)
    return exitCodeOf[error.code]
  }
}

function createProgram(io: Io, finish: Finish): Command {
  const program = new Command('spanwatch')
    .description(
      'Watches a cross-chain bridge and alerts people when money that left has not arrived, or arrived without having left.',
    )
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .showHelpAfterError('(spanwatch --help lists the commands)')
  addInit(program, io, finish)
  addDaemon(program, io, finish)
  addRules(program, io, finish)
  addRecords(program, io, finish)
  addLooking(program, io, finish)
  addOperating(program, io, finish)
  addReplicas(program, io, finish)
  addAsking(program, io, finish)
  addSandbox(program, io, finish)
  addHelp(program, io)
  return program
}

const logLevel = (level: string) =>
  new Option('--log-level <level>', 'what is logged')
    .choices(['debug', 'info', 'warn', 'error', 'silent'])
    .default(level)

function addDaemon(program: Command, io: Io, finish: Finish): void {
  program
    .command('run')
    .description('run the daemon')
    .addOption(config())
    .option('--reset-state', 'set the present state aside and begin anew')
    .option('--adopt-state', 'take a ledger that was written for other chains or contracts')
    .addOption(logLevel('info'))
    .action(async (options) => finish(await (await import('./run.ts')).run(io, options)))
  program
    .command('check')
    .description('check configuration, rules and texts')
    .addOption(config())
    .option('--online', 'ask every source and channel too; posts nothing')
    .action(async (options) => finish(await (await import('./check.ts')).check(io, options)))
  program
    .command('fleet')
    .description('one page and API over all bridges of a database of replicas')
    .option(
      '--database <url>',
      'where PostgreSQL is, or the quoted name of a variable, ${NAME}; before that of the file',
    )
    .option(
      '--listen <address>',
      'where the page listens; before that of the file, 127.0.0.1:8090 without one',
    )
    .option('-c, --config <file>', 'database, http, channels and daily in YAML')
    .addOption(logLevel('info'))
    .action(async (options) => finish(await (await import('./fleet.ts')).fleet(io, options)))
  program
    .command('backfill')
    .description('read the list back to a time, with progress; resumable')
    .addOption(config())
    .requiredOption('--from <time>', 'a duration such as 30d, an ISO time, or genesis')
    .action(async (options) => finish(await (await import('./backfill.ts')).backfill(io, options)))
}

/** Rules tried over the past, and in tests of their own. */
function addRules(program: Command, io: Io, finish: Finish): void {
  program
    .command('backtest')
    .description('the alerts that the rules would have raised over the history in the ledger')
    .addOption(config())
    .option('--rule <name>', 'this rule alone')
    .option('--since <time>', 'a duration back such as 30d, or an ISO time; all of it when left out')
    .option('--until <time>', 'as --since; now when left out')
    .option('--rules <folder>', 'compare with the rules of this folder')
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV, one line a rule and day')
    .action(async (options) => finish(await (await import('./backtest.ts')).backtest(io, options)))
  program
    .command('rules')
    .description('work on rules')
    .command('test')
    .description('run the unit tests of rules, in virtual time')
    .argument('[files...]', 'files of tests; every *.test.yaml of the folder of rules when left out')
    .option('-c, --config <file>', 'whose folder of rules; that of the shipped rules when left out')
    .addHelpText(
      'after',
      '\nExamples:\n  spanwatch rules test\n  spanwatch rules test my-rules/stalled.test.yaml\n',
    )
    .action(async (files: string[], options) =>
      finish(await (await import('./rulesTest.ts')).testRules(io, files, options)),
    )
}

function addRecords(program: Command, io: Io, finish: Finish): void {
  program
    .command('backup')
    .description('copy the ledger, whole, while the daemon runs')
    .addOption(config())
    .option('--to <file>', 'the copy; a dated file in the state folder when left out')
    .action(async (options) => finish(await (await import('./backup.ts')).backup(io, options)))
  program
    .command('report')
    .description("a day's reconciliation, from what the ledger knows now")
    .addOption(config())
    .option(
      '--date <date>',
      'a date such as 2026-03-08, a week such as 2026-W10 or a month such as 2026-03, in the report’s time zone; today, this-week, last-week, this-month, last-month',
      'yesterday',
    )
    .option('--out <folder>', 'write the mail, its charts and CSV files into a folder')
    .option('--send', 'send it to the channel of reports.daily')
    .option('--json', 'print JSON, amounts as decimal strings')
    .action(async (options) => finish(await (await import('./report.ts')).report(io, options)))
  program
    .command('schema')
    .description('print the JSON Schema of config, rules, rules-test or scenario')
    .argument('<name>', 'config, rules, rules-test or scenario')
    .action(async (name: string) => finish((await import('./schema.ts')).schema(io, name)))
}

function addAsking(program: Command, io: Io, finish: Finish): void {
  program
    .command('query')
    .description('ask the explorer API one question')
    .usage('<E1…E21 or name> [--param value…] [options]')
    .argument('<endpoint>', 'its number or name')
    .argument('[params...]', '--param value, as listed below')
    // The parameters are the endpoint's, and are checked by its schema.
    .allowUnknownOption()
    .addOption(config())
    .option('--all', 'read every page, and prove that nothing is missing')
    .option('--json', 'print JSON, amounts as decimal strings')
    .option('--csv', 'print CSV')
    .option('--resume <file>', 'with --all: go on where the read that wrote this file was stopped')
    .addHelpText('after', describeEndpoints)
    .action(async (name: string, words: string[], options) =>
      finish(await (await import('./query.ts')).query(io, name, words, options)),
    )
  program
    .command('rpc')
    .description('ask the preconfirmation RPC one question')
    .argument('<method>', 'with or without eth_')
    .argument('[params...]', 'in their order')
    .addOption(config())
    .option('--canonical', 'ask the node of the main chain instead')
    .option('--zone', 'ask the node of the zone chain instead')
    .addHelpText('after', describeMethods)
    .action(async (method: string, words: string[], options) =>
      finish(await (await import('./rpc.ts')).rpc(io, method, words, options)),
    )
}

function addSandbox(program: Command, io: Io, finish: Finish): void {
  const seed = () => new Option('--seed <n>', 'another world of the same kind')
  const scenario = () =>
    new Option('--scenario <name>', 'a shipped scenario, or a YAML file').default('default')
  program
    .command('demo')
    .description('the daemon against a simulated bridge, with inboxes that print what they get')
    .addOption(scenario())
    .option('--speed <n>', 'how many times as fast as real time', '1')
    .addOption(seed())
    .option('--for <duration>', 'end by itself after this long')
    .option('--listen <address>', 'where the status page listens', '127.0.0.1:0')
    .addOption(logLevel('error'))
    .action(async (options) => finish(await (await import('./demo.ts')).demo(io, options)))
  program
    .command('sandbox')
    .description('the simulated explorer API and RPC alone')
    .option('--port <n>', '0 takes a free one', '0')
    .option('--speed <n>', 'times as fast as real time', '1')
    .addOption(scenario())
    .addOption(seed())
    .option('--auth', 'ask for access headers')
    .option('--dialect <words>', 'other words in paths and fields, such as alpha,beta or alpha,beta,ACME')
    .option('--chains <names>', 'the only names of the chains that it knows', 'MAINCHAIN,ZONE_CHAIN')
    .addHelpText(
      'after',
      '\nIt prints a whole configuration that watches it.\n\nExamples:\n  spanwatch sandbox --port 8545 --scenario outage\n  spanwatch sandbox --auth --dialect alpha,beta,ACME\n',
    )
    .action(async (options) => finish(await (await import('./sandbox.ts')).sandbox(io, options)))
}

/** What is made from the commands themselves. */
function addHelp(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print the completion of commands and options for a shell')
    .argument('<shell>', shells.join(', '))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(spanwatch completion bash)\n  source <(spanwatch completion zsh)\n  spanwatch completion fish | source\n',
    )
    .action((name: string) => {
      const shell = shells.find((known) => known === name)
      if (shell === undefined) throw usage(`expected one of ${shells.join(', ')}, got ${shown(name)}`)
      io.out(toCompletion(readCommandTree(program), shell))
    })
  program
    .command('man')
    .description('print the manual page of all commands')
    .addHelpText('after', '\nExamples:\n  spanwatch man | man -l -\n')
    .action(() => io.out(toManual(readCommandTree(program), version)))
}

/** The exit code that each kind of failure ends a command with. */
export const exitCodeOf: Readonly<Record<ErrorCode, number>> = {
  'config.invalid': exitCodes.usage,
  usage: exitCodes.usage,
  'state.invalid': exitCodes.usage,
  'state.full': exitCodes.wrong,
  'state.locked': exitCodes.locked,
  'source.unreachable': exitCodes.unreachable,
  'source.throttled': exitCodes.unreachable,
  'source.rejected': exitCodes.unreachable,
  'source.invalid': exitCodes.unreachable,
  'source.refused': exitCodes.usage,
  'source.mismatched': exitCodes.unreachable,
  'source.empty': exitCodes.unreachable,
  'replica.follower': exitCodes.wrong,
  'replica.diverged': exitCodes.wrong,
  'replica.unreachable': exitCodes.unreachable,
  'replica.refused': exitCodes.usage,
  'replica.newer': exitCodes.usage,
  'replica.lost': exitCodes.wrong,
  'channel.failed': exitCodes.unreachable,
  not_found: exitCodes.wrong,
  internal: exitCodes.wrong,
}
