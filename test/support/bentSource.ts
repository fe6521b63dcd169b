import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export const faults = [
  'honest',
  'dead',
  'slow',
  'lagging',
  'reorganised',
  'lying',
  'miscounting',
  'empty',
] as const
export type SourceFault = (typeof faults)[number]

/** Where a source's answers come from, and what is done to them. */
interface Bending {
  readonly target: string
  readonly fault: SourceFault
}

/** A source of its own address before a sandbox that answers truly: it does to the answers what its fault says. */
export async function startBentSource({ target, fault }: Bending) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      void forward({ target, fault }, request.method ?? 'GET', request.url ?? '/', chunks, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function forward(
  { target, fault }: Bending,
  method: string,
  path: string,
  chunks: readonly Buffer[],
  response: ServerResponse,
): Promise<void> {
  if (fault === 'dead') return void response.socket?.destroy()
  // No answer: whoever asks gives up.
  if (fault === 'slow') return
  const { pathname } = new URL(target)
  const own = pathname === '/' ? path : pathname
  const answer = await fetch(new URL(own, target), {
    method,
    ...(method === 'POST' && {
      body: Buffer.concat(chunks),
      headers: { 'content-type': 'application/json' },
    }),
  })
  const text = bend(await answer.text(), fault)
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
}

function bend(text: string, fault: SourceFault): string {
  if (fault === 'reorganised') return text.replaceAll(/"hash":"0x[0-9a-f]{8}/g, '"hash":"0xdeadbeef')
  if (fault === 'lying')
    return text
      .replaceAll('"status":"0x1"', '"status":"0x0"')
      .replaceAll(/"valueRaw":"(\d+)"/g, (_, raw: string) => `"valueRaw":"${BigInt(raw) + 1n}"`)
  if (fault === 'miscounting')
    return text.replaceAll(/"result":"(0x[0-9a-f]{64})"/g, (_, raw: string) => {
      const more = (BigInt(raw) + 1n).toString(16).padStart(64, '0')
      return `"result":"0x${more}"`
    })
  if (fault === 'empty')
    return text
      .replaceAll(/"result":("[^"]*"|\{.*\}(?=\})|\[.*\](?=\}))/g, '"result":null')
      .replace(/"data":\[.*\]/s, '"data":[]')
  return text
}
