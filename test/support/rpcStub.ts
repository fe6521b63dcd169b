import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StubCall {
  readonly jsonrpc: string
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** What a stub does with one HTTP request: answers JSON, text, or anything done to the response by hand. */
export type RpcReply =
  | { readonly json: unknown; readonly status?: number; readonly headers?: Record<string, string> }
  | { readonly text: string; readonly status?: number; readonly headers?: Record<string, string> }
  | { readonly raw: (response: ServerResponse) => void }

export interface RpcStub extends AsyncDisposable {
  readonly url: string
  /** Bodies as received: one call or a batch. */
  readonly bodies: (StubCall | StubCall[])[]
  readonly headers: IncomingMessage['headers'][]
}

/** A loopback JSON-RPC server on a free port. */
export async function startRpcStub(
  reply: (body: StubCall | StubCall[], index: number) => RpcReply,
): Promise<RpcStub> {
  const bodies: (StubCall | StubCall[])[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const body = JSON.parse(text) as StubCall | StubCall[]
      bodies.push(body)
      headers.push(request.headers)
      write(response, reply(body, bodies.length - 1))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1/k3y-in-path`,
    bodies,
    headers,
    [Symbol.asyncDispose]: () => close(server),
  }
}

/** Answers every call, in a batch or alone, with what `result` gives. */
export function answerEach(
  body: StubCall | StubCall[],
  result: (call: StubCall) => Record<string, unknown>,
): RpcReply {
  const one = (call: StubCall) => ({ jsonrpc: '2.0', id: call.id, ...result(call) })
  return { json: Array.isArray(body) ? body.map(one) : one(body) }
}

function write(response: ServerResponse, reply: RpcReply): void {
  if ('raw' in reply) return reply.raw(response)
  const text = 'json' in reply ? JSON.stringify(reply.json) : reply.text
  response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
  response.end(text)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
