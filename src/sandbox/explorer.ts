import type { IncomingHttpHeaders } from 'node:http'
import { checkAuth, type SandboxAuth } from './auth.ts'
import { withExtraFields } from './answers.ts'
import type { Outgoing } from './deliver.ts'
import type { Dialect } from './dialect.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import type { Disruption } from './faults/fault.ts'
import { mixUnit } from './random.ts'
import { readPage } from './paging.ts'
import { readParameters } from './parameters.ts'
import { emptyParameter, Refusal, unmatchedParameter } from './refusal.ts'
import type { World } from './world.ts'
import { crossEndpoints } from './endpoints/crossEndpoints.ts'
import { contractEndpoints, logEndpoints } from './endpoints/logEndpoints.ts'
import { mainAddressEndpoints } from './endpoints/mainAddressEndpoints.ts'
import { mainBlockEndpoints, mainTransactionEndpoints } from './endpoints/mainEndpoints.ts'
import { zoneEndpoints } from './endpoints/zoneEndpoints.ts'

export interface Explorer {
  readonly world: World
  readonly dialect: Dialect
  readonly auth: SandboxAuth | null
  readonly routes: ReadonlyMap<string, Endpoint>
}

export interface ExplorerRequest {
  readonly endpoint: Endpoint
  /** The path with its query, exactly as sent. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly now: number
  readonly count: number
}

export function createExplorer(world: World, dialect: Dialect, auth: SandboxAuth | null): Explorer {
  const { main, zone } = dialect.path
  const routes = endpointTable.map((endpoint): [string, Endpoint] => [
    endpoint.chain === 'main'
      ? `/api/v5/${main}/${endpoint.path}`
      : `/api/v5/${main}/${zone}/${endpoint.path}`,
    endpoint,
  ])
  return { world, dialect, auth, routes: new Map(routes) }
}

/** The service's own answer to one request, refusals included, before the network has its say. */
export function answerRequest(
  explorer: Explorer,
  request: ExplorerRequest,
  disruption: Disruption,
): Outgoing {
  if (disruption.raw) return disruption.raw
  try {
    if (disruption.refuse) return refused(disruption.refuse)
    if (explorer.auth) {
      const now = request.now + (disruption.clockOffsetMs ?? 0)
      const { target, headers } = request
      checkAuth(explorer.auth, { headers, target, prefix: explorer.dialect.headerPrefix }, now)
    }
    disruption.before?.(explorer.world)
    const data = dataOf(explorer, request, disruption)
    const draw = mixUnit(explorer.world.seed, request.count, 0xd4)
    return envelope(200, '0', '', disruption.data ? disruption.data(data, draw) : data)
  } catch (error) {
    if (error instanceof Refusal) return envelope(error.status, error.code, error.message, [])
    throw error
  }
}

/** An answer in the service's envelope. */
export function envelope(status: number, code: string, msg: string, data: unknown[]): Outgoing {
  return { status, type: 'application/json', body: JSON.stringify({ code, msg, data }) }
}

function dataOf(explorer: Explorer, request: ExplorerRequest, disruption: Disruption): unknown[] {
  const { endpoint } = request
  const query = new URL(request.target, 'http://sandbox').searchParams
  checkChain(explorer.dialect, endpoint, query.get('chainShortName') ?? '')
  const parameters = readParameters(query, endpoint.parameters)
  const page =
    endpoint.maxLimit === undefined
      ? { page: 1, limit: 1_000, empty: 'array' as const }
      : readPage(query, endpoint.maxLimit, explorer.world.answers, disruption.limitCap)
  const asked = disruption.page ? { ...page, page: disruption.page(page.page) } : page
  const { world, dialect } = explorer
  const data = endpoint.answer({ world, dialect, parameters, page: asked })
  return world.answers.extraFields ? withExtraFields(data) : data
}

/** The main chain's name is taken in either case, the zone chain's only as it is. */
function checkChain(dialect: Dialect, endpoint: Endpoint, name: string): void {
  if (name === '') throw emptyParameter('chainShortName')
  const right =
    endpoint.chain === 'main'
      ? name.toUpperCase() === dialect.chains.main.toUpperCase()
      : name === dialect.chains.zone
  if (!right) throw unmatchedParameter('chainShortName', 'path')
}

function refused(refuse: NonNullable<Disruption['refuse']>): Outgoing {
  const outgoing = envelope(refuse.status, refuse.code, refuse.msg, [])
  return refuse.retryAfter === undefined
    ? outgoing
    : { ...outgoing, headers: { 'retry-after': refuse.retryAfter } }
}

/** Every endpoint of the explorer API, E1 to E21. */
const endpointTable: readonly Endpoint[] = [
  ...crossEndpoints,
  ...zoneEndpoints,
  ...mainBlockEndpoints,
  ...mainAddressEndpoints,
  ...mainTransactionEndpoints,
  ...logEndpoints,
  ...contractEndpoints,
]
