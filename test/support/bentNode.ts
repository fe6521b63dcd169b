import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface NodeCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

interface NodeAnswer {
  readonly id: number
  readonly result?: unknown
}

/** What a node makes of the true result of a call. */
export type BendResult = (call: NodeCall, result: unknown) => unknown

/** A node before another one that answers truly; what it does to the results can be changed while it runs. */
export async function startBentNode() {
  const state: { target: string; bend: BendResult } = { target: '', bend: (_, result) => result }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      void answer(state, Buffer.concat(chunks).toString()).then((text) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    state,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(
  { target, bend }: { readonly target: string; readonly bend: BendResult },
  body: string,
): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(target, { method: 'POST', body, headers })
  const calls = [JSON.parse(body) as NodeCall | NodeCall[]].flat()
  const answered = (await response.json()) as NodeAnswer | NodeAnswer[]
  const bent = [answered].flat().map((one, at) => {
    const call = calls[at]
    return call && 'result' in one ? { ...one, result: bend(call, one.result) } : one
  })
  return JSON.stringify(Array.isArray(answered) ? bent : bent[0])
}
