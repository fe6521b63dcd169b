import { expect, test } from 'vitest'
import { toWebhookBody, writeWebhookBody } from '../../../../src/delivery/channels/renderWebhook.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { toCase, toItem, toMessage } from '../messages.ts'

const form = { degraded: false, bodyError: null }

test.each([
  ['one item', toMessage({})],
  ['none', toMessage({ items: [], total: 0 })],
  ['a storm', toMessage({ rest: Array.from({ length: 250 }, (_, n) => toItem({ alertId: String(n) })) })],
  ['a text that looks like the list of items', toMessage({ headline: '"items":[]', case: toCase({}) })],
])('what is written in steps is the documented body: %s', (_, message) => {
  expect(runAtOnce(writeWebhookBody(message, form))).toBe(JSON.stringify(toWebhookBody(message, form)))
})

test('the plain form lists nothing, and says why a body could not be made', () => {
  const plain = { degraded: true, bodyError: 'no such name' }
  const text = runAtOnce(writeWebhookBody(toMessage({}), plain))
  expect(text).toBe(JSON.stringify(toWebhookBody(toMessage({}), plain)))
  expect(JSON.parse(text)).toMatchObject({ items: [], bodyError: 'no such name' })
})
