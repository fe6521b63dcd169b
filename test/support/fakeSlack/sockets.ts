import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { portOf } from '../../../src/lib/portOf.ts'
import { type Json, listElements, teamId, type World } from './methods.ts'

export interface Person {
  readonly id: string
  readonly name: string
}

/** What came back for an envelope. */
export interface Acknowledged {
  readonly envelope: Json
  /** '{}' closes a modal; `response_action: errors` keeps it open. */
  readonly payload: Json
}

/** The socket side: connections by ticket, envelopes and their acknowledgements. */
export function createSockets(server: Server, world: World) {
  const tickets = new Set<string>()
  const open = new Set<WebSocket>()
  const waiting = new Map<string, (payload: Json) => void>()
  const acknowledged: string[] = []
  const watchers = new Set<() => void>()
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    const ticket = new URL(request.url ?? '/', 'http://localhost').searchParams.get('ticket') ?? ''
    if (!tickets.delete(ticket)) return void socket.destroy()
    sockets.handleUpgrade(request, socket, head, (connection) => take(connection))
  })
  function take(connection: WebSocket): void {
    open.add(connection)
    connection.on('close', () => {
      open.delete(connection)
      notify()
    })
    connection.on('message', (data: Buffer) => {
      const { envelope_id: id, payload } = JSON.parse(data.toString('utf8')) as {
        envelope_id: string
        payload: Json
      }
      acknowledged.push(id)
      waiting.get(id)?.(payload)
      waiting.delete(id)
    })
    const info = { app_id: 'A0FAKE0001' }
    connection.send(JSON.stringify({ type: 'hello', num_connections: open.size, connection_info: info }))
    notify()
  }
  function notify(): void {
    for (const watcher of watchers) watcher()
  }
  /** To one of the connections, as Slack does; resolves with the acknowledgement. */
  function deliver(envelope: Json): Promise<Acknowledged> {
    const [connection] = open
    if (!connection) throw new Error('nobody listens: no socket is open')
    return new Promise((resolve) => {
      waiting.set(String(envelope['envelope_id']), (payload) => resolve({ envelope, payload }))
      connection.send(JSON.stringify(envelope))
    })
  }
  function toEnvelope(payload: Json): Json {
    return { envelope_id: randomUUID(), type: 'interactive', accepts_response_payload: true, payload }
  }
  function common(person: Person): Json {
    const trigger = `${world.triggers.size + 1}.${Math.floor(world.now())}.abcdef`
    world.triggers.set(trigger, false)
    return {
      user: { id: person.id, username: person.name, name: person.name, team_id: teamId },
      team: { id: teamId, domain: 'fake' },
      api_app_id: 'A0FAKE0001',
      trigger_id: trigger,
    }
  }
  return {
    openTicket() {
      const ticket = randomUUID()
      tickets.add(ticket)
      return `ws://127.0.0.1:${portOf(server)}/link/?ticket=${ticket}&app_id=A0FAKE0001`
    },
    count: () => open.size,
    /** Envelopes that were acknowledged. */
    acknowledged,
    /** Waits until so many connections are open. */
    async until(count: number) {
      if (open.size === count) return
      await new Promise<void>((resolve) => {
        const watcher = () => {
          if (open.size !== count) return
          watchers.delete(watcher)
          resolve()
        }
        watchers.add(watcher)
      })
    },
    press(person: Person, { ts, actionId }: { readonly ts: string; readonly actionId: string }) {
      const message = world.messages.find((one) => one.ts === ts)
      const element = message && listElements(message).find((one) => one['action_id'] === actionId)
      if (!message || !element) throw new Error(`no button ${actionId} on ${ts}`)
      const place = { message_ts: ts, channel_id: world.channel.id, thread_ts: message.thread_ts }
      const actionTs = (world.now() / 1_000 + world.triggers.size / 1e4).toFixed(6)
      return deliver(
        toEnvelope({
          type: 'block_actions',
          ...common(person),
          container: { type: 'message', ...place, is_ephemeral: false },
          channel: { id: world.channel.id, name: world.channel.name },
          message: { type: 'message', ts, text: message.text, blocks: message.blocks },
          response_url: 'https://hooks.slack.com/actions/none',
          actions: [{ ...element, type: 'button', block_id: 'case-actions', action_ts: actionTs }],
        }),
      )
    },
    /** Sends a modal's form; an acknowledgement without errors closes it. */
    async submit(person: Person, view: Json, values: Readonly<Record<string, string>>) {
      const entries = Object.entries(values).map(([name, value]) => [
        name,
        { [name]: { type: 'plain_text_input', value } },
      ])
      const state = { values: Object.fromEntries(entries) as Json }
      const answer = await deliver(
        toEnvelope({ type: 'view_submission', ...common(person), view: { ...view, state } }),
      )
      if (answer.payload['response_action'] !== 'errors') {
        world.views.splice(
          world.views.findIndex(({ id }) => id === view['id']),
          1,
        )
      }
      return answer
    },
    deliver,
    /** Says that it will close the connection, as Slack does every few hours, and waits for the other side to do so. */
    refresh() {
      for (const connection of open) {
        connection.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested', debug_info: {} }))
      }
    },
    /** Sends anything. */
    say(text: string) {
      for (const connection of open) connection.send(text)
    },
    /** Breaks every connection. */
    drop() {
      for (const connection of open) connection.terminate()
    },
    close() {
      for (const connection of open) connection.terminate()
      sockets.close()
    },
  }
}
