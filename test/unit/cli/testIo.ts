import { createOutput, type Io } from '../../../src/cli/io.ts'
import { runCommandLine } from '../../../src/cli/program.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'

export interface CommandResult {
  readonly exitCode: number
  readonly out: string
  readonly err: string
}

/** Runs one command line without a process. */
export async function runCommand(
  argv: readonly string[],
  surroundings: Partial<Pick<Io, 'env' | 'clock' | 'ask' | 'stop' | 'onReload' | 'screen' | 'errScreen'>> & {
    readonly onOut?: (text: string) => void
    readonly onErr?: (text: string) => void
  } = {},
): Promise<CommandResult> {
  const written = { out: '', err: '' }
  const output = createOutput({
    out: (text) => {
      written.out += text
      surroundings.onOut?.(text)
    },
    err: (text) => {
      written.err += text
      surroundings.onErr?.(text)
    },
  })
  const exitCode = await runCommandLine(
    {
      ...output,
      env: surroundings.env ?? {},
      clock: surroundings.clock ?? createSystemClock(),
      random: () => 0.5,
      ask: surroundings.ask ?? null,
      screen: surroundings.screen ?? null,
      errScreen: surroundings.errScreen ?? null,
      stop: surroundings.stop ?? new AbortController().signal,
      onReload: surroundings.onReload ?? (() => () => undefined),
    },
    argv,
  )
  return { exitCode, ...written }
}
