import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { activate, type ActiveFault, applyAt, disruptionOf, worldFaults } from './activeFaults.ts'
import type { SandboxAuth } from './auth.ts'
import { deliver, type Outgoing } from './deliver.ts'
import { createDialect, type DialectOptions } from './dialect.ts'
import { answerRequest, createExplorer, envelope, type Explorer } from './explorer.ts'
import { parseFault, type Scenario } from './scenario.ts'
import { createWorld, type World } from './world.ts'
import { advanceWorld } from './worldTime.ts'

export interface SandboxOptions {
  /** Real, scaled or stepped: the world's time is this clock's. */
  readonly clock: Clock
  readonly scenario: Scenario
  /** In place of the scenario's own. */
  readonly seed?: number | string
  readonly dialect?: DialectOptions
  /** Requests must be signed when it is given. */
  readonly auth?: SandboxAuth
  readonly host?: string
  /** 0 or left out: any free one. */
  readonly port?: number
}

export interface Sandbox {
  /** Base address of the explorer API; known once started. */
  readonly url: string
  readonly rpcUrl: string
  readonly world: World
  readonly scenario: Scenario
  start(): Promise<void>
  stop(): Promise<void>
  /** Brings the world up to the clock and gives it, for looking at what is true. */
  look(): World
  /** Lets a fault happen from now on (plus its `at`), written as in a scenario's timeline. */
  inject(fault: Readonly<Record<string, unknown>>): void
  /** How many requests each endpoint has had. */
  readonly requests: ReadonlyMap<string, number>
}

interface Running {
  readonly clock: Clock
  readonly explorer: Explorer
  readonly faults: ActiveFault[]
  readonly requests: Map<string, number>
  readonly stopped: AbortController
  count: number
}

/**
 * A simulated pair of chains with a bridge, and a server that shows them as the explorer API does. The world begins
 * at the clock's present, with its history behind it.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { scenario, clock } = options
  const world = createWorld({
    seed: options.seed ?? scenario.seed,
    startAt: clock.now(),
    traffic: scenario.traffic,
    history: scenario.history,
    timeline: worldFaults(scenario.timeline),
  })
  const running: Running = {
    clock,
    explorer: createExplorer(world, createDialect(options.dialect), options.auth ?? null),
    faults: scenario.timeline.flatMap((fault) => activate(fault, world.startAt + fault.at)),
    requests: new Map(),
    stopped: new AbortController(),
    count: 0,
  }
  const server = createServer((request, response) => {
    serve(running, request, response).catch(() => response.destroy())
  })
  const host = options.host ?? '127.0.0.1'
  return {
    world,
    scenario,
    requests: running.requests,
    get url() {
      return baseUrl(server, host)
    },
    get rpcUrl() {
      return `${baseUrl(server, host)}/rpc`
    },
    async start() {
      advanceWorld(world, clock.now())
      server.listen(options.port ?? 0, host)
      await once(server, 'listening')
    },
    stop: () => stop(running, server),
    look() {
      advanceWorld(world, clock.now())
      return world
    },
    inject(fault) {
      inject(running, fault)
    },
  }
}

async function serve(running: Running, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { explorer, clock, stopped } = running
  const now = clock.now()
  advanceWorld(explorer.world, now)
  const target = request.url ?? '/'
  const endpoint = explorer.routes.get(target.split('?', 1)[0] ?? '')
  if (!endpoint || request.method !== 'GET') {
    return deliver({ clock, signal: stopped.signal }, response, envelope(404, '404', 'Not Found', []))
  }
  const count = running.count++
  running.requests.set(endpoint.name, (running.requests.get(endpoint.name) ?? 0) + 1)
  const disruption = disruptionOf(running.faults, {
    endpoint: endpoint.name,
    now,
    count,
    seed: explorer.world.seed,
  })
  const outgoing: Outgoing = answerRequest(
    explorer,
    { endpoint, target, headers: request.headers, now, count },
    disruption,
  )
  await deliver({ clock, signal: stopped.signal }, response, outgoing, disruption.transport)
}

function inject(running: Running, entry: Readonly<Record<string, unknown>>): void {
  const { world } = running.explorer
  advanceWorld(world, running.clock.now())
  const fault = parseFault(entry)
  running.faults.push(...activate(fault, world.now + fault.at))
  if (fault.world) applyAt(world, fault, world.now)
}

async function stop(running: Running, server: Server): Promise<void> {
  running.stopped.abort()
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

function baseUrl(server: Server, host: string): string {
  const address = server.address() as AddressInfo | null
  if (!address) throw new Error('the sandbox has no address before it is started')
  return `http://${host}:${address.port}`
}
