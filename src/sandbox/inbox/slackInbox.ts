import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isObject } from '../../lib/isObject.ts'
import { portOf } from '../../lib/portOf.ts'

/** A message that the inbox acknowledged. */
interface SlackMessage {
  readonly payload: Readonly<Record<string, unknown>>
  /** As a person would read it. */
  readonly text: string
}

/** Every POST to the webhook's address, acknowledged or not. */
interface SlackRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** What the inbox does with its next request instead of judging it. */
export type SlackAnswer =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Reads the request, then never answers. */
  | { readonly kind: 'hang' }
  /** Status and headers, then a byte at a time without end. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  /** Reads the request, then breaks the connection: before the answer, or inside its body. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'inside' }

export interface SlackInboxOptions {
  readonly port?: number
  readonly onMessage?: (message: SlackMessage) => void
  /** Messages and requests kept; the oldest go first. */
  readonly keep?: number
}

export interface SlackInbox {
  /** The webhook's address. */
  readonly url: string
  readonly messages: readonly SlackMessage[]
  readonly requests: readonly SlackRequest[]
  /** Queues answers for the next requests; when the queue is empty the inbox behaves like Slack. */
  respond(...answers: SlackAnswer[]): void
  close(): Promise<void>
}

const webhookPath = '/services/T00000000/B00000000/sandboxsandboxsandbox00'

const maxBodyBytes = 1024 * 1024

interface InboxState {
  readonly messages: SlackMessage[]
  readonly requests: SlackRequest[]
  readonly answers: SlackAnswer[]
}

/** What Slack answers when it does not like a message. */
interface SlackRefusal {
  readonly status: number
  readonly body: string
}

interface TextRule {
  readonly max: number
  readonly types: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

const anyText = ['plain_text', 'mrkdwn']

const maxBlocks = 50

const maxTotal = 13_200

const maxFallback = 40_000

/** A receiver that behaves like Slack's incoming webhooks: its limits, its error words, and `ok`. Loopback only. */
export async function createSlackInbox(options: SlackInboxOptions = {}): Promise<SlackInbox> {
  const state: InboxState = { messages: [], requests: [], answers: [] }
  const server = createServer((request, response) => {
    serve(state, options, request, response).catch(() => response.destroy())
  })
  await listen(server, options.port ?? 0)
  const port = portOf(server)
  return {
    url: `http://127.0.0.1:${port}${webhookPath}`,
    messages: state.messages,
    requests: state.requests,
    respond: (...answers) => void state.answers.push(...answers),
    close: () => close(server),
  }
}

async function serve(
  state: InboxState,
  options: SlackInboxOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request)
  if (request.url !== webhookPath) return reply(response, 404, 'no_service')
  if (request.method !== 'POST') return reply(response, 405, 'method_not_allowed')
  if (body === null) return reply(response, 413, 'payload_too_large')
  const keep = options.keep ?? 1_000
  push(state.requests, { headers: request.headers, body }, keep)
  const scripted = state.answers.shift()
  if (scripted !== undefined) return act(scripted, response)
  const refusal = checkSlackPayload(body)
  if (refusal !== null) return reply(response, refusal.status, refusal.body)
  const payload: Readonly<Record<string, unknown>> = JSON.parse(body)
  const message = { payload, text: readSlackText(payload) }
  push(state.messages, message, keep)
  reply(response, 200, 'ok')
  options.onMessage?.(message)
}

function act(answer: SlackAnswer, response: ServerResponse): void {
  switch (answer.kind) {
    case 'answer':
      response.writeHead(answer.status, { 'content-type': 'text/html', ...answer.headers })
      response.end(answer.body ?? '')
      return
    case 'hang':
      return
    case 'drip':
      return drip(response, answer.everyMs)
    case 'reset':
      if (answer.when === 'before') return void response.destroy()
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '2' })
      response.write('o', () => response.destroy())
  }
}

function drip(response: ServerResponse, everyMs: number): void {
  response.writeHead(200, { 'content-type': 'text/html' })
  response.flushHeaders()
  const timer = setInterval(() => response.write('o'), everyMs)
  response.on('close', () => clearInterval(timer))
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/html' })
  response.end(body)
}

