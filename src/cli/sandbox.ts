import { InvalidArgumentError } from 'commander'
import { createScaledClock } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { createSandbox, type Sandbox } from '../sandbox/createSandbox.ts'
import { listScenarios, loadScenario } from '../sandbox/scenario.ts'
import { exitCodes } from './exitCodes.ts'
import type { CliIo } from './io.ts'
import type { AddCommand } from './run.ts'

interface SandboxFlags {
  readonly port: number
  readonly scenario: string
  readonly speed: number
  readonly seed?: string
  readonly list?: true
}

/** `spanwatch sandbox`: the simulated explorer API and RPC alone. */
export const addSandbox: AddCommand = (program, io, done) => {
  program
    .command('sandbox')
    .description('serve a simulated bridge: explorer API and RPC, until it is stopped')
    .option('--port <number>', 'port on 127.0.0.1; 0 takes a free one', toPort, 8545)
    .option('--scenario <name>', 'a shipped scenario, or the path of a file', 'default')
    .option('--speed <factor>', 'how many times as fast as real time it lives', toFactor, 1)
    .option('--seed <seed>', 'another world of the same kind')
    .option('--list', 'list the shipped scenarios and end')
    .action(async (flags: SandboxFlags) => {
      if (flags.list) io.out(await describeScenarios())
      else await serve(io, flags)
      done(exitCodes.fine)
    })
}

async function describeScenarios(): Promise<string> {
  const scenarios = await listScenarios()
  return scenarios.map(({ name, description }) => `${name.padEnd(24)} ${description.trim()}\n`).join('')
}

async function serve(io: CliIo, flags: SandboxFlags): Promise<void> {
  const scenario = await loadScenario(flags.scenario)
  const clock = flags.speed === 1 ? io.clock : createScaledClock(flags.speed)
  const sandbox = createSandbox({
    clock,
    scenario,
    port: flags.port,
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
  })
  try {
    await sandbox.start()
  } catch (error) {
    throw new MonitorError('usage', `the sandbox cannot listen on port ${flags.port}: ${errorText(error)}`)
  }
  io.out(describe(sandbox))
  await untilStopped(io.stop)
  await sandbox.stop()
}

function describe(sandbox: Sandbox): string {
  return `sandbox, scenario "${sandbox.scenario.name}"

  explorer API   ${sandbox.url}
  RPC            ${sandbox.rpcUrl}
  second source  ${sandbox.canonicalUrl}

To watch it, put this into spanwatch.yaml:

  explorer: { baseUrl: "${sandbox.url}", chains: { main: MAINCHAIN, zone: ZONE_CHAIN } }

Ctrl-C ends it.
`
}

function untilStopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })
}

function toPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('Expected a port from 0 to 65535.')
}

function toFactor(text: string): number {
  const factor = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && factor > 0 && factor <= 10_000) return factor
  throw new InvalidArgumentError('Expected a number above 0, at most 10000.')
}
