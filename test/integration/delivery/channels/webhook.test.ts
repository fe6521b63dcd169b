import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../../src/lib/secret.ts'
import { createWebhookChannel, type WebhookConfig } from '../../../../src/delivery/channels/webhook.ts'
import { toCase, toItem, toMessage, zoneHash } from '../../../unit/delivery/messages.ts'

const now = Date.UTC(2026, 0, 5, 9)
const plain = { signal: new AbortController().signal, degraded: false, recipients: null }

interface Received {
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

let received: Received[]
let status: number
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
    response.writeHead(status, { location: '/elsewhere' }).end('whatever')
  })
})

beforeEach(async () => {
  received = []
  status = 200
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

async function deliver(overrides: Partial<WebhookConfig> = {}, degraded = false) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/averysecretpath`
  const channel = createWebhookChannel(
    { clock: { now: () => now } },
    { name: 'hook', type: 'webhook', url, ...overrides },
  )
  const message = toMessage({ rest: [toItem({ summary: 'the rest' })], total: 2, attempt: 2 })
  const result = await channel.deliver(message, { ...plain, degraded })
  await channel.close()
  return result
}

test('posts the whole message as JSON, and any 2xx acknowledges it', async () => {
  status = 202
  expect(await deliver()).toEqual({ result: 'ack' })
  const body: unknown = JSON.parse(received[0]?.body ?? '')
  expect(body).toMatchObject({
    version: 1,
    id: 'a1b2c3',
    attempt: 2,
    severity: 'critical',
    total: 2,
    createdAt: '2026-01-05T09:00:00.000Z',
    items: [{ kind: 'transfer.stalled', since: '2026-01-05T06:50:00.000Z' }, { summary: 'the rest' }],
  })
  expect(received[0]?.body).toContain(zoneHash)
  expect(received[0]?.headers).toMatchObject({ 'x-spanwatch-id': 'a1b2c3', 'x-spanwatch-attempt': '2' })
})

test('signs time and body, so that a receiver can tell a forgery and a replay', async () => {
  await deliver({ secret: new Secret('a shared secret') })
  const { headers, body } = received[0] ?? { headers: {}, body: '' }
  const expected = createHmac('sha256', 'a shared secret')
    .update(`${now / 1_000}.${body}`)
    .digest('hex')
  expect(headers['x-spanwatch-timestamp']).toBe(String(now / 1_000))
  expect(headers['x-spanwatch-signature']).toBe(`sha256=${expected}`)
})

test('sends no signature without a secret', async () => {
  await deliver()
  expect(received[0]?.headers).not.toHaveProperty('x-spanwatch-signature')
})

test('credentials in the address travel in the header', async () => {
  const url = new Secret(`http://bob:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}/`)
  expect(await deliver({ url })).toEqual({ result: 'ack' })
  expect(received[0]?.headers['authorization']).toBe(`Basic ${Buffer.from('bob:p@ss').toString('base64')}`)
})

test('the plain form leaves the findings out', async () => {
  await deliver({}, true)
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ items: [], total: 2 })
})

test.each([
  [302, 'dead'],
  [404, 'dead'],
  [400, 'bad_message'],
  [429, 'throttled'],
  [503, 'transient'],
])('status %i is %s, with the host alone in the reason', async (answer, expected) => {
  status = answer
  const result = await deliver()
  expect(result.result).toBe(expected)
  expect(JSON.stringify(result)).not.toContain('averysecretpath')
  expect(received.length).toBe(1)
})

test('semantics.md 42: the Date header of the answer is handed on to whoever asked for it when it was sent', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const heard: unknown[] = []
  const clock = {
    monotonicMs: () => 7,
    noteDate: (source: string, { date, sentMs }: { date: string | null; sentMs: number }) =>
      void heard.push([source, Number.isNaN(Date.parse(date ?? '')), sentMs]),
  }
  const channel = createWebhookChannel(
    { clock: { now: () => now }, dates: { source: 'hook', clock } },
    { name: 'hook', type: 'webhook', url: new Secret(url) },
  )
  await channel.deliver(toMessage({}), plain)
  await channel.close()
  expect(heard).toEqual([['hook', false, 7]])
})

test('a body of its own is sent as what it is, and signed', async () => {
  const secret = new Secret('a shared secret')
  await deliver({ body: '{{ severity }}: {{ total }}', contentType: 'text/plain', secret })
  const { headers, body } = received[0] ?? { headers: {}, body: '' }
  expect([body, headers['content-type']]).toEqual(['critical: 2', 'text/plain'])
  const expected = createHmac('sha256', 'a shared secret')
    .update(`${now / 1_000}.critical: 2`)
    .digest('hex')
  expect(headers['x-spanwatch-signature']).toBe(`sha256=${expected}`)
})

test('a body that cannot be made keeps no message back: the documented one goes out, and says why', async () => {
  const told: string[] = []
  const channel = createWebhookChannel(
    { clock: { now: () => now }, log: { warn: (facts: object) => void told.push(JSON.stringify(facts)) } },
    {
      name: 'hook',
      type: 'webhook',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      body: '{{ case.money[0].amount | amount }}',
      contentType: 'text/plain',
    },
  )
  const money = [{ token: '', symbol: 'X', amount: 'a lot', usd: null }]
  await channel.deliver(toMessage({ case: toCase() }), plain)
  await channel.deliver(toMessage({ case: toCase({ money }) }), plain)
  await channel.close()
  expect(received[0]?.body).toBe('1,250,000.5')
  expect(JSON.parse(received[1]?.body ?? '')).toMatchObject({
    items: [{ rule: 'withdrawal-stalled' }],
    bodyError: expect.stringContaining('the filter amount takes an amount'),
  })
  expect(received[1]?.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(told).toEqual([expect.stringMatching(/"channel":"hook","error":"the filter amount takes an amount/)])
})

test('a template that is none is refused when the channel is made', async () => {
  await expect(deliver({ body: '{{ headlin }}' })).rejects.toThrow(
    'channel hook: body: unknown name `headlin`',
  )
})

test('a case and what happened to it are told, also without items', async () => {
  const channel = createWebhookChannel(
    { clock: { now: () => now } },
    { name: 'hook', type: 'webhook', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` },
  )
  const message = toMessage({
    items: [],
    changes: ['handled'],
    case: toCase({ state: 'handled', by: 'mia' }),
  })
  expect(await channel.deliver(message, plain)).toEqual({ result: 'ack' })
  expect(channel.followsCases).toBe(true)
  await channel.close()
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    case: {
      id: 'c42',
      state: 'handled',
      by: 'mia',
      openedAt: '2026-01-05T08:59:00.000Z',
      turnAt: '2026-01-05T09:01:00.000Z',
      closedAt: null,
    },
    changes: ['handled'],
    items: [],
    bodyError: null,
  })
})
