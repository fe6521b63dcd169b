import { expect, test } from 'vitest'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import {
  failed,
  failure,
  lack,
  minute,
  outflow,
  run,
  shortfall,
  smallDrift,
  theft,
  unbacked,
} from './caseWorld.ts'
import { createBench, createCondition, createFakeChannel, createRoute, createRule } from './harness.ts'

const ten = [{ afterMs: 10 * minute, channels: ['pager'] }]
const r = (o: object) => createRoute({ channels: ['ops'], groupWaitMs: 0, ...o })
const two = () => [createFakeChannel('ops'), createFakeChannel('pager')]
const silence = (world: ReturnType<typeof run>, matcher: string) =>
  world.store.insertSilence({
    matchers: [matcher],
    startsAt: world.clock.now(),
    endsAt: world.clock.now() + 600 * minute,
    author: 'ana',
    comment: 'known',
    createdAt: world.clock.now(),
    transfer: null,
  })

test('two routes that name one channel escalate by either', async () => {
  const world = run({
    fakes: two(),
    routes: [r({ id: 'r1', continue: true }), r({ id: 'r2', escalate: ten })],
  })
  await world.tell(unbacked, theft(1, '100'))
  await world.send(10 * minute)
  expect(world.pager.sent).toHaveLength(1)
  await world.stop()
})
test('more money of what is all silenced rings no pager', async () => {
  const world = run()
  await world.tell(unbacked, theft(1, '100'))
  const n = world.pager.sent.length
  silence(world, 'rule="unbacked"')
  await world.tell(unbacked, theft(2, '1000'))
  await world.send(5 * minute)
  expect(world.pager.sent.length).toBe(n)
  await world.stop()
})
test('what is handled and ends then is shown for a day', async () => {
  const world = run()
  await world.judge(shortfall, lack('50'))
  await world.by('c1', 'handle', 'x')
  await world.send(minute)
  await world.judge(shortfall)
  await world.send(minute)
  expect(world.cases()[0]?.state).toBe('handled')
  await world.stop()
})
test('more money without a new finding opens what was taken, and is told to who follows no cases', async () => {
  const world = run({ fakes: two() })
  await world.judge(shortfall, lack('1000'))
  await world.by('c1', 'ack')
  const n = world.ops.sent.length
  await world.clock.advance(minute)
  await world.judge(shortfall, lack('10000000'))
  await world.send(10 * minute)
  expect(world.cases()[0]).toMatchObject({ state: 'open', turn: 2 })
  expect(world.ops.sent.length).toBe(n + 1)
  await world.stop()
})
test('more money without a new finding in an open case is told to who follows no cases', async () => {
  const world = run({ fakes: two() })
  await world.judge(shortfall, lack('1000'))
  const n = world.ops.sent.length
  await world.clock.advance(minute)
  await world.judge(shortfall, lack('10000000'))
  await world.send(10 * minute)
  expect(world.ops.sent.length).toBe(n + 1)
  await world.stop()
})
test('a critical finding joins an open case that has escalated as a warning', async () => {
  const world = run({ fakes: two(), routes: [r({ escalate: ten })] })
  await world.judge(smallDrift, outflow(1, '1000'))
  await world.send(10 * minute)
  expect(world.pager.sent).toHaveLength(1)
  await world.judge(shortfall, lack('10'))
  await world.send(30 * minute)
  expect(world.cases()).toHaveLength(1)
  expect(world.pager.sent).toHaveLength(2)
  await world.stop()
})
test('many that are silenced keep none from escalating', async () => {
  const world = run({ fakes: two(), routes: [r({ escalate: ten })] })
  const loud = createRule({ name: 'urgent', kind: 'transfer.failed', severity: 'critical' })
  silence(world, 'rule="failed"')
  await world.tell(failed, ...Array.from({ length: 120 }, (_, n) => failure(n + 1, 'x', { amount: '50' })))
  await world.tell(loud, failure(500, 'x'))
  await world.send(11 * minute)
  expect(world.pager.sent).toHaveLength(1)
  await world.stop()
})
test('what joined while somebody had the case escalates once that is taken back', async () => {
  const world = run({
    fakes: two(),
    routes: [
      r({ id: 'r1', matches: (l: Record<string, string>) => l['rule'] === 'small-drift' }),
      r({ id: 'r2', escalate: ten }),
    ],
  })
  await world.judge(smallDrift, outflow(1, '1000'))
  await world.by('c1', 'ack')
  await world.tell(
    createRule({ name: 'unbacked', kind: 'transfer.unbacked', severity: 'warning' }),
    theft(1, '10'),
  )
  expect(world.cases()).toMatchObject([{ state: 'acknowledged' }])
  await world.by('c1', 'reopen')
  await world.send(11 * minute)
  expect(world.pager.sent).toHaveLength(1)
  await world.stop()
})
test('escalation that is written while somebody has the case rings once that is taken back', async () => {
  const world = run({ fakes: two(), routes: [r({})] })
  await world.tell(unbacked, theft(1, '100'))
  await world.by('c1', 'ack')
  await world.stop()
  const { database, clock } = world
  const second = run({ fakes: two(), database, clock, routes: [r({ escalate: ten })] })
  second.engine.start(clock.now())
  await second.send(11 * minute)
  expect(second.pager.sent).toEqual([])
  await second.by('c1', 'reopen')
  await second.send(11 * minute)
  expect(second.pager.sent).toHaveLength(1)
  await second.stop()
})
test('an amount that becomes known opens what was taken, and is told to who follows no cases', async () => {
  const world = run({ fakes: two() })
  const unknown = theft(1, '1')
  const told = { ...unknown.transfer, amount: null, amountRaw: null } as unknown as Transfer
  await world.tell(unbacked, { ...unknown, transfer: told })
  await world.by('c1', 'ack')
  const n = world.ops.sent.length
  await world.tell(unbacked, theft(1, '10000000'))
  expect(world.cases()[0]).toMatchObject({ state: 'open', turn: 2 })
  expect(world.ops.sent.length).toBe(n + 1)
  await world.stop()
})

