import { expect, onTestFinished, test } from 'vitest'
import { crossTransactions } from '../../src/clients/explorer/endpoints/crossRecords.ts'
import { createRpc } from '../../src/clients/rpc/createRpc.ts'
import { Secret } from '../../src/lib/secret.ts'
import { createChannel } from '../../src/delivery/channels/createChannel.ts'
import type { Message } from '../../src/delivery/channels/message.ts'
import { beat } from '../../src/monitor/watching.ts'
import { startApiStub, type StubReply } from '../support/apiStub.ts'
import { createTestExplorer } from '../support/createTestExplorer.ts'
import { createSteppedClock } from '../support/steppedClock.ts'

const clock = createSteppedClock()
const signal = new AbortController().signal

const auth = {
  signer: 'hmac-sha256' as const,
  key: new Secret('key-12345678'),
  secret: new Secret('secret-12345678'),
  passphrase: new Secret('pass-12345678'),
}

const message: Message = {
  id: 'a1b2c3',
  attempt: 1,
  channel: 'a',
  severity: 'critical',
  headline: 'CRITICAL: x',
  items: [],
  rest: [],
  case: null,
  changes: [],
  total: 1,
  createdAt: 0,
  pageUrl: null,
}

/** Whoever asks one server is sent to the other, which would answer well. */
async function serve(status: number) {
  const other = await startApiStub(() => ({
    json: { code: '0', msg: '', data: [], jsonrpc: '2.0', result: '0x1' },
  }))
  const reply: StubReply = { status, headers: { location: `${other.url}/elsewhere` }, body: 'ok' }
  const first = await startApiStub(() => reply)
  onTestFinished(async () => {
    await Promise.all([first.close(), other.close()])
  })
  return { first, other }
}

type Asks = (url: string) => Promise<unknown>

const askers: Record<string, Asks> = {
  async explorer(url) {
    const explorer = createTestExplorer(url, { auth })
    try {
      return await explorer.call(crossTransactions, {}, { priority: 'tail', attempts: 1 })
    } finally {
      await explorer.close()
    }
  },
  async rpc(url) {
    const rpc = createRpc({ source: 'canonical', url, clock })
    try {
      return await rpc.call('eth_blockNumber', [], { attempts: 1 })
    } finally {
      await rpc.close()
    }
  },
  slack: (url) => deliver({ name: 'a', type: 'slack', url: new Secret(`${url}/services/T/B/k`) }),
  'slack-app': (url) =>
    deliver({
      name: 'a',
      type: 'slack-app',
      token: new Secret('xoxb-12345678'),
      channel: 'ops',
      url: new Secret(`${url}/api/`),
    }),
  webhook: (url) =>
    deliver({ name: 'a', type: 'webhook', url: new Secret(url), secret: new Secret('secret-12345678') }),
  pagerduty: (url) =>
    deliver({ name: 'a', type: 'pagerduty', routingKey: new Secret('k'), url: new Secret(url) }),
  alertmanager: (url) => deliver({ name: 'a', type: 'alertmanager', url: new Secret(url) }),
  teams: (url) => deliver({ name: 'a', type: 'teams', url: new Secret(url) }),
  discord: (url) => deliver({ name: 'a', type: 'discord', url: new Secret(url) }),
  telegram: (url) =>
    deliver({ name: 'a', type: 'telegram', botToken: new Secret('1:a'), chatId: '1', url: new Secret(url) }),
  heartbeat: (url) => beat({ url: new Secret(`${url}/ping/k`), isAlive: true }, signal),
}

async function deliver(config: Parameters<typeof createChannel>[1]) {
  const channel = createChannel({ clock, write: () => {}, color: false }, config)
  try {
    const answer = await channel.deliver(message, { signal, degraded: false, recipients: null })
    if (answer.result !== 'ack') throw new Error(answer.result)
  } finally {
    await channel.close()
  }
}

test.each(
  Object.entries(askers).flatMap(([name, ask]) =>
    [301, 302, 303, 307, 308].map((status) => ({ name, ask, status })),
  ),
)('F77: $name does not follow HTTP $status to another host', async ({ ask, status }) => {
  const { first, other } = await serve(status)
  await expect(ask(first.url)).rejects.toThrow()
  expect(first.requests).toHaveLength(1)
  expect(other.requests).toEqual([])
})
