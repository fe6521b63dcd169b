import { createScaledClock } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { createSandbox, type Sandbox } from '../sandbox/createSandbox.ts'
import type { DialectOptions } from '../sandbox/dialect.ts'
import { loadScenario } from '../sandbox/scenario.ts'
import { toWatchYaml } from '../sandbox/toWatchYaml.ts'
import { exitCodes, type Io } from './io.ts'
import { shown, usage } from './readOptions.ts'

export interface SandboxCommand {
  readonly port: string
  readonly scenario: string
  readonly seed?: string
  readonly speed?: string
  /** Asks for access headers. */
  readonly auth?: boolean
  readonly dialect?: string
  readonly chains?: string
}

/** What `--auth` asks for: nothing real, so that it can be printed. */
const access = { key: 'sandbox-key', secret: 'sandbox-secret', passphrase: 'sandbox-passphrase' }

/** `spanwatch sandbox`: the simulated explorer API and RPC alone, until a signal stops it. */
export async function sandbox(
  io: Pick<Io, 'clock' | 'out' | 'stop'>,
  options: SandboxCommand,
): Promise<number> {
  const port = readPort(options.port)
  const { seed } = options
  const speed = readSpeed(options.speed ?? '1')
  const dialect = { ...readDialect(options.dialect), ...readChains(options.chains) }
  const scenario = await loadScenario(options.scenario)
  const served = createSandbox({
    clock: speed === 1 ? io.clock : createScaledClock(speed),
    scenario,
    port,
    dialect,
    ...(options.auth && { auth: access }),
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

/** @example readDialect('alpha,beta,ACME') // paths and fields begin with alpha and beta, headers with ACME */
function readDialect(text: string | undefined): DialectOptions {
  if (text === undefined) return {}
  const [, main = '', zone = '', headerPrefix = 'SVC'] =
    /^([a-z][a-z0-9]{0,30}),([a-z][a-z0-9]{0,30})(?:,([A-Z][A-Z0-9-]{0,30}))?$/.exec(text) ?? []
  if (main === '' || main === zone)
    throw usage(
      `--dialect: expected two different words in small letters, and perhaps the beginning of the headers' names, such as alpha,beta,ACME, got ${shown(text)}`,
    )
  const words = { main, zone }
  return { path: words, field: words, direction: { main: capital(main), zone: capital(zone) }, headerPrefix }
}

function readChains(text: string | undefined): DialectOptions {
  if (text === undefined) return {}
  const [main = '', zone = '', ...more] = text.split(',')
  if ([main, zone].every((name) => /^[!-~]{1,60}$/.test(name)) && main !== zone && more.length === 0)
    return { chains: { main, zone } }
  throw usage(`--chains: expected two different names, such as MAINCHAIN,ZONE_CHAIN, got ${shown(text)}`)
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

/** A whole configuration: what is said beside it is comments, so that all of it can be written to a file. */
function describe(sandbox: Sandbox): string {
  const { name, description } = sandbox.scenario
  const about = `spanwatch sandbox, scenario "${name}": ${description.trim()}`
  return `${about.replaceAll(/^/gm, '# ')}
#
#   explorer API   ${sandbox.url}
#   RPC            ${sandbox.rpcUrl}
#   second source  ${sandbox.canonicalUrl}
#   of the zone    ${sandbox.zoneRpcUrl}
#
# To watch it, write all of this into spanwatch.yaml. Ctrl-C ends it.

${toWatchYaml(sandbox)}`
}

function untilStopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })
}
