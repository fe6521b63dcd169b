import { portOf } from '../lib/portOf.ts'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import type { SandboxAuth } from './auth.ts'
import { deliver, type Outgoing } from './deliver.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import type { Disruption, AnswerFault, PlannedFault } from './faults/fault.ts'
import { answerRpc } from './rpc/answerRpc.ts'
import { answerZoneRpc } from './rpc/answerZoneRpc.ts'
import { createDialect, type Dialect, type DialectOptions } from './dialect.ts'
import { answerRequest, createExplorer, envelope, type Explorer } from './explorer.ts'
import { parseFault, type Scenario } from './scenario.ts'
import { createWorld, type World, type TimedFault } from './world.ts'
import { advanceWorld } from './worldTime.ts'
import { mixUnit } from './random.ts'

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
  /** The preconfirmation RPC. */
  readonly rpcUrl: string
  /** A plain node of the main chain: the second source. */
  readonly canonicalUrl: string
  /** A plain node of the zone chain: its second source. */
  readonly zoneRpcUrl: string
  readonly world: World
  readonly scenario: Scenario
  readonly dialect: Dialect
  /** Null when no access headers are asked for. */
  readonly auth: SandboxAuth | null
  start(): Promise<void>
  stop(): Promise<void>
  /** Brings the world up to the clock and gives it, for looking at what is true. */
  look(): World
  /** Lets a fault happen from now on (plus its `at`), written as in a scenario's timeline. */
  inject(fault: Readonly<Record<string, unknown>>): void
  /** How many requests each endpoint has had. */
  readonly requests: ReadonlyMap<string, number>
}

const rpcPath = '/rpc'
const canonicalPath = '/canonical'
const zonePath = '/zone-rpc'

/** The nodes by their paths: what each is called in scenarios and counts, and what answers. */
const nodes: ReadonlyMap<
  string,
  { readonly name: string; readonly answer: (world: World, text: string) => string }
