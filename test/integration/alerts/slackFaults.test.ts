import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSlackInbox, type SlackAnswer } from '../../../src/sandbox/inbox/slackInbox.ts'
import { createWireBench, slackTo, type WireOptions } from '../../support/wireBench.ts'
import { createEvent, createRoute, createRule } from '../../unit/alerts/harness.ts'
import { selfSigned } from '../delivery/selfSigned.ts'

const minute = 60_000

async function startInbox() {
  const inbox = await createSlackInbox()
  onTestFinished(() => inbox.close())
  return inbox
}

/** Slack as `ops`, and a second Slack as the fallback channel. */
async function setUp(options: Partial<WireOptions> = {}) {
  const ops = await startInbox()
  const spare = await startInbox()
  const bench = createWireBench({
    channels: [slackTo(ops.url), slackTo(spare.url, 'spare')],
    fallback: 'spare',
    ...options,
  })
  const sentAt = () => bench.at('ops').map(({ afterMs }) => afterMs)
  return { ops, spare, bench, sentAt }
}

const answer = (status: number, body = '', headers: Record<string, string> = {}): SlackAnswer => ({
  kind: 'answer',
  status,
  body,
  headers,
})
/** The amounts that Slack was told, in order; every event has its own. */
const amountsOf = (inbox: { messages: readonly { text: string }[] }) =>
  inbox.messages.flatMap(({ text }) => [
    ...new Set(
      [...text.matchAll(/Withdrawal of ([\d,]+) USDC/g)].map(([, one = '']) => Number(one.replace(',', ''))),
    ),
  ])

describe('F22: a 429', () => {
  test.each([
    { header: '1', waits: 1_000 },
    { header: '30', waits: 30_000 },
    { header: 'in 40 s', waits: 40_000 },
    { header: null, waits: 1_000 },
    { header: 'garbage', waits: 1_000 },
    { header: '999999', waits: 15 * minute },
  ])(
    'with Retry-After $header makes the whole channel wait $waits ms, then goes on in order',
    async ({ header, waits }) => {
      const { ops, spare, bench, sentAt } = await setUp({ random: () => 0 })
      const text = header === 'in 40 s' ? new Date(bench.clock.now() + 40_000).toUTCString() : header
      ops.respond(answer(429, 'rate_limited', text === null ? {} : { 'retry-after': text }))
      await bench.tell(1)
      await bench.tell(2, { severity: 'warning' })
      await bench.advance(waits - 1)
      expect(ops.messages).toEqual([])
      await bench.advance(1)
      await bench.advance(3_000)
      expect(sentAt().slice(0, 2)).toEqual([0, waits])
      expect(amountsOf(ops)).toEqual([1, 2])
      expect(bench.at('ops').every(({ attempt }) => attempt === 1)).toBe(true)
      expect(spare.messages).toEqual([])
    },
  )
})

test('F23: after an hour of 429 all of 500 alerts are told by few messages whose counts add up', async () => {
  const { ops, bench } = await setUp()
  // Each minute for ten, then every five.
  ops.respond(...Array.from({ length: 21 }, () => answer(429, '', { 'retry-after': '60' })))
  for (let n = 1; n <= 500; n += 1) {
    await bench.tell(n, { severity: 'warning' })
    if (n % 10 === 0) await bench.advance(minute)
  }
  await bench.advance(20 * minute)
  const told = bench.at('ops').filter(({ result }) => result.result === 'ack')
  expect(told.reduce((sum, { total }) => sum + total, 0)).toBe(500)
  expect(told.length).toBeLessThan(5)
  expect(ops.messages[0]?.text).toContain('500 withdrawals failed')
  expect(ops.messages.map(({ text }) => text).join('\n')).toContain('500 USDC')
})

test('F24: 500, 502, 503 and 504 are tried again at growing distances, and the message arrives once', async () => {
  const { ops, bench, sentAt } = await setUp()
  ops.respond(answer(500), answer(502), answer(503), answer(504))
  await bench.tell(1)
  await bench.advance(minute)
  expect(sentAt()).toEqual([0, 1_000, 3_000, 7_000, 15_000])
  expect(amountsOf(ops)).toEqual([1])
})

test('F24: the distances vary by half in both directions', async () => {
  for (const [random, second] of [
    [0, 500],
    [0.999, 1_499],
  ] as const) {
    const { ops, bench, sentAt } = await setUp({ random: () => random })
    ops.respond(answer(500))
    await bench.tell(1)
    await bench.advance(5_000)
    expect(sentAt()[1]).toBe(second)
  }
})

test.each(['before', 'inside'] as const)(
  'F25: a connection reset %s the body is tried again once, marked as the second attempt of one id',
  async (when) => {
    const { ops, bench } = await setUp()
    ops.respond({ kind: 'reset', when })
    await bench.tell(1)
    await bench.advance(minute)
    const [first, second, ...more] = ops.requests.map(({ body }) =>
      /message #(\w+)( · attempt 2)?/.exec(body),
    )
    expect(more).toEqual([])
    expect([first?.[2], second?.[1], second?.[2]]).toEqual([undefined, first?.[1], ' · attempt 2'])
  },
)

