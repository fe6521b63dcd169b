/**
 * What the daemon asks, in a process of its own, so that making and sending large answers holds up no probe: explorer and
 * RPC in one. It is told by name which hostile body to answer with; without one it answers that it has nothing.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostileBodies, type HostileBody } from '../../test/support/hostileBodies.ts'

/** What the server may be told: the hostile body to answer with, or null for none. */
export interface Order {
  readonly name: string | null
}

let hostile: HostileBody | null = null
let answered = 0
const nothing = JSON.stringify({ code: '0', msg: '', data: [] })

const server = createServer((request, response) => {
  request.resume()
  response.on('error', () => undefined)
  answered += 1
  if (hostile === null) response.end(nothing)
  else hostile.send(response)
})
server.on('clientError', (_, socket) => void socket.destroy())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

process.on('message', ({ name }: Order) => {
  process.send?.(answered)
  hostile = hostileBodies.find((one) => one.name === name) ?? null
  answered = 0
  // What still drips would be given to the next question.
  server.closeAllConnections()
})
process.on('disconnect', () => process.exit())
