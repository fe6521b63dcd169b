/**
 * What the daemon asks, in a process of its own, so that making and sending large answers holds up no probe: explorer and
 * RPC in one. It is told by name which hostile body to answer with, whatever is asked, or which answer to JSON-RPC; without
 * one, and to the explorer's questions meanwhile, it answers that it has nothing.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { hostileRpc, type HostileRpc } from '../../test/support/hostileRpc.ts'
import { hostileBodies, type HostileBody } from '../../test/support/hostileBodies.ts'

/** What the server may be told: the hostile body to answer with, or null for none. */
export interface Order {
  readonly name: string | null
}

let hostile: HostileBody | null = null
let hostileToRpc: HostileRpc | null = null
let answered = 0
const nothing = JSON.stringify({ code: '0', msg: '', data: [] })

const server = createServer((request, response) => {
  response.on('error', () => undefined)
  answered += 1
  text(request).then(
    (body) => {
      if (hostile !== null) hostile.send(response)
      else
        response.end(hostileToRpc === null || body === '' ? nothing : hostileToRpc.answer(JSON.parse(body)))
    },
    () => undefined,
  )
})
server.on('clientError', (_, socket) => void socket.destroy())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

process.on('message', ({ name }: Order) => {
  process.send?.(answered)
  hostile = hostileBodies.find((one) => one.name === name) ?? null
  hostileToRpc = hostileRpc.find((one) => one.name === name) ?? null
  answered = 0
  // What still drips would be given to the next question.
  server.closeAllConnections()
})
process.on('disconnect', () => process.exit())
