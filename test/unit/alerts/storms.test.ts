import { expect, test } from 'vitest'
import type { DeliveryResult } from '../../../src/delivery/channels/message.ts'
import {
  createBench,
  createEvent,
  createFakeChannel,
  createRoute,
  createRule,
  type FakeChannel,
} from './harness.ts'

const failed = createRule()
const urgent = createRule({ name: 'urgent', severity: 'critical' })

/** A receiver that takes each message after a time, and knows how many it had at once. */
function createSlowChannel(name: string, takesMs: number, type: FakeChannel['type'] = 'webhook') {
  const at: number[] = []
  const load = { now: 0, most: 0 }
  const channel = createFakeChannel(name, type)
  let sleep = async (_ms: number): Promise<void> => {}
  let now = () => 0
  const slow: FakeChannel = {
    ...channel,
    async deliver(message, options): Promise<DeliveryResult> {
      at.push(now())
      load.most = Math.max(load.most, (load.now += 1))
      await sleep(takesMs)
      load.now -= 1
      return channel.deliver(message, options)
    },
  }
  const use = (clock: { sleep(ms: number): Promise<void>; monotonicMs(): number }) => {
    sleep = (ms) => clock.sleep(ms)
    now = () => clock.monotonicMs()
  }
  return { slow, sent: channel.sent, at, load, use }
}

const totalOf = (messages: readonly { readonly total: number }[]) =>
  messages.reduce((sum, { total }) => sum + total, 0)

test('F63: 4,000 events in 4,000 groups reach Slack at a message a second, counted exactly, a critical one within 5 s', async () => {
  const slack = createSlowChannel('ops', 50, 'slack')
  const { engine, clock, store, startSending } = createBench({
    fakes: [slack.slow],
    routes: [createRoute({ groupBy: ['token'] })],
    rules: [failed, urgent],
  })
  slack.use(clock)
  const dispatcher = startSending()
  let criticalAt = Infinity
  for (let n = 0; n < 4_000; n += 200) {
    const findings = Array.from({ length: 200 }, (_, index) => {
      const finding = createEvent(n + index + 1)
      return { rule: failed, finding: { ...finding, labels: { ...finding.labels, token: `0x${n + index}` } } }
    })
    engine.tellEvents(findings, clock.now())
    if (n === 2_000) {
      engine.tellEvents([{ rule: urgent, finding: createEvent(9_999) }], clock.now())
      criticalAt = clock.monotonicMs()
    }
    dispatcher.wake()
    await clock.advance(500)
  }
  const first = slack.sent.findIndex(({ severity }) => severity === 'critical')
  expect(slack.at[first]).toBeLessThan(criticalAt + 5_000)
  while (store.listDepths().length > 0) await clock.advance(1_000)
  expect(totalOf(slack.sent)).toBe(4_001)
  expect(slack.sent.length).toBeLessThan(40)
  // A burst of three, then at most one a second.
  const seconds = slack.at.map((at) => slack.at.filter((other) => other >= at && other < at + 10_000).length)
  expect(Math.max(...seconds)).toBeLessThanOrEqual(13)
  await dispatcher.stop()
})

test('F64: 1,000 alerts for ten receivers that take 100 ms each: at most two at once for each and eight in all, and the queue drains', async () => {
  const receivers = Array.from({ length: 10 }, (_, n) => createSlowChannel(`r${n}`, 100))
  const { engine, clock, store, startSending } = createBench({
    fakes: receivers.map(({ slow }) => slow),
    routes: [createRoute({ channels: receivers.map(({ slow }) => slow.name) })],
    rules: [failed, urgent],
  })
  for (const { use } of receivers) use(clock)
  const dispatcher = startSending()
  let most = 0
  for (let n = 0; n < 1_000; n += 100) {
    const findings = Array.from({ length: 100 }, (_, index) => ({
      rule: index % 50 === 0 ? urgent : failed,
      finding: createEvent(n + index + 1),
    }))
    engine.tellEvents(findings, clock.now())
    dispatcher.wake()
    for (let step = 0; step < 10; step += 1) {
      await clock.advance(25)
      most = Math.max(most, dispatcher.inFlight())
    }
  }
  for (let rounds = 0; store.listDepths().length > 0 && rounds < 200; rounds += 1) await clock.advance(1_000)
  expect(store.listDepths()).toEqual([])
  expect(receivers.map(({ sent }) => totalOf(sent))).toEqual(receivers.map(() => 1_000))
  expect(Math.max(...receivers.map(({ load }) => load.most))).toBeLessThanOrEqual(2)
  expect(most).toBe(8)
  await clock.advance(30_000)
  expect(dispatcher.inFlight()).toBe(0)
  await dispatcher.stop()
})
