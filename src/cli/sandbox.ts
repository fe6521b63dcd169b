import { createScaledClock } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { createSandbox, type Sandbox } from '../sandbox/createSandbox.ts'
import { loadScenario } from '../sandbox/scenario.ts'
import { exitCodes, type Io } from './io.ts'

export interface SandboxCommand {
  readonly port: string
  readonly scenario: string
  readonly seed?: string
  readonly speed?: string
}

/** `spanwatch sandbox`: the simulated explorer API and RPC alone, until a signal stops it. */
export async function sandbox(
  io: Pick<Io, 'clock' | 'out' | 'stop'>,
  options: SandboxCommand,
): Promise<number> {
  const port = readPort(options.port)
  const { seed } = options
  const speed = readSpeed(options.speed ?? '1')
  const scenario = await loadScenario(options.scenario)
  const served = createSandbox({
    clock: speed === 1 ? io.clock : createScaledClock(speed),
    scenario,
    port,
    ...(seed !== undefined && { seed: readSeed(seed) }),
  })
  try {
    await served.start()
  } catch (error) {
    throw new MonitorError('usage', `--port: the sandbox cannot listen on ${port}: ${errorText(error)}`)
  }
  io.out(describe(served))
  await untilStopped(io.stop)
  await served.stop()
  return exitCodes.fine
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new MonitorError('usage', `--port: expected a port from 0 to 65535, got "${text}"`)
}

function readSpeed(text: string): number {
  const speed = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (speed >= 0.1 && speed <= 10_000) return speed
  throw new MonitorError('usage', `--speed: expected a number from 0.1 to 10000, got "${text}"`)
}

/** The demo takes numbers: the same number has to give the same world here. */
function readSeed(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text
}

function describe(sandbox: Sandbox): string {
  return `spanwatch sandbox, scenario "${sandbox.scenario.name}": ${sandbox.scenario.description.trim()}

  explorer API   ${sandbox.url}
  RPC            ${sandbox.rpcUrl}
  second source  ${sandbox.canonicalUrl}

To watch it, put this into spanwatch.yaml:

  explorer: { baseUrl: "${sandbox.url}", chains: { main: MAINCHAIN, zone: ZONE_CHAIN } }
  preconf: { url: "${sandbox.rpcUrl}" }
  canonical: { url: "${sandbox.canonicalUrl}" }
  bridge: { contracts: [ "${sandbox.world.contracts.bridge}" ] }

Ctrl-C ends it.
`
}

function untilStopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })
}
