import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { createWebhookChannel } from '../../../src/delivery/channels/webhook.ts'
import { listCodes, readDoc, readTable } from '../../unit/docs/markdown.ts'
import { toCase, toMessage } from '../../unit/delivery/messages.ts'

const document = readDoc('docs/webhook.md')

test('docs/webhook.md lists the keys of body and items and the headers as they are sent', async () => {
  let received: { headers: Readonly<Record<string, unknown>>; body: string } | null = null
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        received = { headers: request.headers, body }
        response.end()
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const channel = createWebhookChannel(
    { clock: { now: () => 0 } },
    { name: 'hook', type: 'webhook', url, secret: new Secret('a-long-secret') },
  )
  await channel.deliver(toMessage({ case: toCase() }), {
    signal: new AbortController().signal,
    degraded: false,
    recipients: null,
  })
  await channel.close()
  const { headers, body } = received ?? { headers: {}, body: '{}' }
  const parsed = JSON.parse(body) as { items: object[]; case: object }
  const [bodyTable = '', caseTable = '', itemTable = ''] = document
    .slice(document.indexOf('## Body'))
    .split(/A case:|An item:/)
  const keys = (part: string) => readTable(part, 'key', 'type').flatMap(([key = '']) => listCodes(key))
  expect(keys(bodyTable).sort()).toEqual(Object.keys(parsed).sort())
  expect(keys(caseTable).sort()).toEqual(Object.keys(parsed.case).sort())
  expect(keys(itemTable).sort()).toEqual(Object.keys(parsed.items[0] ?? {}).sort())
  const named = readTable(document, 'header', 'holds').map(([name = '']) => listCodes(name)[0] ?? '')
  expect(named.sort()).toEqual(
    Object.keys(headers)
      .filter((name) => name.startsWith('x-spanwatch-'))
      .sort(),
  )
})