/** null when it is larger than any message can be; the rest is read and dropped, so that the answer is seen. */
async function readBody(request: AsyncIterable<Buffer>): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= maxBodyBytes) chunks.push(chunk)
  }
  return bytes <= maxBodyBytes ? Buffer.concat(chunks).toString('utf8') : null
}

function push<T>(list: T[], item: T, keep: number): void {
  list.push(item)
  if (list.length > keep) list.splice(0, list.length - keep)
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/**
 * What a person would read of a Slack message: block after block, one line each, entities decoded. For the demo's
 * output and for tests; formatting marks stay.
 */
export function readSlackText(payload: unknown): string {
  const blocks = isObject(payload) ? payload['blocks'] : undefined
  const lines = Array.isArray(blocks) && blocks.length > 0 ? textsOf(blocks) : textsOf([payload])
  return lines
    .join('\n')
    .replace(/<([^|>]+)\|([^>]+)>/g, '$2: $1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (!isObject(value)) return []
  const own = typeof value['text'] === 'string' ? [value['text']] : textsOf(value['text'])
  return [...own, ...textsOf(value['fields']), ...textsOf(value['elements'])]
}

/** Checks a request's body as Slack's incoming webhooks do, with the error words they answer; null when it is fine. */
export function checkSlackPayload(text: string): SlackRefusal | null {
  const payload = parseObject(text)
  if (payload === null) return refuse('invalid_payload')
  const blocks = payload['blocks'] ?? []
  const fallback = payload['text'] ?? ''
  if (typeof fallback !== 'string') return refuse('invalid_payload')
  if (!Array.isArray(blocks)) return refuse('invalid_blocks')
  if (blocks.length === 0 && fallback.trim() === '' && payload['attachments'] === undefined)
    return refuse('no_text')
  if (fallback.length > maxFallback) return refuse('msg_too_long')
  if (blocks.length > maxBlocks || !blocks.every(isValidBlock)) return refuse('invalid_blocks')
  if (textLength(blocks) > maxTotal) return refuse('msg_blocks_too_long')
  return null
}

function refuse(body: string): SlackRefusal {
  return { status: 400, body }
}

function parseObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isValidBlock(block: unknown): boolean {
  if (!isObject(block)) return false
  switch (block['type']) {
    case 'header':
      return isText(block['text'], { max: 150, types: ['plain_text'] })
    case 'section':
      return isValidSection(block)
    case 'context':
      return isList(block['elements'], 10, { max: 2_000, types: anyText })
    case 'actions':
      return isButtonRow(block['elements'])
    case 'divider':
      return true
    default:
      return false
  }
}

function isValidSection(block: Json): boolean {
  const { text, fields } = block
  if (text === undefined && fields === undefined) return false
  if (text !== undefined && !isText(text, { max: 3_000, types: anyText })) return false
  return fields === undefined || isList(fields, 10, { max: 2_000, types: anyText })
}

function isButtonRow(elements: unknown): boolean {
  return Array.isArray(elements) && elements.length >= 1 && elements.length <= 25 && elements.every(isButton)
}

function isButton(element: unknown): boolean {
  if (!isObject(element) || element['type'] !== 'button') return false
  const { text, action_id: id, value, url } = element
  const fits = (word: unknown, max: number) =>
    word === undefined || (typeof word === 'string' && word.length <= max)
  return (
    isText(text, { max: 75, types: ['plain_text'] }) &&
    fits(id, 255) &&
    fits(value, 2_000) &&
    fits(url, 3_000)
  )
}

function isList(list: unknown, max: number, rule: TextRule): boolean {
  return (
    Array.isArray(list) && list.length >= 1 && list.length <= max && list.every((text) => isText(text, rule))
  )
}

function isText(value: unknown, rule: TextRule): boolean {
  if (!isObject(value) || typeof value['text'] !== 'string' || !rule.types.includes(String(value['type'])))
    return false
  const allowed = value['type'] === 'mrkdwn' ? ['type', 'text', 'verbatim'] : ['type', 'text', 'emoji']
  const length = value['text'].length
  return length >= 1 && length <= rule.max && Object.keys(value).every((key) => allowed.includes(key))
}

function textLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + textLength(one), 0)
  if (!isObject(value)) return 0
  const own = typeof value['text'] === 'string' ? value['text'].length : textLength(value['text'])
  return own + textLength(value['fields']) + textLength(value['elements'])
}
