import { describe, expect, onTestFinished, test } from 'vitest'
import type { Message } from '../../../src/delivery/channels/message.ts'
import type { Judgement } from '../../../src/rules/kind.ts'
import {
  createBench,
  createCondition,
  createEvent,
  createFakeChannel,
  createLoneEvent,
  createRoute,
  createRule,
  createTransfer,
} from '../alerts/harness.ts'

const minute = 60_000
const failed = createRule()
const critical = createRule({ name: 'urgent', severity: 'critical' })

test('an event is at the channel without any time passing', async () => {
  const { engine, clock, startSending, ops } = createBench()
  const dispatcher = startSending()
  await clock.advance(0)
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  dispatcher.wake()
  await clock.advance(0)
  expect(ops.sent.map((message) => message.items.map((item) => item.summary))).toEqual([
    ['Withdrawal of 1 USDC failed'],
  ])
  await dispatcher.stop()
})

test('an acknowledged event leaves the outbox and is delivered', async () => {
  const { engine, clock, startSending, store } = createBench()
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(0)
  expect(store.listDepths()).toEqual([])
  expect(store.listAlerts({ limit: 10 }).map(({ state }) => state)).toEqual(['delivered'])
  await dispatcher.stop()
})

test('what is queued while the channel is busy joins its next message (semantics 29)', async () => {
  const { engine, clock, startSending, ops } = createBench()
  const slow = Promise.withResolvers<{ result: 'ack' }>()
  ops.answers = [slow.promise, { result: 'ack' }]
  const dispatcher = startSending()
  for (const n of [1, 2, 3, 4, 5]) {
    engine.tellEvents([{ rule: failed, finding: createEvent(n) }], clock.now())
    dispatcher.wake()
    await clock.advance(10)
  }
  expect(ops.sent.map(({ total }) => total)).toEqual([1])
  slow.resolve({ result: 'ack' })
  await clock.advance(0)
  // More cases than get a message each.
  expect(ops.sent.map(({ total }) => total)).toEqual([1, 4])
  await dispatcher.stop()
})

test('25 items are told in full, 26 become the 10 largest with the true count (semantics 29)', async () => {
  const counts = []
  for (const count of [25, 26]) {
    const { engine, clock, startSending, ops } = createBench()
    const matches = Array.from({ length: count }, (_, n) => ({ rule: failed, finding: createEvent(n + 1) }))
    engine.tellEvents(matches, clock.now())
    const dispatcher = startSending()
    await clock.advance(0)
    const [message] = ops.sent
    counts.push([
      message?.total,
      message?.items.length,
      message?.rest.length,
      message?.items[0]?.fields[0]?.value,
    ])
    await dispatcher.stop()
  }
  expect(counts).toEqual([
    [25, 25, 0, '1 USDC'],
    [26, 10, 16, '26 USDC'],
  ])
})

test('what is critical is told in full among many that are larger and less severe', async () => {
  const { engine, clock, startSending, ops } = createBench()
  const many = Array.from({ length: 40 }, (_, n) => ({ rule: failed, finding: createEvent(n + 2) }))
  engine.tellEvents([{ rule: critical, finding: createEvent(1) }, ...many], clock.now())
  const dispatcher = startSending()
  await clock.advance(0)
  const message = ops.sent.find(({ total }) => total > 25)
  expect(message?.items.map(({ severity }) => severity)).toContain('critical')
  await dispatcher.stop()
})

