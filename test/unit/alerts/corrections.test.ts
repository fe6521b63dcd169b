import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { renderPagerDuty } from '../../../src/delivery/channels/renderPagerDuty.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import { run } from './caseWorld.ts'
import {
  createBench,
  createEvent,
  createFakeChannel,
  createRoute,
  createRule,
  createTransfer,
  start,
} from './harness.ts'

const minute = 60_000
const failed = createRule({ severity: 'critical' })

/** A source that calls a transfer failed and arrived by turns. */
function follow() {
  const bench = createBench()
  const dispatcher = bench.startSending()
  const wait = async (ms: number) => {
    bench.engine.flush(bench.clock.now())
    dispatcher.wake()
    await bench.clock.advance(ms)
    bench.engine.flush(bench.clock.now())
    dispatcher.wake()
    await bench.clock.advance(0)
  }
  return {
    ...bench,
    wait,
    async turn(ms: number, isFailed: boolean) {
      const now = bench.clock.now()
      if (isFailed) bench.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], now)
      else
        bench.engine.correctEvents(
          [createTransfer(1, { state: 'completed', status: 'success' })],
          () => false,
          now,
        )
      await wait(ms)
    },
    said: () =>
      bench.ops.sent.flatMap(({ items }) =>
        items.map(({ summary }) => (summary.includes('has arrived') ? 'arrived' : 'failed')),
      ),
    stop: () => dispatcher.stop(),
  }
}

test('what a source says in the end, after it changed often, is the last that is told', async () => {
  const world = follow()
  for (const isFailed of [true, false, true, false, true]) await world.turn(minute, isFailed)
  expect(world.said()).toEqual(['failed', 'arrived', 'failed', 'arrived'])
  await world.wait(4 * minute - 1)
  expect(world.said()).toHaveLength(4)
  await world.wait(1)
  expect(world.said().slice(4)).toEqual(['failed'])
  await world.stop()
})

test('a restart shortens no wait of what changed often', async () => {
  const world = follow()
  for (const isFailed of [true, false, true, false, true]) await world.turn(minute, isFailed)
  await world.stop()
  const { database, clock, fakes } = world
  const again = createBench({ database, clock, fakes })
  const dispatcher = again.startSending()
  const wait = async (ms: number) => {
    await clock.advance(ms)
    again.engine.flush(clock.now())
    dispatcher.wake()
    await clock.advance(0)
  }
  again.engine.start(clock.now())
  await wait(4 * minute - 1)
  expect(world.said()).toHaveLength(4)
  await wait(1)
  expect(world.said().slice(4)).toEqual(['failed'])
  await dispatcher.stop()
})

test('what changes ever again is told when it stood for a while, an hour at the longest', async () => {
  const world = follow()
  for (let turn = 0; turn < 24 * 60; turn += 1) await world.turn(minute, turn % 2 === 0)
  expect(world.said()).toEqual(['failed', 'arrived', 'failed', 'arrived'])
  await world.turn(58 * minute, true)
  expect(world.said()).toHaveLength(4)
  await world.wait(3 * minute)
  expect(world.said().slice(4)).toEqual(['failed'])
  await world.stop()
})

test('a source that changes its answer each half hour is told of no more often than once an hour', async () => {
  const world = follow()
  for (let turn = 0; turn < 48; turn += 1) await world.turn(30 * minute, turn % 2 === 0)
  const early = world.said().length
  expect(early).toBeLessThanOrEqual(12)
  await world.stop()
})

const arrived = createTransfer(1, { state: 'completed', status: 'success' })

test('what happened to its case and waits to be sent holds no correction back', async () => {
  const world = run()
  const { pager, engine, clock } = world
  await world.tell(failed, createEvent(1))
  pager.answers = [{ result: 'throttled', retryAfterMs: minute, reason: '429' }, { result: 'ack' }]
  await world.by('c1', 'ack')
  await world.by('c1', 'assign', 'ben')
  engine.correctEvents([arrived], () => false, clock.now())
  await world.send(5 * minute)
  expect(pager.sent.flatMap(({ items }) => items.map(({ status }) => status))).toEqual([
    'event',
    'correction',
  ])
  await world.stop()
})

