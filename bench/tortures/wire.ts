import { connect, createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Certificate } from './certificates.ts'

/**
 * How a wire is. `silent`: connections are taken and nothing comes back, not even their end, for those that were there
 * before too, and for ever. `cut`: refused. `failing`: everything is answered with 500.
 */
type Way = 'open' | 'silent' | 'cut' | 'failing'

export interface WireOptions {
  /** Where it listens; 127.0.0.1 when left out. */
  readonly listen?: '127.0.0.1' | '::1'
  /** The name in addresses; what it listens on when left out. */
  readonly name?: string
  /** It speaks TLS, once it has a certificate to show. */
  readonly tls?: true
}

/** The line between the daemon and one server that it asks. */
export interface Wire {
  /** Its address, for the daemon. */
  readonly origin: string
  readonly port: number
  turn(way: Way): Promise<void>
  /** The certificate of all connections from now on; null for none: plain HTTP. */
  show(certificate: Certificate | null): void
  close(): Promise<void>
}

/** A wire to a server on loopback. */
export async function openWire(toPort: number, options: WireOptions = {}): Promise<Wire> {
  const listen = options.listen ?? '127.0.0.1'
  const sockets = new Set<Socket>()
  let way: Way = 'open'
  let certificate: Certificate | null = null
  const server = createServer((raw) => {
    keep(sockets, raw)
    if (way === 'silent') return void raw.pause()
    const client = certificate === null ? raw : keep(sockets, secure(raw, certificate))
    if (way === 'failing') fail(client)
    else relay(client, keep(sockets, connect(toPort, '127.0.0.1')))
  })
  await listenOn(server, 0, listen)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const host = options.name ?? (listen === '::1' ? '[::1]' : listen)
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    origin: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    port,
    async turn(next) {
      if (next === 'silent') for (const socket of sockets) socket.unpipe().pause()
      if (next === 'failing' || next === 'cut') hangUp()
      if (next === 'cut') await new Promise((resolve) => server.close(resolve))
      else if (way === 'cut') await listenOn(server, port, listen)
      way = next
    },
    show(shown) {
      certificate = shown
      hangUp()
    },
    async close() {
      hangUp()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
}

function keep<S extends Socket>(sockets: Set<Socket>, socket: S): S {
  sockets.add(socket)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => sockets.delete(socket))
  return socket
}

function secure(raw: Socket, { key, certificate }: Certificate): Socket {
  return new TLSSocket(raw, { isServer: true, key, cert: certificate })
}

function relay(client: Socket, server: Socket): void {
  client.pipe(server).pipe(client)
  client.on('close', () => server.destroy())
  server.on('close', () => client.destroy())
}

function fail(client: Socket): void {
  client.once('data', () =>
    client.end('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
  )
}

function listenOn(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