test('a 429 makes the whole channel wait as told, and uses up no attempt', async () => {
  const { engine, clock, startSending, ops } = createBench()
  ops.answers = [{ result: 'throttled', retryAfterMs: 5_000, reason: '429' }, { result: 'ack' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(4_999)
  engine.tellEvents([{ rule: critical, finding: createEvent(2) }], clock.now())
  dispatcher.wake()
  await clock.advance(0)
  expect(ops.sent).toHaveLength(1)
  await clock.advance(1_000)
  expect(ops.sent.slice(1).map(({ attempt, total }) => [attempt, total])).toEqual([
    [1, 1],
    [1, 1],
  ])
  await dispatcher.stop()
})

test('a transient failure is tried again with the same id and the next attempt', async () => {
  const { engine, clock, startSending, ops } = createBench()
  ops.answers = [
    { result: 'transient', reason: '500' },
    { result: 'transient', reason: '500' },
    { result: 'ack' },
  ]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(999)
  expect(ops.sent).toHaveLength(1)
  await clock.advance(1)
  expect(ops.sent).toHaveLength(2)
  await clock.advance(60_000)
  expect(ops.sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  expect(new Set(ops.sent.map(({ id }) => id)).size).toBe(1)
  await dispatcher.stop()
})

test('an hour of failures ends in two messages that together tell everything', async () => {
  const { engine, clock, startSending, ops, store } = createBench()
  ops.answers = [{ result: 'transient', reason: '503' }]
  const dispatcher = startSending()
  for (let n = 1; n <= 60; n += 1) {
    engine.tellEvents([{ rule: failed, finding: createEvent(n) }], clock.now())
    dispatcher.wake()
    await clock.advance(60_000)
  }
  ops.sent.length = 0
  ops.answers = [{ result: 'ack' }]
  await clock.advance(600_000)
  expect(ops.sent.length).toBeLessThanOrEqual(3)
  expect(ops.sent.reduce((sum, { total }) => sum + total, 0)).toBe(60)
  expect(store.listDepths()).toEqual([])
  await dispatcher.stop()
})

test('a message that is refused is sent once more in plain form, then set aside and told on the fallback', async () => {
  const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email')]
  const { engine, clock, startSending, ops } = createBench({
    fakes,
    fallback: 'mail',
    routes: [createRoute({ channels: ['ops'] })],
  })
  ops.answers = [{ result: 'bad_message', reason: 'invalid_blocks' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(3_600_000)
  expect(ops.options.map(({ degraded }) => degraded)).toEqual([false, true])
  expect(fakes[1]?.sent.map(({ total }) => total)).toEqual([1])
  await dispatcher.stop()
})

test('an answer that only looks like success is tried three times more, then told on the fallback, and that the channel is dead', async () => {
  const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email')]
  const { engine, clock, startSending, ops, store } = createBench({
    fakes,
    fallback: 'mail',
    routes: [createRoute({ channels: ['ops'] })],
  })
  ops.answers = [{ result: 'suspicious', reason: 'an HTML page' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(890_000)
  expect([ops.sent.length, store.getChannel('ops').circuit]).toEqual([4, 'open'])
  const told = fakes[1]?.sent.flatMap(({ items }) => items.map(({ kind }) => kind))
  expect(told?.toSorted()).toEqual(['monitor.channel_dead', 'transfer.failed'])
  await dispatcher.stop()
})

test('without a fallback what only looks like success is a channel that refuses us: probed until it takes it', async () => {
  const { engine, clock, startSending, ops, store } = createBench({ routes: [createRoute()] })
  ops.answers = [{ result: 'suspicious', reason: 'an HTML page' }]
  engine.tellEvents([{ rule: critical, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(890_000)
  expect([ops.sent.length, store.getChannel('ops').circuit]).toEqual([4, 'open'])
  await clock.advance(3_600_000)
  expect(ops.sent).toHaveLength(8)
  ops.answers = [{ result: 'ack' }]
  await clock.advance(900_000)
  expect(store.getChannel('ops').circuit).toBe('closed')
  expect(store.listAlerts({ limit: 9, state: 'new' })).toEqual([])
  expect(store.listOutbox({ state: 'dead', limit: 9 })).toEqual([])
  await dispatcher.stop()
})

test('a dead channel is said once on the fallback, probed every 15 minutes, and closes by itself', async () => {
  const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email')]
  const { engine, clock, startSending, ops, store } = createBench({
    fakes,
    fallback: 'mail',
    routes: [createRoute({ channels: ['ops'] })],
  })
  const mail = fakes[1]
  const since = clock.now()
  ops.answers = [{ result: 'dead', reason: '404 no_service' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(899_999)
  expect(ops.sent).toHaveLength(1)
  const told = mail?.sent.flatMap(({ items }) => items.map(({ kind }) => kind)).sort()
  expect(told).toEqual(['monitor.channel_dead', 'transfer.failed'])
  await clock.advance(1_800_000)
  expect(ops.sent).toHaveLength(3)
  expect(mail?.sent.flatMap(({ items }) => items)).toHaveLength(2)
  expect(store.getChannel('ops').openedAt).toBe(since)
  ops.answers = [{ result: 'ack' }]
  await clock.advance(900_000)
  engine.flush(clock.now())
  dispatcher.wake()
  await clock.advance(0)
  expect(mail?.sent.at(-1)?.items.map(({ kind, status }) => [kind, status])).toEqual([
    ['monitor.channel_dead', 'resolved'],
  ])
  engine.tellEvents([{ rule: failed, finding: createEvent(2) }], clock.now())
  dispatcher.wake()
  await clock.advance(0)
  expect(ops.sent.at(-1)?.items.map(({ summary }) => summary)).toEqual(['Withdrawal of 2 USDC failed'])
  await dispatcher.stop()
})

test.each([
  ['dead', 'critical'],
  ['suspicious', 'critical'],
  ['suspicious', 'warning'],
] as const)(
  'a channel that takes one message never (%s) is probed with the others (%s), and takes them',
  async (result, severity) => {
    const fakes = [createFakeChannel('ops'), createFakeChannel('hook')]
    const routes = [createRoute({ channels: ['ops'] })]
    const { engine, clock, startSending, ops, store } = createBench({ fakes, fallback: 'hook', routes })
    const rule = createRule({ name: 'rewritten', kind: 'transfer.rewritten', severity: 'critical' })
    const others = createRule({ ...rule, name: 'others', severity })
    const isRefused = ({ items }: Message) => items.some(({ facts }) => facts['amount'] === '99')
    const taken: string[] = []
    ops.deliver = async (message) => {
      if (isRefused(message)) return { result, reason: '403' }
      taken.push(...message.items.map(({ facts }) => String(facts['amount'])))
      return { result: 'ack' }
    }
    const dispatcher = startSending()
    for (const n of [99, 1, 2, 3, 4, 5]) {
      engine.tellEvents([{ rule: n === 99 ? rule : others, finding: createLoneEvent(n) }], clock.now())
      dispatcher.wake()
      await clock.advance(60_000)
    }
    await clock.advance(900_000)
    expect(taken.sort()).toEqual(['1', '2', '3', '4', '5'])
    expect(store.getChannel('ops').circuit).toBe('closed')
    expect(store.listOutbox({ state: 'dead', limit: 9 })).toHaveLength(1)
    expect(fakes[1]?.sent.flatMap(({ items }) => items.map(({ facts }) => facts['amount']))).toContain('99')
    await dispatcher.stop()
  },
)

test('a channel that took something a while ago and refuses us now is dead, whatever it is tried with', async () => {
  const { engine, clock, startSending, ops, store } = createBench({ routes: [createRoute()] })
  ops.answers = [
    { result: 'throttled', retryAfterMs: 600_000, reason: '429' },
    { result: 'dead', reason: '404' },
  ]
  engine.tellEvents([{ rule: critical, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(300_000)
  dispatcher.noteAnswer('ops', { result: 'ack' }, clock.now())
  await clock.advance(301_000)
  expect(ops.options.map(({ degraded }) => degraded)).toEqual([false, false])
  expect(store.getChannel('ops').circuit).toBe('open')
  expect(store.listOutbox({ state: 'dead', limit: 9 })).toEqual([])
  await dispatcher.stop()
})

test.each(['transient', 'bad_message', 'suspicious'] as const)(
  'an item for which a channel refuses any message (%s) keeps no other from being taken',
  async (result) => {
    const { engine, clock, startSending, ops, store } = createBench({ routes: [createRoute()] })
    const taken: string[] = []
    ops.deliver = async ({ items }) => {
      const amounts = items.map(({ facts }) => String(facts['amount']))
      if (amounts.includes('3')) return { result, reason: '500' }
      taken.push(...amounts)
      return { result: 'ack' }
    }
    for (let n = 1; n <= 10; n += 1)
      engine.tellEvents([{ rule: critical, finding: createEvent(n) }], clock.now())
    const dispatcher = startSending()
    await clock.advance(60_000)
    engine.tellEvents([{ rule: critical, finding: createEvent(11) }], clock.now())
    dispatcher.wake()
    await clock.advance(600_000)
    expect(taken.toSorted((a, b) => Number(a) - Number(b))).toEqual([
      '1',
      '2',
      '4',
      '5',
      '6',
      '7',
      '8',
      '9',
      '10',
      '11',
    ])
    const left = ['queued', 'dead'] as const
    expect(left.flatMap((state) => store.listOutbox({ state, limit: 20 }))).toHaveLength(1)
    await dispatcher.stop()
  },
)

test('a channel that refuses every message is not asked for each of a thousand items', async () => {
  const fakes = [createFakeChannel('ops'), createFakeChannel('hook')]
  const routes = [createRoute({ channels: ['ops'] })]
  const { engine, clock, startSending, ops } = createBench({ fakes, fallback: 'hook', routes })
  ops.answers = [{ result: 'bad_message', reason: '400' }]
  const matches = Array.from({ length: 1_000 }, (_, n) => ({ rule: failed, finding: createEvent(n + 1) }))
  engine.tellEvents(matches, clock.now())
  const dispatcher = startSending()
  await clock.advance(600_000)
  expect(ops.sent.length).toBeLessThan(300)
  expect(fakes[1]?.sent.reduce((sum, { total }) => sum + total, 0)).toBe(1_000)
  await dispatcher.stop()
})

test('F103: a channel that no TLS connection can be had to is probed every minute', async () => {
  const { engine, clock, startSending, ops } = createBench({ routes: [createRoute({ channels: ['ops'] })] })
  ops.answers = [{ result: 'dead', reason: 'CERT_HAS_EXPIRED', probeAfterMs: 60_000 }, { result: 'ack' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(59_999)
  expect(ops.sent).toHaveLength(1)
  await clock.advance(2)
  const again = ops.sent.slice(1).flatMap(({ items }) => items.map(({ summary }) => summary))
  expect(again).toContain('Withdrawal of 1 USDC failed')
  await dispatcher.stop()
})

test('only the recipients that deferred a mail get it again; others are not kept waiting by that', async () => {
  const { engine, clock, startSending, ops } = createBench({ fakes: [createFakeChannel('ops', 'email')] })
  ops.answers = [{ result: 'partial', retry: ['b@x.example'], refused: [] }, { result: 'ack' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(1_000)
  engine.tellEvents([{ rule: failed, finding: createEvent(2) }], clock.now())
  dispatcher.wake()
  await clock.advance(58_999)
  expect(ops.options.map(({ recipients }) => recipients)).toEqual([null, null])
  await clock.advance(1)
  expect(ops.options[2]?.recipients).toEqual(['b@x.example'])
  await dispatcher.stop()
})

test.each([10, 7 * 60])(
  'the end after %i minutes is sent though a recipient defers every mail, and that recipient is told elsewhere at last',
  async (minutes) => {
    const fakes = [createFakeChannel('ops', 'email'), createFakeChannel('hook')]
    const { engine, clock, startSending, ops, store } = createBench({
      fakes,
      fallback: 'hook',
      routes: [createRoute({ channels: ['ops'], groupWaitMs: 0 })],
    })
    ops.answers = [{ result: 'partial', retry: ['b@x.example'], refused: [] }]
    const rule = createRule({ name: 'stalled', kind: 'chain.stalled' })
    const dispatcher = startSending()
    const toAll = () =>
      ops.sent.flatMap(({ items }, at) =>
        ops.options[at]?.recipients === null ? items.map(({ status }) => status) : [],
      )
    const watch = async (findings: Judgement['findings'], count: number) => {
      for (let minute = 0; minute < count; minute += 1) {
        engine.applyCondition(rule, { findings, unknown: [] }, clock.now())
        engine.dropRules([rule], clock.now())
        engine.flush(clock.now())
        dispatcher.wake()
        await clock.advance(60_000)
      }
    }
    await watch([createCondition('zone')], minutes)
    await watch([], 6)
    expect(toAll().filter((status) => status !== 'repeat')).toEqual(['firing', 'resolved'])
    expect(ops.sent.at(-1)?.items.map(({ status }) => status)).toEqual(['resolved'])
    await watch([], 7 * 60)
    expect(store.listOutbox({ state: 'dead', limit: 9 })).toEqual([])
    const told = fakes[1]?.sent.flatMap(({ items }) => items.map(({ rule }) => rule))
    expect(told).toContain('monitor.channel_dead')
    await dispatcher.stop()
  },
)

test('a recipient that was refused counts as that until a mail to everybody is taken', async () => {
  const { engine, clock, startSending, ops, store } = createBench({
    fakes: [createFakeChannel('ops', 'email'), createFakeChannel('hook')],
    fallback: 'hook',
    routes: [createRoute({ channels: ['ops'] })],
  })
  const refused = [{ recipient: 'c@x.example', reason: '550' }]
  ops.answers = [{ result: 'partial', retry: ['b@x.example'], refused }, { result: 'ack' }]
  const listed = () => store.getChannel('ops').refused.map(({ recipient }) => recipient)
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(60_000)
  expect(ops.options.map(({ recipients }) => recipients)).toEqual([null, ['b@x.example']])
  expect(listed()).toEqual(['c@x.example'])
  engine.tellEvents([{ rule: failed, finding: createEvent(2) }], clock.now())
  dispatcher.wake()
  await clock.advance(0)
  expect(listed()).toEqual([])
  await dispatcher.stop()
})

test('one dead or hanging channel holds up no other', async () => {
  const fakes = [createFakeChannel('ops'), createFakeChannel('hook')]
  const { engine, clock, startSending, ops } = createBench({ fakes })
  ops.answers = [new Promise(() => {})]
  const dispatcher = startSending()
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  dispatcher.wake()
  await clock.advance(0)
  expect(fakes[1]?.sent).toHaveLength(1)
  const stopped = dispatcher.stop()
  await clock.advance(20_000)
  await stopped
})

test('F63: 5,000 events over 12 seconds are at most 20 messages with counts that add up, and a critical is out in 5 s', async () => {
  const { engine, clock, startSending, ops } = createBench({ fakes: [createFakeChannel('ops', 'slack')] })
  const dispatcher = startSending()
  let criticalAt: number | null = null
  for (let page = 0; page < 50; page += 1) {
    const matches = Array.from({ length: 100 }, (_, n) => ({
      rule: failed,
      finding: createEvent(page * 100 + n + 1),
    }))
    engine.tellEvents(matches, clock.now())
    if (page === 25) engine.tellEvents([{ rule: critical, finding: createEvent(9_999) }], clock.now())
    dispatcher.wake()
    await clock.advance(240)
    if (criticalAt === null && ops.sent.some(({ severity }) => severity === 'critical')) criticalAt = page
  }
  await clock.advance(60_000)
  expect(ops.sent.length).toBeLessThanOrEqual(20)
  expect(ops.sent.reduce((sum, { total }) => sum + total, 0)).toBe(5_001)
  expect(criticalAt).toBeLessThanOrEqual(45)
  expect(ops.sent.flatMap(({ items }) => items.map((item) => item.facts['amount']))).toContain('5000')
  await dispatcher.stop()
})

test('a firing and its resolution that wait together become one item', async () => {
  const { engine, clock, startSending, ops } = createBench({ routes: [createRoute({ groupIntervalMs: 0 })] })
  const rule = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
  engine.applyCondition(rule, { findings: [createCondition('zone')], unknown: [] }, clock.now())
  engine.flush(clock.now())
  await clock.advance(60_000)
  engine.applyCondition(rule, { findings: [], unknown: [] }, clock.now())
  engine.flush(clock.now())
  const dispatcher = startSending()
  await clock.advance(0)
  expect(ops.sent.flatMap(({ items }) => items.map(({ status, summary }) => [status, summary]))).toEqual([
    [
      'resolved',
      'Fired and resolved at 14:14:20 UTC within 1 min: chain stalled: the zone head stands at 100',
    ],
  ])
  await dispatcher.stop()
})

test('what holds stands before what is over, whichever came first', async () => {
  const routes = [createRoute({ groupBy: ['rule'], groupWaitMs: 0, groupIntervalMs: 0 })]
  const { engine, clock, startSending, ops } = createBench({ routes })
  const stalled = createRule({ name: 'stalled', kind: 'chain.stalled' })
  const dispatcher = startSending()
  const judge = async (...subjects: string[]) => {
    const findings = subjects.map((subject) => createCondition(subject))
    engine.applyCondition(stalled, { findings, unknown: [] }, clock.now())
    engine.flush(clock.now())
    dispatcher.wake()
    await clock.advance(60_000)
  }
  await judge('zone')
  ops.answers = [{ result: 'throttled', retryAfterMs: 300_000, reason: '429' }, { result: 'ack' }]
  await judge()
  await judge('main')
  await clock.advance(300_000)
  expect(ops.sent.at(-1)?.items.map(({ status }) => status)).toEqual(['firing', 'resolved'])
  await dispatcher.stop()
})

describe('what ended and fired anew before a channel took the end', () => {
  const stalled = createRule({ name: 'stalled', kind: 'chain.stalled' })
  const firing = { findings: [createCondition('zone')], unknown: [] }
  const over = { findings: [], unknown: [] }

  test.each(['warning', 'critical'] as const)('is told as firing alone, as %s', async (severity) => {
    const routes = [createRoute({ groupBy: ['rule'], groupWaitMs: 0, groupIntervalMs: 0 })]
    const { engine, clock, startSending, ops } = createBench({ routes })
    const dispatcher = startSending()
    const judge = async (rule: typeof stalled, judgement: Judgement) => {
      engine.applyCondition(rule, judgement, clock.now())
      engine.flush(clock.now())
      dispatcher.wake()
      await clock.advance(60_000)
    }
    await judge(stalled, firing)
    ops.answers = [{ result: 'throttled', retryAfterMs: 300_000, reason: '429' }, { result: 'ack' }]
    await judge(stalled, over)
    const before = ops.sent.length
    await judge({ ...stalled, severity }, firing)
    await clock.advance(600_000)
    const said = ops.sent
      .slice(before)
      .map(({ items }) => items.map((item) => `${item.status} ${item.severity}`))
    expect(said).toEqual([[`firing ${severity}`]])
    await dispatcher.stop()
  })
})

test.each([
  [[null, null], 'CRITICAL: 2 × transfer stalled resolved'],
  [['failed', 'failed'], 'CRITICAL: 2 × transfer stalled ended'],
  [['failed', null], '; also transfer stalled (resolved)'],
])('a headline calls resolved only what ended well: %s', async (states, expected) => {
  const routes = [createRoute({ groupBy: ['rule'], groupWaitMs: 0, groupIntervalMs: 0, sendResolved: true })]
  const { engine, clock, startSending, ops } = createBench({ routes })
  const rule = createRule({ name: 'stalled', kind: 'transfer.stalled', severity: 'critical' })
  const dispatcher = startSending()
  const judge = async (judgement: Judgement) => {
    engine.applyCondition(rule, judgement, clock.now())
    engine.flush(clock.now())
    dispatcher.wake()
    await clock.advance(60_000)
  }
  const stalled = (state: 'failed' | null, n: number) =>
    createCondition(`t${n}`, {
      kind: 'transfer.stalled',
      title: `Withdrawal ${n}`,
      transfer: createTransfer(n, { state: state ?? 'completed' }),
      labels: { direction: 'ZoneToMain' },
    })
  await judge({ findings: states.map((state, n) => stalled(state as 'failed' | null, n)), unknown: [] })
  await judge({ findings: [], unknown: [] })
  expect(ops.sent.at(-1)?.headline).toContain(expected)
  await dispatcher.stop()
})

test('a resolution waits while its firing may still be on its way', async () => {
  const { engine, clock, startSending, ops } = createBench({ routes: [createRoute({ groupIntervalMs: 0 })] })
  const rule = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
  ops.answers = [
    { result: 'transient', reason: '500' },
    { result: 'transient', reason: '500' },
    { result: 'ack' },
  ]
  const dispatcher = startSending()
  engine.applyCondition(rule, { findings: [createCondition('zone')], unknown: [] }, clock.now())
  engine.flush(clock.now())
  dispatcher.wake()
  await clock.advance(10)
  engine.applyCondition(rule, { findings: [], unknown: [] }, clock.now())
  engine.flush(clock.now())
  dispatcher.wake()
  await clock.advance(60_000)
  expect(ops.sent.map(({ items }) => items[0]?.status)).toEqual(['firing', 'firing', 'firing', 'resolved'])
  await dispatcher.stop()
})

test('a restart sends what was under way as its next attempt and nothing else again', async () => {
  const first = createBench()
  first.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], first.clock.now())
  const killed = first.startSending()
  await first.clock.advance(0)
  first.engine.tellEvents([{ rule: failed, finding: createEvent(2) }], first.clock.now())
  first.ops.answers = [new Promise(() => {})]
  killed.wake()
  await first.clock.advance(0)
  const second = createBench({ database: first.database, clock: first.clock })
  const dispatcher = second.startSending()
  await second.clock.advance(0)
  expect(second.ops.sent.map(({ id, attempt, items }) => [id, attempt, items[0]?.facts['amount']])).toEqual([
    [first.ops.sent[1]?.id, 2, '2'],
  ])
  await dispatcher.stop()
})

test('stop waits for a delivery under way and starts no new one', async () => {
  const { engine, clock, startSending, ops, store } = createBench()
  const slow = Promise.withResolvers<{ result: 'ack' }>()
  ops.answers = [slow.promise]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(0)
  let isStopped = false
  const stopped = dispatcher.stop().then(() => {
    isStopped = true
  })
  await clock.advance(10_000)
  expect(isStopped).toBe(false)
  slow.resolve({ result: 'ack' })
  await stopped
  expect(store.listDepths()).toEqual([])
})

test('F67: an hour back on the wall clock holds up neither a new item nor a retry', async () => {
  const { engine, clock, startSending, ops } = createBench()
  ops.answers = [{ result: 'transient', reason: '500' }, { result: 'ack' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(0)
  clock.step(-3_600_000)
  await clock.advance(1_000)
  engine.tellEvents([{ rule: failed, finding: createEvent(2) }], clock.now())
  dispatcher.wake()
  await clock.advance(0)
  expect(ops.sent.map(({ attempt }) => attempt)).toEqual([1, 2, 1])
  await dispatcher.stop()
})

test('F67: five hours back on the wall clock hold up no probe of a channel that refused us', async () => {
  const { engine, clock, startSending, ops } = createBench()
  ops.answers = [{ result: 'dead', reason: '404' }, { result: 'ack' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(0)
  clock.step(-5 * 3_600_000)
  await clock.advance(900_000)
  expect(ops.sent.length).toBeGreaterThan(1)
  await dispatcher.stop()
})

test('a channel that refuses us is asked with one message at a time, whatever waits', async () => {
  const { engine, clock, startSending, ops } = createBench()
  const { promise, resolve } = Promise.withResolvers<{ result: 'ack' }>()
  ops.answers = [{ result: 'dead', reason: '404' }, promise, { result: 'ack' }]
  engine.tellEvents([{ rule: failed, finding: createLoneEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(0)
  const urgent = createRule({ name: 'urgent', severity: 'critical' })
  engine.tellEvents([{ rule: urgent, finding: createEvent(2) }], clock.now())
  dispatcher.wake()
  await clock.advance(910_000)
  expect(ops.sent).toHaveLength(2)
  resolve({ result: 'ack' })
  await clock.advance(10_000)
  expect(ops.sent.length).toBeGreaterThan(2)
  await dispatcher.stop()
})

test('an acknowledgement that cannot be written is written once it can, and nothing is sent twice', async () => {
  const { engine, clock, startSending, ops, store } = createBench()
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const { transaction } = store
  let refusals = 3
  Object.assign(store, {
    transaction: (work: () => unknown) => {
      if (ops.sent.length > 0 && refusals > 0) {
        refusals -= 1
        throw new Error('the disk is full')
      }
      return transaction(work)
    },
  })
  const dispatcher = startSending()
  await clock.advance(60_000)
  expect([refusals, ops.sent.length]).toEqual([0, 1])
  expect(store.listOutbox({ state: 'sent', limit: 9 })).toHaveLength(1)
  await dispatcher.stop()
})

test('a message for a channel that is gone from the configuration goes to those that the routes name', async () => {
  const first = createBench({ fakes: [createFakeChannel('old')] })
  first.ops.answers = [{ result: 'transient', reason: '500' }]
  first.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], first.clock.now())
  const killed = first.startSending()
  await first.clock.advance(0)
  await killed.stop()
  const second = createBench({ database: first.database, clock: first.clock })
  const dispatcher = second.startSending()
  await second.clock.advance(0)
  expect(second.ops.sent.map(({ total }) => total)).toEqual([1])
  await dispatcher.stop()
})

test.each([null, 'hook'])(
  'what is queued for a channel that is gone goes to those that the routes name now (fallback %s)',
  async (fallback) => {
    const mail = createFakeChannel('mail')
    const before = createBench({ routes: [createRoute({ groupWaitMs: 0 })] })
    const stalled = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
    before.engine.tellEvents([{ rule: critical, finding: createEvent(1) }], before.clock.now())
    const finding = createCondition('zone')
    before.engine.applyCondition(stalled, { findings: [finding], unknown: [] }, before.clock.now())
    before.engine.flush(before.clock.now())
    const after = createBench({
      database: before.database,
      clock: before.clock,
      fakes: [mail, createFakeChannel('hook')],
      routes: [createRoute({ channels: ['mail'], groupWaitMs: 0 })],
      fallback,
    })
    after.engine.start(after.clock.now())
    const dispatcher = after.startSending()
    after.engine.applyCondition(stalled, { findings: [finding], unknown: [] }, after.clock.now())
    after.engine.flush(after.clock.now())
    dispatcher.wake()
    await after.clock.advance(60_000)
    expect(mail.sent.flatMap(({ items }) => items.map(({ kind }) => kind)).sort()).toEqual([
      'chain.stalled',
      'transfer.failed',
    ])
    expect(after.fakes[1]?.sent).toEqual([])
    expect(after.store.listDepths()).toEqual([])
    await dispatcher.stop()
  },
)

test.each([
  { severity: 'warning', hours: 7 },
  { severity: 'critical', hours: 25 },
] as const)(
  'what is $severity and waited for $hours h while nobody ran is tried for ten minutes before it is given up',
  async ({ severity, hours }) => {
    const before = createBench()
    const rule = createRule({ severity })
    before.engine.tellEvents([{ rule, finding: createEvent(1) }], before.clock.now())
    await before.clock.advance(hours * 3_600_000)
    const after = createBench({ database: before.database, clock: before.clock })
    const transient = { result: 'transient', reason: 'no network yet' } as const
    after.ops.answers = [transient, transient, { result: 'ack' }]
    const dispatcher = after.startSending()
    await after.clock.advance(60_000)
    expect(after.ops.sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(after.store.listOutbox({ state: 'dead', limit: 9 })).toEqual([])
    await dispatcher.stop()
  },
)

test('a message that failed once and is throttled ever after is told on the fallback in time', async () => {
  const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email')]
  const routes = [createRoute({ channels: ['ops'] })]
  const { engine, clock, startSending, ops } = createBench({ fakes, fallback: 'mail', routes })
  ops.answers = [
    { result: 'transient', reason: '503' },
    { result: 'throttled', retryAfterMs: 900_000, reason: '429' },
  ]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(6 * 3_600_000)
  const told = fakes[1]?.sent.flatMap(({ items }) => items.filter(({ kind }) => kind === 'transfer.failed'))
  expect(told).toHaveLength(1)
  await dispatcher.stop()
})

test('reminders go on when a message of the group was given up', async () => {
  const { engine, clock, startSending, ops } = createBench({ routes: [createRoute({ repeatMs: 3_600_000 })] })
  const rule = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
  ops.answers = [
    { result: 'bad_message', reason: 'x' },
    { result: 'bad_message', reason: 'x' },
    { result: 'ack' },
  ]
  const dispatcher = startSending()
  for (let minute = 0; minute <= 61; minute += 1) {
    engine.applyCondition(rule, { findings: [createCondition('zone')], unknown: [] }, clock.now())
    engine.flush(clock.now())
    dispatcher.wake()
    await clock.advance(60_000)
  }
  expect(ops.sent.length).toBeGreaterThanOrEqual(3)
  await dispatcher.stop()
})

describe('what was set aside and is told to nobody', () => {
  /** Two findings, of which the channel refuses the first in every form; judged again with each of `minutes`. */
  async function start(of: { fallback?: string; minutes?: number } = {}) {
    const { fallback = null, minutes = 5 } = of
    const fakes = [createFakeChannel('ops'), ...(fallback === null ? [] : [createFakeChannel(fallback)])]
    const routes = [createRoute({ channels: ['ops'] })]
    const bench = createBench({ fakes, fallback, routes })
    const { engine, clock, ops } = bench
    const refused = { result: 'bad_message', reason: 'invalid_blocks' } as const
    ops.answers = [refused, refused, { result: 'ack' }]
    engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
    const dispatcher = bench.startSending()
    onTestFinished(() => dispatcher.stop())
    const pass = async (during: number) => {
      for (let minute = 0; minute < during; minute += 1) {
        engine.dropRules([], clock.now())
        engine.flush(clock.now())
        dispatcher.wake()
        await clock.advance(60_000)
      }
    }
    const told = () =>
      ops.sent
        .slice(2)
        .flatMap(({ items }) => items.map(({ kind, status, summary }) => `${kind} ${status}: ${summary}`))
    await pass(minutes)
    return { ...bench, pass, told }
  }

  test('is said on the same channel where there is no other, and that once', async () => {
    const { told } = await start({ minutes: 30 })
    expect(told()).toEqual([
      'monitor.message_dead firing: Monitor message dead: channel ops: 1 finding was set aside, told to nobody: invalid_blocks',
    ])
  })

  test('is over once it is sent again', async () => {
    const { told, pass, store, clock } = await start()
    for (const { id } of store.listDead(9)) store.reviveItem(id, clock.now() + 3_600_000, clock.now())
    await pass(10)
    const kinds = told().map((text) => text.split(':')[0])
    expect(kinds[0]).toBe('monitor.message_dead firing')
    expect(new Set(kinds.slice(1))).toEqual(
      new Set(['monitor.message_dead resolved', 'transfer.failed event']),
    )
  })

  test('is not, where the fallback took it, or somebody dropped it', async () => {
    const covered = await start({ fallback: 'mail' })
    expect(covered.told()).toEqual([])
    const { told, pass, store, clock } = await start()
    for (const { id } of store.listDead(9)) store.dropItem(id, clock.now())
    await pass(10)
    expect(told().at(-1)).toContain('monitor.message_dead resolved')
  })

  test('ends after a day in which nobody sent it again, which is not that all is well', async () => {
    const { told, pass } = await start()
    await pass(25 * 60)
    const last = told().at(-1)
    expect(last).toContain('monitor.message_dead ended')
    expect(last).toContain('set aside for a day, and told to nobody')
  })

  test('is said of what expired as well, and the telling of it does not feed itself', async () => {
    const { told, pass, ops, store } = await start({ minutes: 1 })
    ops.answers = [{ result: 'transient', reason: '503' }]
    await pass(8 * 60)
    ops.answers = [{ result: 'ack' }]
    await pass(60)
    const counts = store.countDead({ since: 0, but: 'monitor.message_dead' })
    expect(counts.map(({ channel, count }) => [channel, count])).toEqual([['ops', 1]])
    expect(told().at(-1)).toContain('monitor.message_dead')
  })
})

test.each([
  { fallback: null, isTold: false },
  { fallback: null, isTold: true },
  { fallback: 'mail', isTold: true },
])(
  'what still fires is told once a channel that was dead for 8 hours is repaired (fallback $fallback, told before $isTold)',
  async ({ fallback, isTold }) => {
    const fakes = [createFakeChannel('ops'), ...(fallback === null ? [] : [createFakeChannel(fallback)])]
    const routes = [createRoute({ groupWaitMs: 0, repeatMs: 3_600_000 })]
    const { engine, clock, startSending, ops } = createBench({ fakes, fallback, routes })
    const dispatcher = startSending()
    const pass = async (minutes: number) => {
      const rule = createRule({ name: 'stalled', kind: 'chain.stalled' })
      for (let minute = 0; minute < minutes; minute += 5) {
        engine.applyCondition(rule, { findings: [createCondition('zone')], unknown: [] }, clock.now())
        engine.flush(clock.now())
        dispatcher.wake()
        await clock.advance(300_000)
      }
    }
    if (isTold) await pass(5)
    ops.answers = [{ result: 'dead', reason: '404' }]
    await pass(8 * 60)
    ops.answers = [{ result: 'ack' }]
    ops.sent.length = 0
    await pass(5 * 60)
    const told = ops.sent.flatMap(({ items }) => items.filter(({ kind }) => kind === 'chain.stalled'))
    expect(told.length).toBeGreaterThanOrEqual(4)
    await dispatcher.stop()
  },
)

test('what was set aside and still fires is told as soon as the channel is repaired', async () => {
  const routes = [createRoute({ groupWaitMs: 0, repeatMs: 24 * 3_600_000 })]
  const { engine, clock, startSending, ops } = createBench({ routes })
  const dispatcher = startSending()
  ops.answers = [{ result: 'dead', reason: '404' }]
  const rule = createRule({ name: 'stalled', kind: 'chain.stalled' })
  engine.applyCondition(rule, { findings: [createCondition('zone')], unknown: [] }, clock.now())
  engine.flush(clock.now())
  dispatcher.wake()
  await clock.advance(8 * 3_600_000)
  ops.answers = [{ result: 'ack' }]
  ops.sent.length = 0
  await clock.advance(900_000)
  const told = ops.sent.flatMap(({ items }) => items.map(({ kind, status }) => `${kind} ${status}`))
  expect(told).toContain('chain.stalled firing')
  await dispatcher.stop()
})

test.each(['refused', 'dropped by hand'])(
  'the end of what a channel was not told of says that it fired as well (%s)',
  async (why) => {
    const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email')]
    const routes = [createRoute({ channels: ['ops'], groupWaitMs: 0 })]
    const { engine, clock, startSending, ops, store } = createBench({ fakes, fallback: 'mail', routes })
    const rule = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
    const judge = async (...findings: ReturnType<typeof createCondition>[]) => {
      engine.applyCondition(rule, { findings, unknown: [] }, clock.now())
      engine.flush(clock.now())
      dispatcher.wake()
      await clock.advance(0)
    }
    const { promise, resolve } = Promise.withResolvers<{ result: 'bad_message'; reason: string }>()
    const refusal = { result: 'bad_message', reason: 'invalid_blocks' } as const
    ops.answers = [promise, refusal, { result: 'ack' }]
    const dispatcher = startSending()
    if (why === 'dropped by hand') {
      engine.applyCondition(rule, { findings: [createCondition('zone')], unknown: [] }, clock.now())
      engine.flush(clock.now())
      for (const { id } of store.listOutbox({ state: 'queued', limit: 9 })) store.dropItem(id, clock.now())
      ops.answers = [{ result: 'ack' }]
    } else await judge(createCondition('zone'))
    await clock.advance(minute)
    await judge()
    resolve(refusal)
    await clock.advance(minute)
    expect(ops.sent.at(-1)?.items.map(({ summary }) => summary)).toEqual([
      expect.stringMatching(/^Fired and resolved at .* within 1 min/),
    ])
    await dispatcher.stop()
  },
)

test('a channel for which nothing waits any more is probed with a test message, at most every 15 minutes', async () => {
  const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email')]
  const routes = [createRoute({ channels: ['ops'] })]
  const { engine, clock, startSending, ops, store } = createBench({ fakes, fallback: 'mail', routes })
  ops.answers = [{ result: 'dead', reason: '404' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(6.1 * 3_600_000)
  expect(store.listDepths()).toEqual([])
  ops.sent.length = 0
  ops.answers = [{ result: 'transient', reason: '503' }]
  await clock.advance(3_600_000)
  expect(ops.sent.map(({ items }) => items.map(({ kind }) => kind))).toEqual(
    Array.from({ length: 4 }, () => ['monitor.test']),
  )
  ops.answers = [{ result: 'ack' }]
  await clock.advance(900_000)
  expect(store.getChannel('ops').circuit).toBe('closed')
  expect(fakes[1]?.sent.at(-1)?.items.map(({ kind, status }) => [kind, status])).toEqual([
    ['monitor.channel_dead', 'resolved'],
  ])
  await dispatcher.stop()
})

test('while the fallback refuses us too, the next channel that does not is told, once', async () => {
  const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email'), createFakeChannel('hook')]
  const { engine, clock, startSending, ops } = createBench({
    fakes,
    fallback: 'mail',
    routes: [createRoute({ channels: ['ops'] })],
  })
  const [, mail, hook] = fakes
  ops.answers = [{ result: 'dead', reason: '404 no_service' }]
  if (mail) mail.answers = [{ result: 'dead', reason: '535 authentication failed' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const dispatcher = startSending()
  await clock.advance(60_000)
  const told = hook?.sent.flatMap(({ items }) => items.map(({ kind }) => kind)).sort()
  expect(told?.filter((kind) => kind === 'transfer.failed')).toHaveLength(1)
  expect(told?.filter((kind) => kind === 'monitor.channel_dead').length).toBeGreaterThan(0)
  await dispatcher.stop()
})

describe('a channel that cannot be reached', () => {
  /** Whose queue holds three findings, and what the fallback was told of them. */
  function setUp(fallback: 'mail' | null) {
    const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email')]
    const routes = [createRoute({ channels: ['ops'] })]
    const bench = createBench({ fakes, fallback, routes })
    const [ops, mail] = fakes
    if (!ops || !mail) throw new Error('two channels were made')
    ops.answers = [{ result: 'transient', reason: '500' }]
    const dispatcher = bench.startSending()
    const tell = async (...numbers: number[]) => {
      for (const n of numbers) {
        bench.engine.tellEvents([{ rule: failed, finding: createEvent(n) }], bench.clock.now())
        dispatcher.wake()
        await bench.clock.advance(1_000)
      }
    }
    const told = () => mail.sent.flatMap(({ items }) => items.map(({ kind, status }) => `${kind} ${status}`))
    return { ...bench, ops, dispatcher, tell, told }
  }

  /** It takes all but the finding of the amount 1. */
  function failTheFirst(channel: ReturnType<typeof createFakeChannel>): void {
    channel.deliver = async ({ items }) =>
      items.some(({ facts }) => facts['amount'] === '1')
        ? { result: 'transient', reason: '500' }
        : { result: 'ack' }
  }

  test('for ten minutes has what waits for it told on the fallback, and that it takes nothing', async () => {
    const { clock, tell, told, store, dispatcher } = setUp('mail')
    await tell(1, 2, 3)
    await clock.advance(590_000)
    expect(told()).toEqual([])
    await clock.advance(600_000)
    expect(told().toSorted()).toEqual([
      'monitor.channel_dead firing',
      ...Array(3).fill('transfer.failed event'),
    ])
    expect(store.getChannel('ops').circuit).toBe('open')
    await dispatcher.stop()
  })

  test('is tried on, and told all that waits for it once it is back', async () => {
    const { clock, engine, ops, tell, told, dispatcher } = setUp('mail')
    await tell(1, 2, 3)
    await clock.advance(3_600_000)
    const tried = ops.sent.length
    expect(tried).toBeGreaterThan(15)
    ops.answers = [{ result: 'ack' }]
    await clock.advance(400_000)
    engine.flush(clock.now())
    dispatcher.wake()
    await clock.advance(60_000)
    const taken = ops.sent.slice(tried).flatMap(({ items }) => items.map(({ summary }) => summary))
    expect(new Set(taken).size).toBe(3)
    expect(told().filter((one) => one.startsWith('transfer.failed'))).toHaveLength(3)
    expect(told().at(-1)).toBe('monitor.channel_dead resolved')
    await dispatcher.stop()
  })

  test('by one message alone is tried with the next one as well', async () => {
    const { clock, ops, tell, told, store, dispatcher } = setUp('mail')
    failTheFirst(ops)
    await tell(1)
    await clock.advance(1_200_000)
    expect(store.getChannel('ops').circuit).toBe('open')
    await tell(2)
    await clock.advance(660_000)
    expect(store.getChannel('ops').circuit).toBe('closed')
    expect(told().filter((one) => one.startsWith('transfer.failed'))).toHaveLength(2)
    await dispatcher.stop()
  })

  test('is tried as before where there is no other', async () => {
    const { clock, tell, store, dispatcher } = setUp(null)
    await tell(1)
    await clock.advance(3_600_000)
    expect(store.getChannel('ops').circuit).toBe('closed')
    await dispatcher.stop()
  })

  test('but takes other messages is no such channel', async () => {
    const { clock, ops, tell, told, store, dispatcher } = setUp('mail')
    failTheFirst(ops)
    await tell(1)
    for (let minute = 0; minute < 30; minute += 1) {
      await tell(2 + minute)
      await clock.advance(59_000)
    }
    expect([told(), store.getChannel('ops').circuit]).toEqual([[], 'closed'])
    await dispatcher.stop()
  })
})

test('a message that leaves nothing to send is no sign that a channel which refuses us takes any', async () => {
  const { engine, clock, startSending, ops, store } = createBench({ routes: [createRoute()] })
  ops.answers = [
    { result: 'dead', reason: '404' },
    { result: 'ack', isMoot: true },
    { result: 'dead', reason: '404' },
  ]
  const dispatcher = startSending()
  for (const n of [1, 2]) {
    engine.tellEvents([{ rule: critical, finding: createEvent(n) }], clock.now())
    dispatcher.wake()
    await clock.advance(1_000)
  }
  await clock.advance(900_000)
  expect(ops.sent.length).toBeGreaterThan(2)
  expect(store.getChannel('ops')).toMatchObject({ circuit: 'open', lastAckAt: null })
  expect(store.listOutbox({ state: 'sent', limit: 9 })).toHaveLength(1)
  await dispatcher.stop()
})

describe('a channel that refuses each message for itself', () => {
  /** Whose queue gets a finding every five minutes. */
  async function start(fallback: 'mail' | null, isRefused: (n: number) => boolean, count: number) {
    const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email')]
    const bench = createBench({ fakes, fallback, routes: [createRoute({ channels: ['ops'] })] })
    const { engine, clock, ops } = bench
    ops.deliver = async (message) => {
      ops.sent.push(message)
      return message.items.some(({ facts }) => isRefused(Number(facts['amount'])))
        ? { result: 'bad_message', reason: '422' }
        : { result: 'ack' }
    }
    const dispatcher = bench.startSending()
    for (let n = 1; n <= count; n += 1) {
      engine.tellEvents([{ rule: failed, finding: createEvent(n) }], clock.now())
      dispatcher.wake()
      await clock.advance(300_000)
    }
    const told = (kind: string) =>
      fakes[1]?.sent.flatMap(({ items }) => items.filter((item) => item.kind === kind)) ?? []
    return { ...bench, dispatcher, told }
  }

  test('for ten minutes is told of on the fallback, and tried on', async () => {
    const { clock, ops, store, told, dispatcher } = await start('mail', () => true, 3)
    expect(store.getChannel('ops').circuit).toBe('open')
    expect(told('monitor.channel_dead')).toHaveLength(1)
    expect(told(failed.kind)).toHaveLength(3)
    expect(store.listOutbox({ state: 'dead', limit: 9 })).toHaveLength(2)
    ops.answers = [{ result: 'ack' }]
    ops.deliver = async () => ({ result: 'ack' })
    await clock.advance(900_000)
    expect(store.getChannel('ops').circuit).toBe('closed')
    await dispatcher.stop()
  })

  test('but takes others between them is no such channel', async () => {
    const { store, told, dispatcher } = await start('mail', (n) => n % 3 > 0, 9)
    expect([store.getChannel('ops').circuit, told('monitor.channel_dead')]).toEqual(['closed', []])
    expect(told(failed.kind)).toHaveLength(6)
    await dispatcher.stop()
  })

  test('is tried as before where there is no other', async () => {
    const { store, dispatcher } = await start(null, () => true, 4)
    expect(store.getChannel('ops').circuit).toBe('closed')
    await dispatcher.stop()
  })
})

describe('a channel that asks to wait', () => {
  const wait = (seconds: number) => ({
    result: 'throttled' as const,
    retryAfterMs: seconds * 1_000,
    reason: '429',
  })

  function setUp(fallback: 'mail' | null) {
    const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email')]
    const bench = createBench({ fakes, fallback, routes: [createRoute({ channels: ['ops'] })] })
    const dispatcher = bench.startSending()
    const tell = (n: number) => {
      bench.engine.tellEvents([{ rule: failed, finding: createEvent(n) }], bench.clock.now())
      dispatcher.wake()
    }
    const told = () =>
      fakes[1]?.sent.flatMap(({ items }) => items.map(({ kind, status }) => `${kind} ${status}`))
    return { ...bench, dispatcher, tell, told }
  }
  const both = ['monitor.channel_dead firing', 'transfer.failed event']

  test.each([1, 60, 300])(
    '%d s at a time, and takes nothing for ten minutes, is told of on the fallback',
    async (seconds) => {
      const { clock, ops, tell, told, dispatcher } = setUp('mail')
      ops.answers = [wait(seconds)]
      tell(1)
      await clock.advance(290_000)
      expect(told()).toEqual([])
      await clock.advance(330_000)
      expect(told()?.toSorted()).toEqual(both)
      const tried = ops.sent.length
      await clock.advance(3_000_000)
      expect(ops.sent.length - tried).toBeOneOf([9, 10])
      await dispatcher.stop()
    },
  )

  test.each([
    ['told of when it asks for that again', [wait(3_600)], both],
    ['no such channel when it takes what it is sent then', [wait(3_600), { result: 'ack' }], []],
  ] as const)('for a quarter of an hour is %s', async (_, answers, expected) => {
    const { clock, ops, tell, told, dispatcher } = setUp('mail')
    ops.answers = [...answers]
    tell(1)
    await clock.advance(890_000)
    expect([ops.sent.length, told()]).toEqual([1, []])
    await clock.advance(20_000)
    expect(ops.sent).toHaveLength(2)
    expect(told()?.toSorted()).toEqual(expected)
    await dispatcher.stop()
  })

  test.each([
    ['but takes what it is sent then', 60, [1, 0]],
    ['and had long ended to', 3_600, [1, 1, 0]],
  ] as const)('%s is no such channel', async (_, seconds, answers) => {
    const { clock, ops, tell, told, dispatcher } = setUp('mail')
    const each = answers.map((waits) => (waits ? wait(60) : ({ result: 'ack' } as const)))
    ops.answers = Array.from({ length: 20 }, () => each).flat()
    for (let n = 1; n <= 20; n += 1) {
      tell(n)
      await clock.advance(seconds * 1_000)
    }
    expect(told()).toEqual([])
    await dispatcher.stop()
  })

  test('is waited for as before where there is no other', async () => {
    const { clock, ops, tell, store, dispatcher } = setUp(null)
    ops.answers = [wait(60)]
    tell(1)
    await clock.advance(3_600_000)
    expect([store.getChannel('ops').circuit, ops.sent.length > 50]).toEqual(['closed', true])
    await dispatcher.stop()
  })
})

test('what ended before the fallback took it over is told there as over, once', async () => {
  const hour = 3_600_000
  const fakes = [createFakeChannel('ops'), createFakeChannel('mail', 'email')]
  const routes = [createRoute({ groupBy: ['rule'], groupWaitMs: 0, groupIntervalMs: 0, repeatMs: hour })]
  const { engine, clock, startSending, ops } = createBench({ fakes, fallback: 'mail', routes })
  const stalled = createRule({ name: 'stalled', kind: 'chain.stalled' })
  const zone = createCondition('zone')
  const dispatcher = startSending()
  const judge = async (findings: readonly (typeof zone)[], ms: number) => {
    engine.applyCondition(stalled, { findings, unknown: [] }, clock.now())
    engine.flush(clock.now())
    dispatcher.wake()
    await clock.advance(ms)
  }
  ops.answers = [{ result: 'transient', reason: '500' }]
  await judge([zone], 300_000)
  await judge([], 7 * hour)
  const told = fakes[1]?.sent.flatMap(({ items }) => items.filter(({ kind }) => kind === 'chain.stalled'))
  expect(told?.map(({ summary }) => summary.split(' at ')[0])).toEqual(['Fired and resolved'])
  await dispatcher.stop()
})