test('F67: after a start with the wall clock set back a case waits no longer than its step', async () => {
  const world = run({ fakes: two(), routes: [r({ escalate: ten })] })
  await world.tell(unbacked, theft(1, '100'))
  await world.stop()
  const back = world.clock.now() - 300 * minute
  const { engine, store } = createBench({ ...world, routes: [r({ escalate: ten })] })
  engine.start(back)
  const rung = (at: number) => {
    engine.flush(back + at)
    return store.listQueuedOf('pager').length
  }
  expect([rung(10 * minute - 1), rung(10 * minute)]).toEqual([0, 1])
})

const outage = createRule({ name: 'outage', kind: 'source.unavailable', severity: 'critical' })
const explorer = createCondition('explorer', {
  kind: 'source.unavailable',
  labels: { source: 'explorer' },
})
const late = createRule({ name: 'late', kind: 'transfer.stalled', severity: 'critical' })
const waiting = createCondition('t1', { kind: 'transfer.stalled', labels: {} })
const toPager = [r({ matches: (l: Record<string, string>) => l['rule'] === 'late', escalate: ten }), r({})]
const rungOf = ({ pager }: ReturnType<typeof run>) =>
  pager.sent.flatMap(({ items }) => items.map(({ rule, status }) => `${rule} ${status}`))

test('F67: after a start with the wall clock set back more money of a case is told, and the case ends', async () => {
  const before = run()
  const year = 365 * 24 * 60 * minute
  const ten = 10 * year
  before.clock.step(ten)
  await before.judge(shortfall, lack('50'))
  await before.tell(failed, failure(1, 'x'))
  await before.stop()
  const { database, clock, fakes } = before
  clock.step(-ten)
  const world = run({ database, clock, fakes })
  world.engine.start(clock.now())
  const told = world.ops.sent.length
  await world.judge(shortfall, lack('50'))
  await world.send(minute)
  await world.judge(shortfall, lack('5000000'))
  await world.send(2 * minute)
  expect(world.ops.sent.slice(told).flatMap(({ items }) => items.map(({ status }) => status))).toEqual([
    'repeat',
  ])
  expect(world.pager.sent.at(-1)?.changes).toEqual(['opened again'])
  await world.judge(shortfall)
  await world.send(24 * 60 * minute)
  expect(world.cases().map(({ state }) => state)).toEqual(['closed', 'closed'])
  await world.stop()
})

