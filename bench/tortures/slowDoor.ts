import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Passes on what comes at once, and the answer to it only after a while of chance: who is killed in between was heard and
 * does not know it.
 */
export async function openSlowDoor(
  to: string,
  longestMs: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    // Who asked was killed meanwhile.
    pass(request, response).catch(() => response.destroy())
  })
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    const answer = await fetch(to, { method: 'POST', headers, body })
    const said = await answer.text()
    await sleep(Math.random() * longestMs)
    response.writeHead(answer.status).end(said)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${new URL(to).pathname}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