> = new Map([
  [rpcPath, { name: 'rpc', answer: (world, text) => answerRpc(world, 'preconf', text) }],
  [canonicalPath, { name: 'canonical', answer: (world, text) => answerRpc(world, 'canonical', text) }],
  [zonePath, { name: 'zoneRpc', answer: answerZoneRpc }],
])
const maxBodyBytes = 1_000_000

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
    answers: scenario.answers,
    stages: scenario.stages,
    timeline: worldFaults(scenario.timeline),
  })
  const { auth = null } = options
  const dialect = createDialect(options.dialect)
  const running: Running = {
    clock,
    explorer: createExplorer(world, dialect, auth),
    faults: scenario.timeline.flatMap((fault) => activate(fault, world.startAt + fault.at)),
    requests: new Map(),
    stopped: new AbortController(),
    count: 0,
  }
  const server = createServer((request, response) => {
    serve(running, request, response).catch((error: unknown) => fail(response, error))
  })
  const host = options.host ?? '127.0.0.1'
  return {
    world,
    scenario,
    dialect,
    auth,
    requests: running.requests,
    get url() {
      return baseUrl(server, host)
    },
    get rpcUrl() {
      return baseUrl(server, host) + rpcPath
    },
    get canonicalUrl() {
      return baseUrl(server, host) + canonicalPath
    },
    get zoneRpcUrl() {
      return baseUrl(server, host) + zonePath
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
  const target = request.url ?? '/'
  const path = target.split('?', 1)[0] ?? ''
  const node = request.method === 'POST' ? nodes.get(path) : undefined
  if (node) return serveRpc(running, request, response, node)
  const endpoint = running.explorer.routes.get(path)
  if (endpoint && request.method === 'GET') return serveExplorer(running, request, response, endpoint)
  await send(running, response, envelope(404, '404', 'Not Found', []))
}

async function serveExplorer(
  running: Running,
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: Endpoint,
): Promise<void> {
  const { now, count, disruption } = receive(running, endpoint.name)
  const asked = { endpoint, target: request.url ?? '/', headers: request.headers, now, count }
  await send(running, response, answerRequest(running.explorer, asked, disruption), disruption)
}

async function serveRpc(
  running: Running,
  request: IncomingMessage,
  response: ServerResponse,
  { name, answer }: { readonly name: string; readonly answer: (world: World, text: string) => string },
): Promise<void> {
  const text = await readBody(request)
  const { disruption } = receive(running, name)
  const { refuse, raw } = disruption
  const body = answer(running.explorer.world, text)
  const failed = refuse && envelope(refuse.status, refuse.code, refuse.msg, [])
  await send(running, response, raw ?? failed ?? { status: 200, type: 'application/json', body }, disruption)
}

/** A bug of the sandbox: said aloud, where the test or person that asked can see it. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy()
  const { body, type } = envelope(500, '50026', `sandbox: ${errorText(error)}`, [])
  response.writeHead(500, { 'content-type': type }).end(body)
}

/** Notes a request, brings the world up to it, and says what will happen to its answer. */
function receive(running: Running, endpoint: string): { now: number; count: number; disruption: Disruption } {
  const { explorer, clock, faults, requests } = running
  const now = clock.now()
  advanceWorld(explorer.world, now)
  const count = running.count++
  requests.set(endpoint, (requests.get(endpoint) ?? 0) + 1)
  return { now, count, disruption: disruptionOf(faults, { endpoint, now, count, seed: explorer.world.seed }) }
}

function send(
  running: Running,
  response: ServerResponse,
  outgoing: Outgoing,
  { transport, clockOffsetMs = 0 }: Pick<Disruption, 'transport' | 'clockOffsetMs'> = {},
): Promise<void> {
  const { clock, stopped } = running
  // The world's time, not the machine's: whoever asks compares it with a clock of his own.
  const date = new Date(clock.now() + clockOffsetMs).toUTCString()
  const dated = { ...outgoing, headers: { date, ...outgoing.headers } }
  return deliver({ clock, signal: stopped.signal }, response, dated, transport)
}

async function readBody(request: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > maxBodyBytes) throw new Error('request body too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
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
  return `http://${host}:${portOf(server)}`
}

/** Faults of answers with the instants between which they hold. */
interface ActiveFault extends AnswerFault {
  readonly from: number
  readonly until: number
}

/** The faults of a timeline that change the world, as the world wants them: times relative to its start. */
export function worldFaults(planned: readonly PlannedFault[]): TimedFault[] {
  return planned.flatMap((fault) => {
    const { world: change } = fault
    const leadMs = fault.leadMs ?? 0
    const apply = (world: World) => applyAt(world, fault, world.startAt + fault.at)
    return change ? [{ at: fault.at - leadMs, apply }] : []
  })
}

/** Lets a fault of the world happen at an instant: now, or later when it has to be prepared. */
function applyAt(world: World, fault: PlannedFault, from: number): void {
  fault.world?.(world, { from, until: from + fault.lastsMs })
}

/** A fault of answers, from an instant on. */
function activate(fault: PlannedFault, from: number): ActiveFault[] {
  return fault.answer ? [{ ...fault.answer, from, until: from + fault.lastsMs }] : []
}

/**
 * What happens to the answer of request number `count` at `now`: the faults that hold, later ones over earlier ones.
 * Which share of answers a fault hits is drawn from the request's number, so that a run can be repeated.
 */
function disruptionOf(
  faults: readonly ActiveFault[],
  request: { readonly endpoint: string; readonly now: number; readonly count: number; readonly seed: number },
): Disruption {
  const hits = faults.filter((fault, place) => {
    if (request.now < fault.from || request.now >= fault.until) return false
    const named =
      fault.endpoints.length === 0
        ? /^E\d/.test(request.endpoint)
        : fault.endpoints.includes(request.endpoint)
    return named && mixUnit(request.seed, request.count, place, 0xfa) < fault.share
  })
  return Object.assign({}, ...hits.map((hit) => hit.disruption)) as Disruption
}
