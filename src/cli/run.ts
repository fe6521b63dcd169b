import { Command, CommanderError } from 'commander'
import { errorText, MonitorError } from '../lib/errors.ts'
import { version } from '../lib/version.ts'
import { addCheck } from './check.ts'
import { exitCodeOfError, exitCodes } from './exitCodes.ts'
import type { CliIo } from './io.ts'
import { addSandbox } from './sandbox.ts'
import { addSchema } from './schema.ts'

/** Adds one command; its action hands its exit code to `done`. */
export type AddCommand = (program: Command, io: CliIo, done: (exitCode: number) => void) => void

/** Every command, in the order of `--help`. */
const commands: readonly AddCommand[] = [addCheck, addSandbox, addSchema]

/** Runs one command line (without node and script) and gives its exit code; ends no process. */
export async function run(argv: readonly string[], io: CliIo): Promise<number> {
  let exitCode: number = exitCodes.fine
  const program = createProgram(io, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    return report(io, error)
  }
}

function createProgram(io: CliIo, done: (exitCode: number) => void): Command {
  const program = new Command('spanwatch')
    .description(
      'Watches a cross-chain bridge and tells people when value left one chain and did not arrive.',
    )
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .showHelpAfterError()
    .exitOverride()
    .addHelpText('after', exitCodeHelp)
  for (const add of commands) add(program, io, done)
  return program
}

const exitCodeHelp = `
Exit codes: 0 fine, 1 a check found something wrong, 2 wrong usage or configuration,
3 a source or channel could not be reached, 75 another process holds the state folder.`

function report(io: CliIo, error: unknown): number {
  // Commander has said it already, help included.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage
  if (error instanceof MonitorError && error.code !== 'internal') {
    io.err(`spanwatch: ${error.message}\n`)
    return exitCodeOfError[error.code]
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : errorText(error)
  io.err(`spanwatch: this is a bug in spanwatch, please report it.\n${trace}\n`)
  return exitCodeOfError.internal
}
