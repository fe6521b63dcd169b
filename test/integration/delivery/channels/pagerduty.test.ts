import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPagerDutyChannel } from '../../../../src/delivery/channels/pagerduty.ts'
import type { Message } from '../../../../src/delivery/channels/message.ts'
import { toTestMessage } from '../../../../src/delivery/channels/toTestMessage.ts'
import { Secret } from '../../../../src/lib/secret.ts'
import {
  type FakePagerDuty,
  refusal,
  routingKey,
  startFakePagerDuty,
} from '../../../support/fakePagerDuty.ts'
import { toCase, toItem, toMessage } from '../../../unit/delivery/messages.ts'

const plain = { signal: new AbortController().signal, degraded: false, recipients: null }

let pagerDuty: FakePagerDuty
beforeEach(async () => {
  pagerDuty = await startFakePagerDuty()
})
afterEach(() => pagerDuty.close())

async function deliver(message: Message, of: { readonly thread?: string; readonly key?: string } = {}) {
  const channel = createPagerDutyChannel(
    { clock: { now: () => 0 } },
    {
      name: 'pager',
      type: 'pagerduty',
      routingKey: new Secret(of.key ?? routingKey),
      url: new Secret(pagerDuty.url),
    },
  )
  try {
    return await channel.deliver(message, { ...plain, thread: of.thread ?? null })
  } finally {
    await channel.close()
  }
}

const states = () => [...pagerDuty.alerts.values()].map(({ state }) => state)

test('a case rings once, whatever joins it, is taken, and ends', async () => {
  const first = await deliver(toMessage({ case: toCase() }))
  expect(first).toEqual({ result: 'ack', thread: 'ledger-1:c42:1' })
  await deliver(toMessage({ items: [toItem({ status: 'update' })], case: toCase() }))
  expect([pagerDuty.rings.length, ...states()]).toEqual([1, 'triggered'])
  await deliver(toMessage({ items: [], changes: ['acknowledged'], case: toCase({ state: 'acknowledged' }) }))
  expect(states()).toEqual(['acknowledged'])
  await deliver(toMessage({ items: [], changes: ['closed'], case: toCase({ state: 'closed' }) }))
  expect([pagerDuty.rings.length, ...states()]).toEqual([1, 'resolved'])
})

test('a case that opens again rings anew, and leaves one alert open', async () => {
  await deliver(toMessage({ case: toCase() }))
  const again = toMessage({ changes: ['opened again'], case: toCase({ key: 'ledger-1:c42:2' }) })
  await deliver(again, { thread: 'ledger-1:c42:1' })
  expect([pagerDuty.rings.length, ...states()]).toEqual([2, 'resolved', 'triggered'])
})

test('what was sent twice rings once', async () => {
  pagerDuty.respond('cut')
  const message = toMessage({ case: toCase() })
  expect((await deliver(message)).result).toBe('transient')
  await deliver(message)
  await deliver({ ...message, attempt: 3 })
  expect(pagerDuty.rings).toHaveLength(1)
})

test('a test leaves no alert open', async () => {
  const message = toTestMessage({ channel: 'pager', now: 0, pageUrl: null, sentBy: 'a test' })
  expect(await deliver(message)).toEqual({ result: 'ack' })
  expect(states()).toEqual(['resolved'])
})

test('the second of two events that fails is the answer, and all of it is sent again', async () => {
  pagerDuty.respond({ status: 202, body: '{"status":"success"}' }, { status: 429 })
  const items = [toItem({ alertId: 'aaaaaaaa' }), toItem({ alertId: 'bbbbbbbb' })]
  expect(await deliver(toMessage({ items }))).toEqual({
    result: 'throttled',
    retryAfterMs: 30_000,
    reason: expect.stringContaining('answered 429'),
  })
  expect(await deliver(toMessage({ items }))).toEqual({ result: 'ack' })
  expect(pagerDuty.rings).toHaveLength(2)
})

test.each([
  { key: 'wrong', errors: ['Invalid routing key'] },
  { key: 'short', errors: ["Length of 'routing_key' is incorrect (should be 32 characters)"] },
])(
  'a routing key that it does not know ($errors) closes the channel, and is not said',
  async ({ key, errors }) => {
    pagerDuty.respond(refusal(errors))
    const answer = await deliver(toMessage(), { key })
    expect(answer).toMatchObject({
      result: 'dead',
      reason: expect.stringContaining('does not know this routing key'),
    })
    expect(JSON.stringify(answer)).not.toContain(key)
  },
)

test('an event that it calls invalid is a bad message', async () => {
  pagerDuty.respond(refusal(["'payload.summary' is missing or blank"]))
  expect((await deliver(toMessage())).result).toBe('bad_message')
})

test('the host alone is enough of an address', async () => {
  await deliver(toMessage())
  expect(pagerDuty.posted.map(({ path }) => path)).toEqual(['/v2/enqueue'])
})
