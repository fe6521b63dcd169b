import type { Server } from 'node:net'

/**
 * The port of a TCP server that listens.
 * @throws Error where it does not
 */
export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address()
  if (typeof address === 'string' || address === null) throw new Error('the server does not listen on a port')
  return address.port
}
