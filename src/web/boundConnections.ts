import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Keeps no more connections open than `most`. Beyond it the oldest one that has no whole request under way gives way:
 * whoever opens hundreds and asks nothing, or never ends asking, then shuts out only himself, and a probe still gets in.
 */
export function boundConnections(server: Server, most: number): void {
  /** In the order in which they were opened, each with the request that it carries now. */
  const open = new Map<Socket, IncomingMessage | null>()
  server.on('connection', (socket) => {
    if (open.size >= most) {
      const idle = [...open].find(([, request]) => request === null || !request.complete)?.[0]
      if (idle === undefined) return void socket.destroy()
      open.delete(idle)
      idle.destroy()
    }
    open.set(socket, null)
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', (request, response) => {
    const { socket } = request
    if (open.has(socket)) open.set(socket, request)
    response.once('close', () => {
      if (open.get(socket) === request) open.set(socket, null)
    })
  })
}
