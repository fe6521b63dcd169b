import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createChannel } from '../../../../src/delivery/channels/createChannel.ts'
import type { DeliveryResult } from '../../../../src/delivery/channels/message.ts'
import { createSystemClock } from '../../../../src/lib/clock.ts'
import type { ChannelServer } from '../../../support/channelServer.ts'
import { services } from '../../../support/channelServices.ts'
import { fc, timesOf, seeds } from '../../../support/fastCheck.ts'
import { anyMessage } from '../../../unit/delivery/channels/anyMessage.ts'
import { toCase, toItem, toMessage } from '../../../unit/delivery/messages.ts'

// What holds for every service that takes messages by HTTP: whatever it does, the message is told or tried again, and no
// secret is said. What each service says in its own words is tested in a file of its own.

const now = Date.UTC(2026, 0, 5, 9)
const plain = { signal: new AbortController().signal, degraded: false, recipients: null }

describe.each(Object.entries(services))('%s', (_, { start, config, secrets }) => {
  let server: ChannelServer
  let said: string[]
  beforeEach(async () => {
    server = await start()
    said = []
  })
  afterEach(async () => {
    await server.close()
    expect(secrets.filter((secret) => said.join('\n').includes(secret))).toEqual([])
  })

  async function deliver(
    message = toMessage({ case: toCase() }),
    options = plain,
    timeoutMs = 5_000,
  ): Promise<DeliveryResult> {
    const clock = { ...createSystemClock(), now: () => now }
    const deps = { clock, write: () => undefined, color: false, timeoutMs }
    const channel = createChannel(deps, config(server.url))
    try {
      const result = await channel.deliver(message, options)
      said.push(JSON.stringify(result))
      return result
    } finally {
      await channel.close()
    }
  }

  test('a case is told and acknowledged', async () => {
    expect(await deliver()).toMatchObject({ result: 'ack' })
    expect(server.posted).toHaveLength(1)
    expect(server.posted[0]?.body).toContain('c42')
  })

  test('the plain form is told and acknowledged', async () => {
    expect(await deliver(toMessage({ case: toCase() }), { ...plain, degraded: true })).toMatchObject({
      result: 'ack',
    })
  })

  test('a test message is told and acknowledged', async () => {
    const items = [toItem({ alertId: '00000000', severity: 'info', labels: { test: 'true' } })]
    expect(await deliver(toMessage({ items, severity: 'info' }))).toMatchObject({ result: 'ack' })
  })

  test.each(seeds(2_099_128_070))('whatever is said, the service takes it (seed %i)', async (seed) => {
    await fc.assert(
      fc.asyncProperty(anyMessage, fc.boolean(), async (message, degraded) => {
        expect(await deliver(message, { ...plain, degraded })).toMatchObject({ result: 'ack' })
      }),
      { seed, numRuns: timesOf(60, seed) },
    )
  })

  test.each(['hang', 'drip', 'reset', 'cut'] as const)(
    '%s: it may have arrived, and is tried again',
    async (how) => {
      server.respond(how)
      const timeoutMs = how === 'hang' || how === 'drip' ? 300 : 5_000
      expect(await deliver(undefined, plain, timeoutMs)).toMatchObject({ result: 'transient' })
    },
  )

  test('a service that is not there is tried again', async () => {
    await server.close()
    expect(await deliver()).toMatchObject({ result: 'transient' })
  })

  test('what is stopped is tried again', async () => {
    server.respond('hang')
    expect(await deliver(toMessage(), { ...plain, signal: AbortSignal.abort() })).toMatchObject({
      result: 'transient',
    })
  })

  test.each([500, 502, 503, 504, 408])('HTTP %i is tried again', async (status) => {
    server.respond({ status, body: `<html>${secrets.join()}` })
    expect(await deliver()).toMatchObject({ result: 'transient' })
  })

  test.each([301, 302, 307, 308])('HTTP %i is not followed', async (status) => {
    server.respond({ status, headers: { location: '/elsewhere' } })
    expect(await deliver()).toMatchObject({ result: 'dead' })
    expect(server.posted).toHaveLength(1)
  })

  test.each([401, 403, 404, 410])('HTTP %i: it refuses us', async (status) => {
    server.respond({ status, body: secrets.join() })
    expect(await deliver()).toMatchObject({ result: 'dead' })
  })

  test.each([400, 413])('HTTP %i: it refuses the message', async (status) => {
    server.respond({ status, body: secrets.join() })
    expect(await deliver()).toMatchObject({ result: 'bad_message' })
  })

  test.each([
    ['7', 7_000],
    [new Date(now + 20_000).toUTCString(), 20_000],
    ['86400', 900_000],
  ])('HTTP 429 with Retry-After %s waits %i ms', async (header, retryAfterMs) => {
    server.respond({ status: 429, headers: { 'retry-after': header } })
    expect(await deliver()).toMatchObject({ result: 'throttled', retryAfterMs })
  })

  test.each([undefined, 'soon', '-1'])('HTTP 429 with Retry-After %s waits a while', async (header) => {
    server.respond({ status: 429, ...(header !== undefined && { headers: { 'retry-after': header } }) })
    const result = await deliver()
    expect(result.result === 'throttled' && result.retryAfterMs).toBeGreaterThanOrEqual(1_000)
  })

  test.each(['<html>Sign in to the guest network</html>', '{"half": ', '[]', 'null'])(
    'HTTP 200 with %s is no acknowledgement',
    async (body) => {
      server.respond({ status: 200, body })
      expect(await deliver()).toMatchObject({ result: 'suspicious' })
    },
  )
})