test.each([false, true])(
  'a pager that is told of each alert by itself ends what it rang for (silenced at first: %s)',
  async (isSilenced) => {
    const pager = createFakeChannel('pager', 'pagerduty')
    const routes = [createRoute({ channels: ['pager'], groupWaitMs: 0, groupBy: ['rule'] })]
    const world = run({ routes, fakes: [pager] })
    const { store, engine, clock } = world
    const silence = { matchers: ['rule="failed"'], startsAt: start, endsAt: start + minute, createdAt: start }
    if (isSilenced) store.insertSilence({ ...silence, author: 'ana', comment: 'why' })
    await world.tell(failed, createEvent(1))
    await world.send(minute)
    engine.correctEvents([arrived], () => false, clock.now())
    await world.send(minute)
    const events = pager.sent.flatMap((message) => renderPagerDuty(message, { degraded: false }).events)
    expect(events.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve'])
    expect(new Set(events.map(({ dedup_key }) => dedup_key)).size).toBe(1)
    expect(pager.sent.map((message) => message.case)).toEqual([null, null])
    await world.stop()
  },
)

const cent = { what: 'amount', leg: 'zone', expected: '100.01', found: '100', asked: 'E9', fewSamples: false }
const million = { ...cent, leg: 'main', found: '1000000', asked: 'E13' }

/** A mismatch of one withdrawal, whose facts come one after the other. */
function followMismatch() {
  const bench = createBench()
  const dispatcher = bench.startSending()
  const rule = createRule({ name: 'mismatch', kind: 'transfer.mismatch', severity: 'critical' })
  const wait = async (ms: number) => {
    for (let at = 0; at <= ms; at += minute) {
      bench.engine.flush(bench.clock.now())
      dispatcher.wake()
      await bench.clock.advance(Math.min(minute, ms - at))
    }
  }
  return {
    ...bench,
    wait,
    async find(facts: Finding['facts'], ms = minute) {
      const transfer = {
        amount: '100.01',
        amountRaw: 100_010_000n,
        state: 'completed',
        status: 'success',
      } as const
      const finding = { ...createEvent(1, transfer), kind: 'transfer.mismatch', facts }
      bench.engine.tellEvents([{ rule, finding }], bench.clock.now())
      await wait(ms)
    },
    said: () => bench.ops.sent.flatMap(({ items }) => items.map(({ summary }) => summary)),
    stop: () => dispatcher.stop(),
  }
}

test.each([
  {
    title: 'a million was paid in place of a hundred',
    facts: million,
    says: 'amount is 1,000,000 on the main chain',
  },
  {
    title: 'somebody else was paid',
    facts: { ...cent, what: 'recipient', leg: 'main', expected: '0xbb', found: '0xbad' },
    says: 'recipient is 0xbad on the main chain',
  },
])('a mismatch of a cent that becomes worse is told once more: $title', async ({ facts, says }) => {
  const world = followMismatch()
  await world.find(cent)
  await world.find(cent, 10 * minute)
  expect(world.said()).toHaveLength(1)
  await world.find(facts)
  await world.find(facts, 10 * minute)
  expect(world.said()).toHaveLength(2)
  expect(world.said()[1]).toContain(says)
  expect(world.said()[1]).toMatch(/^Correction: /)
  await world.stop()
})

/** As an older version kept what it had told: it compared amount and token alone. */
function ageMaterial({ database }: Pick<ReturnType<typeof followMismatch>, 'database'>): void {
  const facts = { amount: '100010000', token: createTransfer(1).token.address, own: {} }
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16)
  database.prepare('UPDATE alerts SET material = ?').run(JSON.stringify([digest]))
}

test.each([
  { title: 'which it finds still', facts: cent },
  { title: 'which it finds by other facts of the same weight', facts: { ...cent, found: '100.001' } },
])('a mismatch that an older version told is not told once more: $title', async ({ facts }) => {
  const world = followMismatch()
  await world.find(cent)
  ageMaterial(world)
  await world.find(facts)
  await world.find(facts, 10 * minute)
  expect(world.said()).toHaveLength(1)
  await world.find({ ...cent, what: 'recipient', leg: 'main', expected: '0xbb', found: '0xbad' })
  expect(world.said()).toHaveLength(2)
  await world.stop()
})

test('a mismatch that an older version told is told once more where it names more money', async () => {
  const world = followMismatch()
  await world.find(cent, 2 * minute)
  ageMaterial(world)
  await world.find(million)
  expect(world.said()).toHaveLength(2)
  expect(world.said()[1]).toContain('1,000,000')
  await world.stop()
})

test('a mismatch that an older version told is corrected where there is none any more', async () => {
  const world = followMismatch()
  await world.find(cent)
  ageMaterial(world)
  world.engine.correctEvents([arrived], () => false, world.clock.now())
  await world.wait(minute)
  expect(world.said()).toEqual([world.said()[0], expect.stringContaining('agree by now')])
  await world.stop()
})

test('what a source finds anew each minute is told ever more rarely, and goes on being told', async () => {
  const world = followMismatch()
  for (let turn = 0; turn < 6 * 60; turn += 1)
    await world.find({ ...million, found: String(1_000_000 + turn) }, minute)
  expect(world.said().length).toBeGreaterThan(6)
  expect(world.said().length).toBeLessThan(12)
  await world.stop()
})

test('a million that opens its case again is told at once, however often lesser amounts came before it', async () => {
  const world = followMismatch()
  for (let turn = 0; turn < 100; turn += 1) await world.find({ ...cent, found: `100.${300 - turn}` })
  const before = world.said().length
  await world.find(million)
  expect(world.said().slice(before).join()).toContain('1,000,000')
  await world.stop()
})
