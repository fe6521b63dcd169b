import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

interface Connection {
  /** What is asked on it now. */
  request: IncomingMessage | null
  hasAsked: boolean
}

/**
 * Keeps no more connections open than `most`, each with one question at a time. Beyond it the oldest one that never asked
 * anything whole gives way, then the oldest one that rests: whoever opens hundreds and never ends asking shuts out only
 * himself, and a probe still gets in.
 */
export function boundConnections(server: Server, most: number): void {
  /** In the order in which they were opened. */
  const open = new Map<Socket, Connection>()
  server.on('connection', (socket) => {
    if (open.size >= most) {
      const leaving = findWaiting(open)
      if (leaving === null) return void socket.destroy()
      open.delete(leaving)
      leaving.destroy()
    }
    open.set(socket, { request: null, hasAsked: false })
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', (request, response) => {
    const connection = open.get(request.socket)
    if (connection === undefined) return
    // No browser and no probe asks again before it was answered; thousands of questions in one packet are an attack.
    if (connection.request !== null) return void request.socket.destroy()
    connection.request = request
    response.once('close', () => {
      connection.request = null
      connection.hasAsked = true
    })
  })
}

function findWaiting(open: ReadonlyMap<Socket, Connection>): Socket | null {
  let resting: Socket | null = null
  for (const [socket, { request, hasAsked }] of open) {
    if (request === null ? !hasAsked : !request.complete) return socket
    if (request === null) resting ??= socket
  }
  return resting
}
