import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StubRequest {
  readonly path: string
  /** Path and query exactly as received. */
  readonly url: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

/** What a stub answers: a JSON envelope, or anything done to the response by hand. */
export type StubReply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string | Buffer }
  | { readonly raw: (response: ServerResponse) => void }

export interface ApiStub {
  readonly url: string
  readonly requests: StubRequest[]
  close(): Promise<void>
}

/** A loopback HTTP server on a free port; `reply` may differ by request. */
export async function startApiStub(
  reply: (request: StubRequest, index: number) => StubReply,
): Promise<ApiStub> {
  const requests: StubRequest[] = []
  const server = createServer((incoming, response) => {
    const url = incoming.url ?? '/'
    const parsed = new URL(url, 'http://localhost')
    const request = { path: parsed.pathname, url, query: parsed.searchParams, headers: incoming.headers }
    requests.push(request)
    write(response, reply(request, requests.length - 1))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, close: () => closeServer(server) }
}

export function envelope(data: unknown): StubReply {
  return { json: { code: '0', msg: '', data } }
}

/** Shape B. */
export function pageB(rows: readonly unknown[], paging: Partial<Record<string, string>> = {}): StubReply {
  const limit = paging['limit'] ?? '20'
  return envelope([{ page: '1', limit, totalPage: '1', total: String(rows.length), ...paging, data: rows }])
}

export function apiError(code: string, status = 200, headers: Record<string, string> = {}): StubReply {
  return { status, headers, json: { code, msg: `error ${code}`, data: [] } }
}

function write(response: ServerResponse, reply: StubReply): void {
  if ('raw' in reply) return reply.raw(response)
  const body = 'json' in reply ? JSON.stringify(reply.json) : reply.body
  response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
  response.end(body)
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