test.each(['<html>maintenance</html>', 'invalid_payload', '', 'OK\n'])(
  'F26: 200 with %j is no acknowledgement: three retries, then the fallback is told, and that the channel is dead',
  async (body) => {
    const { ops, spare, bench } = await setUp()
    ops.respond(...Array.from({ length: 9 }, () => answer(200, body)))
    await bench.tell(1)
    await bench.advance(10 * minute)
    expect(ops.requests.length).toBe(4)
    expect(amountsOf(spare)).toEqual([1])
    expect(bench.store.getChannel('ops').circuit).toBe('open')
    expect(spare.requests.map(({ body }) => body).join()).toContain('monitor.channel_dead')
  },
)

describe('F27: a receiver that does not answer', () => {
  test.each([
    { title: 'never', scripted: { kind: 'hang' } },
    { title: 'after the headers', scripted: { kind: 'drip', everyMs: 60_000 } },
    { title: 'but by a byte at a time', scripted: { kind: 'drip', everyMs: 5 } },
  ] as const)(
    '$title is cut off, and holds up neither another channel nor the loop',
    async ({ scripted }) => {
      const ops = await startInbox()
      const other = await startInbox()
      const routes = [createRoute({ channels: ['ops', 'other'] })]
      const channels = [slackTo(ops.url), slackTo(other.url, 'other')]
      const bench = createWireBench({ channels, routes, deps: { timeoutMs: 2_000 } })
      ops.respond(scripted)
      const told = bench.tell(1)
      while (other.messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
      expect(bench.at('ops')).toEqual([])
      await told
      expect(bench.at('ops')[0]?.result.result).toBe('transient')
      await bench.advance(5_000)
      expect(amountsOf(other)).toEqual([1])
      expect(amountsOf(ops)).toEqual([1])
    },
  )
})

test.each(['invalid_blocks', 'msg_blocks_too_long', 'no_text'])(
  'F28: 400 %s is tried once in plain form, then set aside and told on the fallback; what is behind it goes on',
  async (body) => {
    const { ops, spare, bench } = await setUp()
    ops.respond(answer(400, body), answer(400, body))
    await bench.tell(1)
    await bench.advance(1_000)
    await bench.tell(2)
    await bench.advance(5_000)
    const blocks = ops.requests.map(({ body: sent }) => JSON.parse(sent).blocks !== undefined)
    expect(blocks).toEqual([true, false, true])
    expect(amountsOf(ops)).toEqual([2])
    expect(amountsOf(spare)).toEqual([1])
  },
)

test.each([
  { status: 403, body: 'action_prohibited' },
  { status: 404, body: 'no_service' },
  { status: 410, body: 'channel_is_archived' },
])(
  'F29: $status $body opens the circuit: fallback once, a probe every 15 minutes, closed by itself',
  async ({ status, body }) => {
    const { ops, spare, bench, sentAt } = await setUp()
    ops.respond(answer(status, body), answer(status, body), answer(status, body))
    await bench.tell(1)
    await bench.advance(50 * minute)
    expect(sentAt()).toEqual([0, 15, 30, 45].map((minutes) => minutes * minute))
    expect(amountsOf(spare)).toEqual([1])
    const dead = spare.messages.filter(({ text }) => text.includes('monitor.channel_dead'))
    expect(dead.filter(({ text }) => !/resolved/i.test(text)).length).toBe(1)
    expect(dead.filter(({ text }) => /resolved/i.test(text)).length).toBe(1)
    await bench.tell(2)
    expect(amountsOf(ops)).toEqual([1, 2])
  },
)

test.each([301, 302, 307, 308])(
  'F30: a %i to another host is not followed and closes the channel',
  async (status) => {
    const { ops, spare, bench } = await setUp()
    const elsewhere = await startInbox()
    ops.respond(answer(status, '', { location: elsewhere.url }))
    await bench.tell(1)
    await bench.advance(minute)
    expect(elsewhere.requests).toEqual([])
    expect(ops.requests.length).toBe(1)
    expect(amountsOf(spare)).toEqual([1])
    expect(bench.store.getChannel('ops').circuit).toBe('open')
  },
)

type Lookup = (host: string, options: object, done: (...args: unknown[]) => void) => void

/** Connections whose names are looked up as told; given to `connect`, so nothing leaves this machine. */
function dispatcherOf(lookup: Lookup, timeout = 5_000): Agent {
  const agent = new Agent({ connect: { lookup: lookup as never, timeout } })
  onTestFinished(() => agent.destroy())
  return agent
}

describe('F31: a receiver that cannot be reached', () => {
  const failing =
    (code: string): Lookup =>
    (_host, _options, done) =>
      done(Object.assign(new Error(`lookup ${code}`), { code }))
  test.each([
    { title: 'an unknown name', lookup: failing('ENOTFOUND'), code: 'ENOTFOUND' },
    { title: 'a name server that fails', lookup: failing('EAI_AGAIN'), code: 'EAI_AGAIN' },
  ])('$title: later again, with the address in no line of the log', async ({ lookup, code }) => {
    const dispatcher = dispatcherOf(lookup)
    const bench = createWireBench({
      channels: [slackTo('http://localhost:9/services/T000/B000/averysecretkey')],
      deps: { dispatcher },
    })
    await bench.tell(1)
    await bench.advance(10_000)
    expect(bench.attempts.map(({ afterMs }) => afterMs)).toEqual([0, 1_000, 3_000, 7_000])
    expect(bench.attempts[0]?.result).toMatchObject({ result: 'transient' })
    expect(bench.log.join('')).toContain(code)
    expect(bench.log.join('')).not.toContain('averysecretkey')
  })

  test('an address that swallows everything: cut off after the time to connect, later again', async () => {
    const dispatcher = dispatcherOf(() => {}, 60)
    const bench = createWireBench({
      channels: [slackTo('http://localhost:9/services/T/B/k')],
      deps: { dispatcher },
    })
    await bench.tell(1)
    expect(bench.attempts[0]?.result.result).toBe('transient')
  })

  test('a name with a dead IPv6 address beside a good IPv4 one: delivered by the other', async () => {
    const inbox = await startInbox()
    const dispatcher = dispatcherOf((_host, _options, done) =>
      done(null, [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]),
    )
    const bench = createWireBench({
      channels: [slackTo(inbox.url.replace('127.0.0.1', 'localhost'))],
      deps: { dispatcher, timeoutMs: 5_000 },
    })
    await bench.tell(1)
    expect(bench.attempts[0]?.result.result).toBe('ack')
  })

  test('a certificate that nobody signed, or of another host: the channel is closed and the fallback told', async () => {
    const server = createTlsServer(selfSigned, (_request, response) => response.end('ok'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const spare = await startInbox()
    const { port } = server.address() as AddressInfo
    // The certificate names localhost and 127.0.0.1: trusted, it is still that of another host.
    const named = new Agent({
      connect: { ca: selfSigned.cert, servername: 'hooks.example.com', timeout: 5_000 },
    })
    onTestFinished(() => named.destroy())
    for (const deps of [{}, { dispatcher: named }]) {
      const bench = createWireBench({
        channels: [
          slackTo(`https://127.0.0.1:${port}/services/T/B/averysecretkey`),
          slackTo(spare.url, 'spare'),
        ],
        fallback: 'spare',
        deps: { ...deps, timeoutMs: 5_000 },
      })
      await bench.tell(1)
      await bench.advance(1_000)
      expect(bench.at('ops')[0]?.result.result).toBe('dead')
      expect(bench.log.join('')).not.toContain('averysecretkey')
    }
    expect(spare.messages.length).toBeGreaterThanOrEqual(2)
  })

  test('nobody listening: later again', async () => {
    const inbox = await createSlackInbox()
    await inbox.close()
    const bench = createWireBench({ channels: [slackTo(inbox.url)] })
    await bench.tell(1)
    expect(bench.attempts[0]?.result).toMatchObject({ result: 'transient' })
  })
})

test('5,000 failed transfers at once: few messages, true counts, the largest named, a critical of another rule in 5 s', async () => {
  const { ops, bench } = await setUp()
  const rule = createRule({ name: 'failed', severity: 'warning' })
  bench.commit((now) =>
    bench.engine.tellEvents(
      Array.from({ length: 5_000 }, (_, index) => ({ rule, finding: createEvent(index + 1) })),
      now,
    ),
  )
  await bench.advance(1)
  await bench.tell(9_999, { name: 'other' })
  await bench.advance(5_000)
  const critical = bench.at('ops').filter(({ total, result }) => total === 1 && result.result === 'ack')
  expect(critical.length).toBe(1)
  expect(critical[0]?.afterMs).toBeLessThan(5_000)
  await bench.advance(30 * minute)
  const told = bench.at('ops').filter(({ result }) => result.result === 'ack')
  expect(told.reduce((sum, { total }) => sum + total, 0)).toBe(5_001)
  expect(told.length).toBeLessThanOrEqual(20)
  const texts = ops.messages.map(({ text }) => text).join('\n')
  for (const largest of ['5,000 USDC', '4,991 USDC']) expect(texts).toContain(largest)
})

test('500, then no answer, then 429 with Retry-After: 5: waits 5 s and delivers', async () => {
  const { ops, bench, sentAt } = await setUp({ random: () => 0, deps: { timeoutMs: 2_000 } })
  ops.respond(answer(500), { kind: 'hang' }, answer(429, 'rate_limited', { 'retry-after': '5' }))
  await bench.tell(1)
  await bench.advance(minute)
  const times = sentAt()
  expect(times.length).toBe(4)
  expect((times[3] ?? 0) - (times[2] ?? 0)).toBeGreaterThanOrEqual(5_000)
  expect((times[3] ?? 0) - (times[2] ?? 0)).toBeLessThan(5_500)
  expect(amountsOf(ops)).toEqual([1])
})
