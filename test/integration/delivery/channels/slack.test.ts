import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/lib/secret.ts'
import { createSlackChannel } from '../../../../src/delivery/channels/slack.ts'
import {
  createSlackInbox,
  type SlackAnswer,
  type SlackInbox,
} from '../../../../src/sandbox/inbox/slackInbox.ts'
import { toItem, toMessage, zoneHash } from '../../../unit/delivery/messages.ts'
import { selfSigned } from '../selfSigned.ts'

const now = Date.UTC(2026, 0, 5, 9)
const clock = { now: () => now }
const plain = { signal: new AbortController().signal, degraded: false, recipients: null }

let inbox: SlackInbox
beforeEach(async () => {
  inbox = await createSlackInbox()
})
afterEach(() => inbox.close())

async function deliver(url = inbox.url, options = plain, timeoutMs = 5_000, message = toMessage()) {
  const channel = createSlackChannel(
    { clock, timeoutMs },
    { name: 'ops', type: 'slack', url: new Secret(url) },
  )
  try {
    return await channel.deliver(message, options)
  } finally {
    await channel.close()
  }
}

const answer = (status: number, body = '', headers = {}): SlackAnswer => ({
  kind: 'answer',
  status,
  body,
  headers,
})

test('a message arrives with its hash and is acknowledged', async () => {
  expect(await deliver()).toEqual({ result: 'ack' })
  expect(inbox.messages.map(({ text }) => text.includes(zoneHash))).toEqual([true])
})

test('a storm of long findings passes the real limits', async () => {
  const items = Array.from({ length: 25 }, (_, index) =>
    toItem({ alertId: `${index}`, summary: '<&>"'.repeat(300) }),
  )
  expect(await deliver(inbox.url, plain, 5_000, toMessage({ items, total: 1_000 }))).toEqual({
    result: 'ack',
  })
})

test('the plain form arrives as text alone', async () => {
  expect(await deliver(inbox.url, { ...plain, degraded: true })).toEqual({ result: 'ack' })
  expect(inbox.messages[0]?.payload['blocks']).toBeUndefined()
})

describe('a 200 that is not ok', () => {
  test.each(['OK\n', 'ok\n', ' ok', '', 'invalid_payload', '<html>fine</html>', 'x'.repeat(1_000)])(
    'with body %j is no acknowledgement',
    async (body) => {
      inbox.respond(answer(200, body))
      expect((await deliver()).result).toBe('suspicious')
    },
  )

  test('and longer than 64 KiB is not read to its end', async () => {
    inbox.respond(answer(200, 'x'.repeat(10_000_000)))
    expect(await deliver()).toEqual({
      result: 'suspicious',
      reason: `${new URL(inbox.url).host} answered 200 with a body of 65536 characters, not ok`,
    })
  })
})

test.each([
  { header: '30', expected: 30_000 },
  { header: new Date(now + 60_000).toUTCString(), expected: 60_000 },
  { header: '999999', expected: 900_000 },
  { header: 'garbage', expected: 1_000 },
])('a 429 with Retry-After $header waits $expected ms', async ({ header, expected }) => {
  inbox.respond(answer(429, 'rate_limited', { 'retry-after': header }))
  expect(await deliver()).toMatchObject({ result: 'throttled', retryAfterMs: expected })
})

test('a 429 is not sent again by the library', async () => {
  inbox.respond(answer(429), answer(500))
  await deliver()
  expect(inbox.requests.length).toBe(1)
})

test('a 500 is not sent again by the library', async () => {
  inbox.respond(answer(500), answer(500))
  expect((await deliver()).result).toBe('transient')
  expect(inbox.requests.length).toBe(1)
})

test.each([301, 302, 307, 308])('a %i is dead and not followed', async (status) => {
  inbox.respond(answer(status, '', { location: inbox.url }))
  expect((await deliver()).result).toBe('dead')
  expect(inbox.requests.length).toBe(1)
})

test('an unknown webhook is dead, and the reason has the host alone', async () => {
  const { host } = new URL(inbox.url)
  expect(await deliver(`http://${host}/services/T1/B1/averysecretkey`)).toEqual({
    result: 'dead',
    reason: `${host} answered 404 no_service`,
  })
})

test.each([
  { kind: 'reset', when: 'before' },
  { kind: 'reset', when: 'inside' },
] as const)('a connection reset $when the answer may have arrived', async (reset) => {
  inbox.respond(reset)
  expect((await deliver()).result).toBe('transient')
})

test.each([{ kind: 'hang' }, { kind: 'drip', everyMs: 5 }] as const)(
  'a receiver that does $kind is cut off at the deadline of the whole request',
  async (scripted) => {
    inbox.respond(scripted)
    expect((await deliver(inbox.url, plain, 60)).result).toBe('transient')
  },
)

test('a stop ends a delivery in flight', async () => {
  inbox.respond({ kind: 'hang' })
  const stop = new AbortController()
  const pending = deliver(inbox.url, { ...plain, signal: stop.signal })
  setTimeout(() => stop.abort(), 20)
  expect((await pending).result).toBe('transient')
})

test('a refused connection is transient', async () => {
  await inbox.close()
  expect(await deliver()).toEqual({
    result: 'transient',
    reason: `${new URL(inbox.url).host} could not be reached (ECONNREFUSED)`,
  })
})

test('a certificate that nobody signed is dead', async () => {
  const server = createTlsServer(selfSigned, (_request, response) => response.end('ok'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  expect((await deliver(`https://127.0.0.1:${port}/services/T/B/k`)).result).toBe('dead')
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('an address that is none is refused without being repeated', () => {
  const create = () =>
    createSlackChannel({ clock }, { name: 'ops', type: 'slack', url: new Secret('hooks/averysecretkey') })
  expect(create).toThrow('channel ops: url is not an http or https address')
})
