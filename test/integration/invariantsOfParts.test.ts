import { expect, test } from 'vitest'
import { createTransfersPoll } from '../../src/checks/transfers/pollTail.ts'
import { openWalk, readOn } from '../../src/checks/transfers/pollSweep.ts'
import { openDatabase } from '../../src/store/database.ts'
import { recordQuarantine, summarizeQuarantine } from '../../src/kernel/reads/quarantine.ts'
import {
  createBench,
  createCondition,
  createEvent,
  createFakeChannel,
  createRoute,
  createRule,
} from '../unit/alerts/harness.ts'
import { known, noSignal, setUp, toRows } from '../unit/checks/support.ts'

const failed = createRule()
const event = (n: number) => ({ rule: failed, finding: createEvent(n) })

test('invariant 4: a page that fails ends no walk, and the next run reads it', async () => {
  const world = setUp(toRows(30))
  let isBroken = true
  world.feed.onPage = (page) => {
    if (page === 4 && isBroken) throw new Error('cut off')
  }
  const walk = openWalk(world)
  await readOn(walk, noSignal).catch(() => {})
  expect(world.cursors.read().history.done).toBe(false)
  isBroken = false
  for (let runs = 0; runs < 20 && !world.cursors.read().history.done; runs += 1) await readOn(walk, noSignal)
  expect(known(world.ledger)).toBe(30)
})

test('invariant 6: an alert and its message are undone together, and an unsent one outlives a restart', async () => {
  const bench = createBench()
  const { database, engine, store, clock } = bench
  expect(() =>
    database.transaction(() => {
      engine.tellEvents([event(1)], clock.now())
      throw new Error('killed')
    }),
  ).toThrow('killed')
  expect([store.listAlerts({ limit: 9 }), store.listDepths()]).toEqual([[], []])
  database.transaction(() => engine.tellEvents([event(1)], clock.now()))
  const next = createBench({ database, clock })
  next.engine.tellEvents([event(1)], clock.now())
  const dispatcher = next.startSending()
  await clock.advance(0)
  expect(next.ops.sent.flatMap(({ items }) => items)).toHaveLength(1)
  await dispatcher.stop()
})

test('invariant 7: another block, time and text of one transfer make no second alert', () => {
  const { engine, store, clock } = createBench()
  engine.tellEvents([event(1)], clock.now())
  const zone = { chain: 'zone', hash: `0x${'9'.repeat(64)}`, height: 8, time: clock.now() } as const
  const moved = { ...createEvent(1, { zone }), title: 'another text' }
  engine.tellEvents([{ rule: failed, finding: moved }], clock.now() + 60_000)
  expect(store.listAlerts({ limit: 9 })).toHaveLength(1)
})

test('invariant 8: a flood reaches the channel with its true count', async () => {
  const { engine, clock, startSending, ops } = createBench()
  engine.tellEvents(
    Array.from({ length: 300 }, (_, n) => event(n + 1)),
    clock.now(),
  )
  const dispatcher = startSending()
  await clock.advance(600_000)
  expect(ops.sent.reduce((sum, { total }) => sum + total, 0)).toBe(300)
  await dispatcher.stop()
})

test('invariant 10: what a channel did not take is not taken as told', async () => {
  const { engine, clock, startSending, store, ops } = createBench()
  ops.answers = [{ result: 'transient', reason: 'HTTP 500' }, { result: 'ack' }]
  engine.tellEvents([event(1)], clock.now())
  const dispatcher = startSending()
  await clock.advance(0)
  expect(store.listAlerts({ limit: 9 })[0]?.state).not.toBe('delivered')
  await clock.advance(120_000)
  expect(ops.sent).toHaveLength(2)
  expect(store.listAlerts({ limit: 9 })[0]?.state).toBe('delivered')
  await dispatcher.stop()
})

test('invariant 11: a channel that hangs holds up no other', async () => {
  const fakes = [createFakeChannel('hangs'), createFakeChannel('works')] as const
  fakes[0].answers = [new Promise(() => {})]
  const routes = [createRoute({ channels: ['hangs', 'works'] })]
  const { engine, clock, startSending } = createBench({ fakes, routes })
  startSending()
  for (const n of [1, 2]) {
    engine.tellEvents([event(n)], clock.now())
    await clock.advance(60_000)
  }
  expect(fakes[1].sent.flatMap(({ items }) => items)).toHaveLength(2)
})

test('invariant 13: a restart tells nothing again of what still fires', () => {
  const rule = createRule({ name: 'stalled', kind: 'chain.stalled' })
  const judged = { findings: [createCondition('zone')], unknown: [] }
  const first = createBench({ rules: [rule] })
  const { database, clock } = first
  first.engine.start(clock.now())
  first.engine.releaseStart()
  first.engine.applyCondition(rule, judged, clock.now())
  first.engine.flush(clock.now() + 60_000)
  const told = first.store.listOutbox({ state: 'queued', limit: 9 }).length
  expect(told).toBe(1)
  const second = createBench({ database, clock, rules: [rule] })
  second.engine.start(clock.now() + 61_000)
  second.engine.releaseStart()
  second.engine.applyCondition(rule, judged, clock.now() + 62_000)
  second.engine.flush(clock.now() + 120_000)
  expect(second.store.listOutbox({ state: 'queued', limit: 9 })).toHaveLength(told)
})

test('invariant 15: an endpoint that sends only rubbish fills no disk: 1,000 are kept', () => {
  const db = openDatabase(':memory:')
  const bad = (n: number) => ({ endpoint: 'E3', problem: 'unreadable', raw: `record ${n}` })
  db.transaction(() =>
    recordQuarantine(
      db,
      Array.from({ length: 1_000 }, (_, n) => bad(n)),
      1,
    ),
  )
  expect(summarizeQuarantine(db, 0)[0]?.count).toBe(1_000)
  db.transaction(() => recordQuarantine(db, [bad(1_000)], 2))
  expect(summarizeQuarantine(db, 0)[0]?.count).toBe(1_000)
})

test('invariant 18: a record on the edge of two pages and two readings is one transfer', async () => {
  const world = setUp(toRows(9))
  const poll = createTransfersPoll(world, openWalk(world))
  world.feed.onPage = (page) => {
    if (page === 2) world.feed.rows = [...toRows(1, 9), ...toRows(9)]
  }
  await poll(noSignal)
  await poll(noSignal)
  expect(known(world.ledger)).toBe(10)
})
