import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAlertmanagerChannel } from '../../../../src/delivery/channels/alertmanager.ts'
import type { Message } from '../../../../src/delivery/channels/message.ts'
import { Secret } from '../../../../src/lib/secret.ts'
import { startFakeAlertmanager } from '../../../support/fakeAlertmanager.ts'
import { fc, timesOf, seeds } from '../../../support/fastCheck.ts'
import { hasProgram } from '../../../support/hasProgram.ts'
import { type RunningAlertmanager, startAlertmanager } from '../../../support/startAlertmanager.ts'
import { anyMessage } from '../../../unit/delivery/channels/anyMessage.ts'
import { toCase, toItem, toMessage } from '../../../unit/delivery/messages.ts'

const plain = { signal: new AbortController().signal, degraded: false, recipients: null }

function createChannel(url: string) {
  return createAlertmanagerChannel(
    { clock: { now: () => Date.now() } },
    { name: 'manager', type: 'alertmanager', url: new Secret(url) },
  )
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 300 && !isTrue(); tries += 1) await pause(20)
}

describe.runIf(hasProgram('prometheus-alertmanager'))('the real Alertmanager', () => {
  let manager: RunningAlertmanager
  beforeAll(async () => {
    manager = await startAlertmanager(
      'group_by: [case], group_wait: 50ms, group_interval: 100ms, repeat_interval: 1h',
    )
  })
  afterAll(() => manager.close())

  /** What its receivers were told of a case, in their order. */
  const heard = (id: string) =>
    manager.notifications
      .flatMap(({ alerts }) => alerts)
      .filter(({ labels }) => labels['case'] === id)
      .map(({ status, labels }) => `${status} ${labels['case_key']}`)

  async function deliver(message: Message, thread: string | null) {
    const channel = createChannel(manager.url)
    const result = await channel.deliver(message, { ...plain, thread })
    await channel.close()
    expect(result.result).toBe('ack')
    return result.result === 'ack' ? (result.thread ?? thread) : thread
  }

  test('tells its receivers of a case, of its end, and of its opening again', async () => {
    const of = toCase({ id: 'real-1', key: 'k1', openedAt: Date.now() - 1_000 })
    let thread = await deliver(toMessage({ case: of }), null)
    await until(() => heard('real-1').length >= 1)
    thread = await deliver(
      toMessage({ items: [], changes: ['closed'], case: { ...of, state: 'closed' } }),
      thread,
    )
    await until(() => heard('real-1').length >= 2)
    const again = { ...of, key: 'k2', openedAt: Date.now() }
    await deliver(toMessage({ changes: ['opened again'], case: again }), thread)
    await until(() => heard('real-1').includes('firing k2'))
    const told = heard('real-1')
    expect([told[0], told[1], told.at(-1)]).toEqual(['firing k1', 'resolved k1', 'firing k2'])
  })

  test('hears of a standing case again after its restart, and of one that is over no more', async () => {
    const of = toCase({ id: 'real-2', openedAt: Date.now() - 1_000 })
    const thread = (await deliver(toMessage({ case: of }), null)) ?? ''
    await manager.restart()
    const listed = async () => JSON.stringify(await (await fetch(`${manager.url}/api/v2/alerts`)).json())
    expect(await listed()).not.toContain('real-2')
    const channel = createChannel(manager.url)
    expect(await channel.refresh?.tell([{ case: of, thread }], plain)).toEqual({ result: 'ack' })
    expect(await listed()).toContain('real-2')
    await channel.close()
    await deliver(toMessage({ items: [], changes: ['handled'], case: { ...of, state: 'handled' } }), thread)
    expect(await listed()).not.toContain('real-2')
  })

  test('takes an alert of each kind without a case', async () => {
    await deliver(
      toMessage({ items: [toItem(), toItem({ alertId: 'bbbbbbbb', status: 'resolved' })], total: 9 }),
      null,
    )
  })

  test.each(seeds())('takes whatever is said (seed %i)', async (seed) => {
    const channel = createChannel(manager.url)
    await fc.assert(
      fc.asyncProperty(anyMessage, async (message) => {
        expect(await channel.deliver(message, plain)).toMatchObject({ result: 'ack' })
      }),
      { seed, numRuns: timesOf(100, seed) },
    )
    await channel.close()
  })
})

test('two messages of one case at the same time are one alert', async () => {
  const server = await startFakeAlertmanager()
  const channel = createChannel(server.url)
  const of = toCase()
  const some = [toItem({ rule: 'one' }), toItem({ rule: 'two' })]
  await Promise.all(some.map((item) => channel.deliver(toMessage({ items: [item], case: of }), plain)))
  const rules = server.posted.flatMap(({ body }) =>
    (JSON.parse(body) as { labels: { rule: string } }[]).map(({ labels }) => labels.rule),
  )
  expect(rules).toEqual(['one', 'one'])
  await channel.close()
  await server.close()
})

test('an end waits for what is being told again, which would bring it back; what is under way is not told again', async () => {
  const server = await startFakeAlertmanager()
  const channel = createAlertmanagerChannel(
    { clock: { now: () => Date.now() }, timeoutMs: 2_000 },
    { name: 'manager', type: 'alertmanager', url: new Secret(server.url) },
  )
  const of = toCase()
  const first = await channel.deliver(toMessage({ case: of }), plain)
  const standing = [{ case: of, thread: first.result === 'ack' ? (first.thread ?? '') : '' }]
  server.respond('hang')
  const telling = channel.refresh?.tell(standing, plain)
  const over = toMessage({ items: [], changes: ['closed'], case: toCase({ state: 'closed' }) })
  const ending = channel.deliver(over, plain)
  await pause(100)
  expect(server.posted).toHaveLength(2)
  // The message of its end is under way.
  expect(await channel.refresh?.tell(standing, plain)).toEqual({ result: 'ack' })
  expect([(await telling)?.result, (await ending).result]).toEqual(['transient', 'ack'])
  const ends = server.posted.map(({ body }) =>
    Date.parse((JSON.parse(body) as { endsAt: string }[])[0]?.endsAt ?? ''),
  )
  expect(ends.map((at) => at > Date.now())).toEqual([true, true, false])
  await channel.close()
  await server.close()
})

test.each([
  ['/', '/api/v2/alerts'],
  ['/manager/', '/manager/api/v2/alerts'],
  ['/manager/api/v2/alerts', '/manager/api/v2/alerts'],
])('an address that ends in %s is completed', async (path, expected) => {
  const server = await startFakeAlertmanager()
  const channel = createChannel(`${server.url}${path}`)
  await channel.deliver(toMessage({ case: toCase() }), plain)
  expect(server.posted[0]?.path).toBe(expected)
  await channel.close()
  await server.close()
})