test('what is inhibited from its beginning escalates once it is not, and not before', async () => {
  const world = run({ fakes: two(), routes: toPager })
  await world.judge(outage, explorer)
  await world.judge(late, waiting)
  await world.send(30 * minute)
  expect(rungOf(world)).toEqual([])
  await world.judge(outage)
  await world.send(minute)
  expect(rungOf(world)).toEqual(['late firing'])
  await world.stop()
})

test('what was told before it was inhibited escalates in time', async () => {
  const world = run({ fakes: two(), routes: toPager })
  await world.judge(late, waiting)
  await world.judge(outage, explorer)
  await world.send(10 * minute)
  expect(rungOf(world)).toEqual(['late firing'])
  await world.stop()
})

test.each([
  { title: 'its end was told', afterMinutes: 30, expected: 'firing' },
  { title: 'its end waits for the interval of its group', afterMinutes: 2, expected: 'repeat' },
])(
  'a case that opens again by what is inhibited rings once it is not, and not before, where $title',
  async ({ afterMinutes, expected }) => {
    const world = run()
    const low = createRule({ name: 'low', kind: 'operator.low_balance' })
    const gas = createCondition('operator', { kind: 'operator.low_balance', labels: {} })
    const out = createRule({ name: 'out', kind: 'source.unavailable', severity: 'critical' })
    const silent = createCondition('explorer', { kind: out.kind, labels: { source: 'explorer' } })
    const ringsOf = () =>
      world.pager.sent.flatMap((message) =>
        message.case?.id === 'c1' ? [...message.changes, ...message.items.map(({ status }) => status)] : [],
      )
    await world.judge(low, gas)
    await world.send(minute)
    await world.judge(low)
    await world.send(afterMinutes * minute)
    await world.judge(out, silent)
    const before = ringsOf().length
    await world.judge(low, gas)
    await world.send(minute)
    expect(world.cases()[0]).toMatchObject({ state: 'open', turn: 2 })
    expect(ringsOf().slice(before)).toEqual([])
    await world.judge(out)
    await world.send(6 * minute)
    expect(ringsOf().slice(before)).toEqual([expected])
    await world.stop()
  },
)

test.each(['critical', 'warning'] as const)(
  'F55: a case that flaps (%s) rings a pager no oftener than the interval of its group, and is said to be over at last',
  async (severity) => {
    const world = run()
    const rule = createRule({ name: 'stalled', kind: 'chain.stalled', severity })
    const changes = () => world.pager.sent.flatMap((message) => message.changes)
    for (let at = 0; at < 120; at += 1) {
      await world.judge(rule, ...(at % 2 === 0 ? [createCondition('zone')] : []))
      await world.send(minute)
    }
    expect(changes()).toEqual(['closed', 'opened again', 'closed', 'opened again'])
    expect(world.pager.sent.length).toBeLessThanOrEqual(2 * (120 / 5))
    await world.send(10 * minute)
    expect(changes().slice(4)).toEqual(['closed'])
    await world.judge(rule, createCondition('zone'))
    expect(changes().slice(5)).toEqual(['opened again'])
    await world.stop()
  },
)

test('what flaps is told at each turn to who took it, and where more money is at risk', async () => {
  const world = run()
  const changes = () => world.pager.sent.flatMap((message) => message.changes)
  const flap = async (missing: string) => {
    await world.judge(shortfall)
    await world.send(minute)
    await world.judge(shortfall, lack(missing))
    await world.send(minute)
  }
  await world.judge(shortfall, lack('50'))
  for (let turn = 0; turn < 5; turn += 1) await flap('50')
  const before = changes().length
  await world.by('c1', 'ack')
  await flap('50')
  expect(changes().slice(before)).toEqual(['acknowledged', 'closed', 'opened again'])
  await flap('50')
  expect(changes().slice(before + 3)).toEqual([])
  await flap('5000')
  expect(changes().slice(before + 3)).toEqual(['opened again'])
  await world.stop()
})
