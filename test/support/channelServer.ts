import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

/** What was posted, whatever the answer. */
export interface Posted {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface ChannelAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What is done with one request in the place of an answer. */
type Misbehaviour =
  /** Reads the request, then never answers. */
  | 'hang'
  /** Status and a byte at a time without end. */
  | 'drip'
  /** Breaks the connection before the answer. */
  | 'reset'
  /** Breaks it in the middle of a body whose length was said. */
  | 'cut'

export interface ChannelServer {
  readonly url: string
  readonly posted: Posted[]
  /** For the next requests, in their order; afterwards the server behaves like the service. */
  respond(...answers: readonly (ChannelAnswer | Misbehaviour)[]): void
  close(): Promise<void>
}

/** A service that takes POSTs, on loopback: `serve` answers as the real one would. */
export async function startChannelServer(serve: (posted: Posted) => ChannelAnswer): Promise<ChannelServer> {
  const posted: Posted[] = []
  const queue: (ChannelAnswer | Misbehaviour)[] = []
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        const one = { path: request.url ?? '/', headers: request.headers, body }
        posted.push(one)
        const next = queue.shift() ?? serve(one)
        if (typeof next === 'string') misbehave(response, next)
        else response.writeHead(next.status, next.headers).end(next.body ?? '')
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posted,
    respond: (...answers) => void queue.push(...answers),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function misbehave(response: ServerResponse, how: Misbehaviour): void {
  switch (how) {
    case 'hang':
      return
    case 'drip':
      response.writeHead(200)
      void drip(response)
      return
    case 'reset':
      response.destroy()
      return
    case 'cut':
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"ok":tr', () => response.destroy())
      return
  }
}

async function drip(response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(' ')
    await pause(20)
  }
}
