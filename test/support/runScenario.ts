import type { AppConfig } from '../../src/kernel/settings.ts'
import { createSystemClock } from '../../src/lib/clock.ts'
import { Secret } from '../../src/lib/secret.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/createSandbox.ts'
import type { DialectOptions } from '../../src/sandbox/dialect.ts'
import { loadScenario, parseScenario } from '../../src/sandbox/scenario.ts'
import type { LeapingClock } from './leapingClock.ts'
import { createPatientClock } from './patientClock.ts'
import { noBridge } from './appConfig.ts'
import { loadGood, smallest } from '../unit/config/loadInMemory.ts'
import { toStagesYaml } from '../../src/sandbox/toWatchYaml.ts'
import { type Monitor, startMonitor } from './startMonitor.ts'

export interface ScenarioRun extends Monitor {
  readonly sandbox: Sandbox
  /** Every alert so far: its kind, subject, severity, and how long after the world's start, where its timeline begins, it was found, ms. */
  alerts(): { kind: string; subject: string; severity: string; state: string; afterMs: number }[]
  /** Waits, in the world's time, until an alert of the kind is there. @returns how long after the start it was found */
  untilTold(kind: string, withinMs?: number): Promise<number>
  /** Lets so much of the world's time pass, e.g. to see that nothing is told. */
  pass(worldMs: number): Promise<void>
}

export interface ScenarioRunOptions {
  /** A shipped scenario's name, or the YAML text of one. */
  readonly scenario: string
  /** How the deployment spells the two chains, where the daemon believes that it uses the neutral words. */
  readonly dialect?: DialectOptions
  /** How many times as fast as real time the world and the daemon live, as far as the machine keeps up. */
  readonly speed?: number
  readonly rules?: string
  readonly config?: Partial<AppConfig>
  /** The same, of what follows from the sandbox. */
  readonly configOf?: (sandbox: Sandbox) => Partial<AppConfig>
  /** What the configuration says of the bridge beside, or in place of, what follows from the world. */
  readonly bridge?: (world: Sandbox['world']) => Partial<AppConfig['bridge']>
  /** The bridge's contracts, when not the sandbox's own. */
  readonly contracts?: (world: Sandbox['world']) => string[]
  /** Whether the monitor has the canonical RPC as a second source. */
  readonly secondSource?: boolean
  /** Whether it has the node of the zone as one, with the contracts whose logs it reads. */
  readonly zoneRpc?: boolean
  /** In the world's time; by default what is 200 ms of real time. Blocks are closely watched up to 500 ms. */
  readonly preconfIntervalMs?: number
  /** Of a request to the explorer, real ms. */
  readonly timeoutMs?: number
  /** The world's time between two turns of the event loop, at most. */
  readonly maxStepMs?: number
  /** Requests a second of the explorer, in the world's time; by default more than are needed. */
  readonly pace?: AppConfig['explorer']['pace']
  /** In place of one of this `speed`: `served` is the sandbox's. Time stands until the world is there. */
  readonly clock?: LeapingClock
  readonly links?: AppConfig['explorer']['links']
  /** Takes what the console channel prints. */
  readonly write?: (text: string) => void
}

const lookEveryMs = 500

/** The whole daemon against the sandbox with one scenario, both in sped-up time, with everything configured. */
export async function runScenario(options: ScenarioRunOptions): Promise<ScenarioRun> {
  const speed = options.speed ?? 20
  const clock =
    options.clock ?? (speed === 1 ? createSystemClock() : createPatientClock(speed, options.maxStepMs))
  const scenario = options.scenario.includes('\n')
    ? parseScenario(options.scenario, 'scenario.yaml')
    : await loadScenario(options.scenario)
  const served = options.clock?.served ?? clock
  const sandbox = createSandbox({
    clock: served,
    scenario,
    ...(options.dialect && { dialect: options.dialect }),
  })
  await sandbox.start()
  options.clock?.start()
  const { contracts, startAt, tokens } = sandbox.world
  // The world begins with a whole second, and its clock need not be the daemon's.
  const startedAt = clock.now() - (served.now() - startAt)
  const monitor = await startMonitor({
    url: sandbox.url,
    clock,
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options.pace && { pace: options.pace }),
    ...(options.links && { links: options.links }),
    ...(options.write && { write: options.write }),
    ...(options.rules !== undefined && { rules: options.rules }),
    config: {
      preconf: { url: new Secret(sandbox.rpcUrl), intervalMs: options.preconfIntervalMs ?? 200 * speed },
      canonical:
        (options.secondSource ?? scenario.secondSource)
          ? { url: new Secret(sandbox.canonicalUrl), verifyAbove: '0', sample: 1, confirmations: 3 }
          : null,
      zoneRpc:
        options.zoneRpc === true
          ? {
              url: new Secret(sandbox.zoneRpcUrl),
              verifyAbove: '0',
              sample: 1,
              confirmations: 3,
              contracts: [contracts.zoneBridge],
            }
          : null,
      bridge: {
        ...noBridge,
        contracts: options.contracts?.(sandbox.world) ?? [contracts.bridge],
        events: scenario.events,
        ...(scenario.stages && {
          stages: loadGood(`${smallest}bridge:\n${toStagesYaml(scenario.stages)}`).config.bridge.stages,
        }),
        escrows: tokens.map(({ address }) => ({ address: contracts.escrow, token: address, baseline: null })),
        operators: [{ address: contracts.relayer, minBalance: '0.5' }],
        tokens: tokens.map(({ address, symbol, decimals, type, zoneAddress }) => ({
          address,
          symbol,
          decimals,
          ...(type !== 'ERC1155' && { zoneAddress }),
        })),
        ...options.bridge?.(sandbox.world),
      },
      ...options.config,
      ...options.configOf?.(sandbox),
    },
  })
  const alerts = () =>
    monitor.app.parts.db
      .prepare('SELECT kind, subject, severity, state, active_at FROM alerts ORDER BY id')
      .all()
      .map((row) => ({
        kind: String(row['kind']),
        subject: String(row['subject']),
        severity: String(row['severity']),
        state: String(row['state']),
        afterMs: Number(row['active_at']) - startedAt,
      }))
  const find = (kind: string) => alerts().find((alert) => alert.kind === kind)
  return {
    ...monitor,
    sandbox,
    alerts,
    async untilTold(kind, withinMs = 120_000) {
      const askedAt = clock.now()
      for (;;) {
        const found = find(kind)
        if (found) return found.afterMs
        if (clock.now() - askedAt > withinMs) throw new Error(`no ${kind} within ${withinMs} ms`)
        // By a clock that leaps, time must not leap on while nobody looks.
        await (options.clock?.sleep(lookEveryMs) ?? new Promise((resolve) => setTimeout(resolve, 20)))
      }
    },
    pass: (worldMs) => clock.sleep(worldMs),
    async stop() {
      await monitor.stop()
      await sandbox.stop()
    },
  }
}
