import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { parse } from 'node:querystring'
import { portOf } from '../../../src/lib/portOf.ts'
import { readSlackText } from '../../../src/sandbox/inbox/slackInbox.ts'
import { callMethod, type Json, listElements, type Posted, type SlackCall, type World } from './methods.ts'
import { createSockets, type Person } from './sockets.ts'

/** What is done with one request instead of what Slack would do. */
export type SlackMisbehaviour =
  /** One of Slack's errors, with status 200 as Slack has it. */
  | { readonly error: string; readonly [more: string]: unknown }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** Reads the request, then never answers; answers a byte at a time; breaks the connection before the answer. */
  | 'hang'
  | 'drip'
  | 'reset'
  /** Does what it was asked, and breaks the connection before the answer. */
  | 'lost'

export interface FakeSlackOptions {
  /** Of its time stamps; the machine's clock when left out. */
  readonly now?: () => number
  readonly scopes?: readonly string[]
  /** Called as a method is about to be answered, what it does being done. */
  readonly onCall?: (call: SlackCall) => void
}

/** A message as people see it: `text` is block after block, one line each. */
interface Seen {
  readonly ts: string
  readonly text: string
  readonly isBroadcast: boolean
  /** What buttons it shows: those that are pressed and those that are links. */
  readonly buttons: readonly string[]
  readonly raw: Posted
}

const fakeSlackTokens = {
  bot: 'xoxb-1111-2222-aVerySecretBotToken',
  app: 'xapp-1-A1-33-aVerySecretAppToken',
}

export type FakeSlack = Awaited<ReturnType<typeof startFakeSlack>>

/**
 * Slack for tests, on loopback: one workspace, one channel, one app.
 *
 * As the real one: tokens and their kinds, form-encoded arguments, errors as `ok: false` with status 200, `ts` as a
 * message's name, threads, broadcasts, edits, metadata, histories by pages and newest first, scopes, ephemeral messages,
 * triggers that are used once, modals, sockets by ticket, hello, envelopes and their acknowledgements, disconnects.
 *
 * Simplified: any number of channels is one, members are whoever is named, a thread whose first message is gone answers
 * `thread_not_found`, rate limits come on demand alone, and blocks are checked by the rules for incoming webhooks.
 */
export async function startFakeSlack(options: FakeSlackOptions = {}) {
  const world: World = {
    now: options.now ?? (() => Date.now()),
    tokens: { ...fakeSlackTokens },
    scopes: new Set(options.scopes ?? ['chat:write', 'channels:history', 'connections:write']),
    channel: { id: 'C0FAKE0001', name: 'bridge-alerts', isArchived: false, hasApp: true },
    messages: [],
    ephemerals: [],
    views: [],
    triggers: new Map(),
    lastTs: 0,
    openSocket: () => sockets.openTicket(),
  }
  const calls: SlackCall[] = []
  const queues = new Map<string, SlackMisbehaviour[]>()
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const sockets = createSockets(server, world)
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(request)
    calls.push(call)
    const scripted = queues.get(call.method)?.shift()
    if (scripted !== undefined && scripted !== 'lost') return misbehave(response, scripted)
    const answer = callMethod(world, call)
    options.onCall?.(call)
    if (scripted === 'lost') return void response.destroy()
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(toSlackJson(answer))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const seenOf = (threadTs: string | null) =>
    world.messages.filter((one) => (one.thread_ts ?? null) === threadTs).map(toSeen)
  return {
    url: `http://127.0.0.1:${portOf(server)}/api/`,
    tokens: world.tokens,
    channelId: world.channel.id,
    channelName: world.channel.name,
    world,
    /** Every request, in the order in which they came. */
    calls,
    callsOf: (method: string) => calls.filter((call) => call.method === method),
    /** For the next requests of a method. */
    respond(method: string, ...answers: readonly SlackMisbehaviour[]) {
      queues.set(method, [...(queues.get(method) ?? []), ...answers])
    },
    /** What stands in the channel, oldest first: no replies. */
    posts: () => seenOf(null),
    thread: (ts: string) => seenOf(ts),
    /** What only one person sees. */
    ephemerals: world.ephemerals,
    /** Modals that are open. */
    views: world.views,
    remove: (ts: string) =>
      void world.messages.splice(
        world.messages.findIndex((one) => one.ts === ts),
        1,
      ),
    press: (person: Person, at: { readonly ts: string; readonly actionId: string }) =>
      sockets.press(person, at),
    submit: (person: Person, view: Json, values: Readonly<Record<string, string>>) =>
      sockets.submit(person, view, values),
    sockets,
    async close() {
      sockets.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readCall(request: IncomingMessage): Promise<SlackCall> {
  const method = /^\/api\/([\w.]+)$/.exec(request.url ?? '')?.[1] ?? 'unknown'
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null
  const args = Object.fromEntries(
    Object.entries(parse(await text(request))).map(([key, value]) => [key, String(value)]),
  )
  return { method, token, args }
}

/** Slack escapes whatever is not ASCII. */
function toSlackJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function misbehave(response: ServerResponse, how: Exclude<SlackMisbehaviour, 'lost'>): void {
  if (how === 'hang') return
  if (how === 'reset') return void response.destroy()
  if (how === 'drip') return drip(response)
  if ('error' in how) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: false, ...how }))
    return
  }
  response.writeHead(how.status, how.headers).end(how.body ?? '')
}

function drip(response: ServerResponse): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 10)
  response.on('close', () => clearInterval(timer))
}

function toSeen(raw: Posted): Seen {
  return {
    ts: raw.ts,
    text: readSlackText(raw),
    isBroadcast: raw.reply_broadcast === true,
    buttons: listElements(raw).map((element) => String(element['action_id'])),
    raw,
  }
}
