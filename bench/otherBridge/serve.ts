import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../src/lib/clock.ts'
import { answerRpc } from './answerRpc.ts'
import { answerZoneRpc } from './answerZoneRpc.ts'
import type { Chain, Chance } from './chain.ts'
import { answerQuery, endpointOf, type Service } from './endpoints.ts'
import { type Answer, behindBy, type Call, faultOf, type Past, slowBy, spoil, spoilResult } from './faults.ts'
import type { View } from './view.ts'

export interface Served {
  readonly url: string
  readonly rpcUrl: string
  readonly canonicalUrl: string
  readonly zoneNodeUrl: string
  readonly requests: Map<string, number>
  close(): Promise<void>
}

/** The clock of who answers: `sleep` holds an answer back. */
export type ServedClock = Pick<Clock, 'now' | 'sleep'>

/** The API and three RPCs over loopback. */
export async function serveBridge(
  chain: Chain,
  service: Service,
  clock: ServedClock,
  chance: Chance,
): Promise<Served> {
  const { now } = clock
  const answerAfter = (of: string, answer: () => void) => {
    const byMs = slowBy(service.faults, of, now())
    if (byMs === 0) answer()
    else void clock.sleep(byMs).then(answer)
  }
  const requests = new Map<string, number>()
  const past: Past = { questions: new Map(), answers: new Map(), answeredAt: -Infinity }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://bridge')
    response.setHeader('date', new Date(now()).toUTCString())
    if (request.method === 'POST') {
      let body = ''
      request.on('data', (chunk) => {
        body += String(chunk)
      })
      request.on('end', () => {
        const node = url.pathname.slice(1)
        const said = answerCalls({ chain, service, past, now: now() }, node, body)
        answerAfter(node, () => send(response, service, said.status, said.body))
      })
      return
    }
    const endpoint = endpointOf(service, url)
    requests.set(endpoint, (requests.get(endpoint) ?? 0) + 1)
    const viewFor = (of: string): View => createView(service, of, now())
    const fault = faultOf(service.faults, endpoint, now())
    const asked = { url, now: now(), answer: (one: URL) => answerQuery(chain, service, viewFor, one) }
    const { status, body } = throttle(service, chance) ?? spoil(fault, asked, past)
    answerAfter(endpoint, () => send(response, service, status, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    rpcUrl: `${url}/preconf`,
    canonicalUrl: `${url}/canonical`,
    zoneNodeUrl: `${url}/zoneNode`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

interface Serving {
  readonly chain: Chain
  readonly service: Service
  readonly past: Past
  readonly now: number
}

/** One call of a node or a batch of them. */
function answerCalls({ chain, service, past, now }: Serving, node: string, body: string): Answer {
  const fault = faultOf(service.faults, node, now)
  if (fault?.how === 'error') return { status: 500, body: { error: 'down' } }
  if (fault?.how === 'throttle') return { status: 429, body: { error: 'too many requests' } }
  const seenAt = now - behindBy(fault, now)
  const answer = (call: Call) =>
    node === 'zoneNode' ? answerZoneRpc(chain, seenAt, call) : answerRpc(chain, seenAt, node, call)
  const one = (call: Call) => ({
    jsonrpc: '2.0',
    id: call.id,
    result: spoilResult(fault, { node, call, now, answer }, past),
  })
  const asked = JSON.parse(body) as Call | Call[]
  const said = bendRpc(service, Array.isArray(asked) ? asked.map(one) : one(asked))
  return { status: said === undefined ? 500 : 200, body: said }
}

function createView(service: Service, endpoint: string, now: number): View {
  const lag = service.lags.find((one) => one.endpoint === endpoint && one.from <= now && now < one.until)
  const behind = behindBy(faultOf(service.faults, endpoint, now), now)
  const seen = now - 1_000 - (lag?.byMs ?? 0) - behind
  const reached = (of: 'main' | 'zone' | 'list') =>
    service.frozen
      .filter((one) => one.of === of && one.from <= now && now < one.until)
      .reduce((least, { from }) => Math.min(least, from), seen)
  return { now: now - behind, main: reached('main'), zone: reached('zone'), list: reached('list') }
}

function throttle(service: Service, chance: Chance) {
  if (!chance.is(service.throttled)) return null
  return chance.pick([
    { status: 429, body: { code: '50011', msg: 'Too Many Requests', data: [] } },
    { status: 200, body: { code: '50013', msg: 'System is busy', data: [] } },
    { status: 200, body: { code: '0', msg: '', data: [] } },
  ])
}

function bendRpc({ manner }: Service, answer: unknown): unknown {
  const bend = manner.rpc ?? ((one: unknown) => one)
  if (!Array.isArray(answer)) return bend(answer)
  const answers = answer.map(bend)
  return manner.batch && answers.length > 1 ? manner.batch(answers) : answers
}

function send(response: ServerResponse, { manner }: Service, status: number, body: unknown): void {
  const text = JSON.stringify(body) ?? ''
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(manner.closes === 'announced' && { connection: 'close' }),
    ...(manner.isPacked && { 'content-encoding': 'gzip' }),
  })
  response.end(manner.isPacked ? gzipSync(text) : text)
  if (manner.closes === 'unannounced') response.once('finish', () => response.socket?.end())
}
