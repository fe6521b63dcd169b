import { expect, test } from 'vitest'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Labels } from '../../../src/alerts/routing.ts'
import { createCondition, createFakeChannel, createRule } from './harness.ts'
import { hourly, listSaid, restart, stalled, watch, zone } from './watch.ts'

const minute = 60_000

const asks = (bound: number) => ({ params: { after: bound }, asks: `${bound}` })

test('a `for` raised above the age of what was told ends nothing and reminds of nothing until it is reached', async () => {
  const world = watch()
  await world.judge(stalled, [zone])
  const slower = { ...stalled, forMs: 120 * minute }
  await world.judge(slower, [zone], 90)
  world.store.touchQuietGroups(world.clock.now())
  await world.judge(slower, [zone], 28)
  expect(listSaid(world.ops)).toEqual(['firing critical'])
  await world.judge(slower, [zone], 10)
  expect(listSaid(world.ops)).toEqual(['firing critical', 'repeat critical'])
  await world.judge(slower, [])
  expect(listSaid(world.ops)).toEqual(['firing critical', 'repeat critical', 'resolved critical'])
  await world.stop()
})

test('an acknowledgement holds when what it is of reaches a `for` that was raised above its age', async () => {
  const world = watch()
  await world.judge(stalled, [zone])
  world.store.ackAlert(world.store.listActive()[0]?.id ?? 0, 'ana', world.clock.now())
  const slower = { ...stalled, forMs: 30 * minute }
  await world.judge(slower, [zone], 120)
  expect(listSaid(world.ops)).toEqual(['firing critical'])
  await world.judge(slower, [])
  await world.judge(slower, [zone], 31 + 60)
  expect(listSaid(world.ops).slice(1)).toEqual(['resolved critical', 'firing critical', 'repeat critical'])
  await world.stop()
})

test('what was told and is over before a raised `for` is reached ends', async () => {
  const world = watch()
  await world.judge(stalled, [zone])
  const slower = { ...stalled, forMs: 120 * minute }
  await world.judge(slower, [zone], 2)
  await world.judge(slower, [])
  expect(listSaid(world.ops)).toEqual(['firing critical', 'resolved critical'])
  await world.stop()
})

test('what a rule does not find any more since its bounds were changed has ended by that, and is not called resolved', async () => {
  const world = watch()
  const other = createCondition('main')
  await world.judge({ ...stalled, ...asks(1) }, [zone, other])
  await world.judge({ ...stalled, ...asks(2) }, [other])
  expect(listSaid(world.ops)).toEqual(['firing critical', 'firing critical', 'ended critical'])
  expect(world.ops.sent.at(-1)?.items[0]?.summary).toContain('its rule asks for something else now')
  await world.judge({ ...stalled, ...asks(2) }, [])
  expect(listSaid(world.ops).at(-1)).toBe('resolved critical')
  await world.stop()
})

test('what is found by bounds that were changed while nothing ran ends by that, and what is found once more is resolved later', async () => {
  const before = watch()
  const other = createCondition('main')
  await before.judge({ ...stalled, ...asks(1) }, [zone, other])
  const world = await restart(before, {})
  await world.judge({ ...stalled, ...asks(2) }, [other])
  expect(world.ops.sent.at(-1)?.items[0]?.summary).toContain('its rule asks for something else now')
  const after = await restart(world, {})
  await after.judge({ ...stalled, ...asks(2) }, [])
  expect(listSaid(after.ops).slice(2)).toEqual(['ended critical', 'resolved critical'])
  await after.stop()
})

test('of what could not be judged since the bounds were changed, that it ended by them is said once it can', async () => {
  const world = watch()
  await world.judge({ ...stalled, ...asks(1) }, [zone])
  const changed = { ...stalled, ...asks(2) }
  world.engine.applyCondition(changed, { findings: [], unknown: 'all' }, world.clock.now())
  await world.flush()
  const after = await restart(world, {})
  after.engine.applyCondition(changed, { findings: [], unknown: ['zone'] }, after.clock.now())
  await after.flush()
  await after.judge(changed, [])
  expect(listSaid(after.ops).at(-1)).toBe('ended critical')
  await after.stop()
})

test.each([0, 3 * minute])(
  'what is kept firing for a while (%i ms) when the bounds of its rule are changed ends by that too, and what was over before does not',
  async (keepFiringForMs) => {
    const world = watch()
    const kept = { ...stalled, keepFiringForMs }
    const other = createCondition('main')
    await world.judge({ ...kept, ...asks(1) }, [zone, other])
    await world.judge({ ...kept, ...asks(1) }, [zone])
    await world.judge({ ...kept, ...asks(2) }, [], 5)
    const said = listSaid(world.ops).slice(2).toSorted()
    expect(said).toEqual(['ended critical', 'resolved critical'])
    await world.stop()
  },
)

test('what a raised `for` made pending before it was told is told when that is reached', async () => {
  const world = watch({ routes: [{ ...hourly, groupWaitMs: 10 * minute }] })
  await world.judge(stalled, [zone])
  const slower = { ...stalled, forMs: 60 * minute }
  await world.judge(slower, [zone], 59)
  expect(listSaid(world.ops)).toEqual([])
  await world.judge(slower, [zone], 11)
  expect(listSaid(world.ops)).toEqual(['firing critical'])
  await world.stop()
})

const warning = { ...stalled, severity: 'warning' as const }
const bySeverity = [
  {
    ...hourly,
    id: 'r1',
    channels: ['pager'],
    matches: (labels: Labels) => labels['severity'] === 'critical',
  },
  { ...hourly, id: 'r2' },
] as const
const two = () => [createFakeChannel('ops'), createFakeChannel('pager')] as const

test('a severity that is raised goes by the routes of what it is now, and its end to all that were told', async () => {
  const [ops, pager] = two()
  const world = watch({ fakes: [ops, pager], routes: bySeverity })
  await world.judge(warning, [zone], 10)
  await world.judge(stalled, [zone])
  expect([listSaid(ops), listSaid(pager)]).toEqual([['firing warning'], ['firing critical']])
  await world.judge(stalled, [zone], 62)
  expect([listSaid(ops), listSaid(pager)]).toEqual([
    ['firing warning'],
    ['firing critical', 'repeat critical'],
  ])
  await world.judge(stalled, [])
  expect([listSaid(ops).at(-1), listSaid(pager).at(-1)]).toEqual(['resolved critical', 'resolved critical'])
  await world.stop()
})

test.each([
  { title: 'raised is told at once', from: warning, to: stalled, expected: ['repeat critical'] },
  { title: 'lowered is told with the next reminder', from: stalled, to: warning, expected: [] },
])('a severity that is $title where the route stays the same', async ({ from, to, expected }) => {
  const world = watch()
  await world.judge(from, [zone], 10)
  await world.judge(to, [zone], 30)
  expect(listSaid(world.ops).slice(1)).toEqual(expected)
  await world.stop()
})

test('what fires anew after its severity was raised goes by the routes of what it is now', async () => {
  const [ops, pager] = two()
  const world = watch({ fakes: [ops, pager], routes: bySeverity })
  await world.judge(warning, [zone])
  await world.judge(warning, [], 10)
  await world.judge(stalled, [zone], 10)
  expect([listSaid(ops), listSaid(pager)]).toEqual([
    ['firing warning', 'resolved warning'],
    ['firing critical'],
  ])
  await world.stop()
})

test('what fires at the evaluation that finds its severity raised goes by the routes of what it is now', async () => {
  const [ops, pager] = two()
  const world = watch({ fakes: [ops, pager], routes: bySeverity })
  const slow = { forMs: 2 * minute }
  await world.judge({ ...warning, ...slow }, [zone], 2)
  await world.judge({ ...stalled, ...slow }, [zone], 10)
  expect([listSaid(ops), listSaid(pager)]).toEqual([[], ['firing critical']])
  await world.stop()
})

test('a severity that is raised takes back the acknowledgement', async () => {
  const world = watch()
  await world.judge(warning, [zone])
  const [alert] = world.store.listActive()
  world.store.ackAlert(alert?.id ?? 0, 'ana', world.clock.now())
  await world.judge(warning, [zone], 70)
  expect(listSaid(world.ops)).toEqual(['firing warning'])
  await world.judge(stalled, [zone])
  expect(listSaid(world.ops)).toEqual(['firing warning', 'repeat critical'])
  await world.stop()
})

test('a label that becomes another one while it fires goes by the routes of what it is now', async () => {
  const [ops, pager] = two()
  const [first, ...rest] = bySeverity
  const named = { ...first, matches: (labels: Labels) => labels['symbol'] === 'USDC' }
  const world = watch({ fakes: [ops, pager], routes: [named, ...rest] })
  await world.judge(stalled, [zone])
  const known = createCondition('zone', { labels: { chain: 'zone', symbol: 'USDC' } })
  await world.judge(stalled, [known], 62)
  expect([listSaid(ops), listSaid(pager)]).toEqual([
    ['firing critical'],
    ['firing critical', 'repeat critical'],
  ])
  await world.stop()
})

test('a label that becomes another one reminds nobody before the time', async () => {
  const world = watch()
  await world.judge(stalled, [zone])
  await world.judge(stalled, [createCondition('zone', { labels: { chain: 'zone', symbol: 'USDC' } })], 30)
  expect(listSaid(world.ops)).toEqual(['firing critical'])
  await world.stop()
})

test('a label that no route matches leaves who was told waiting for the end alone', async () => {
  const world = watch({ routes: [{ ...hourly, matches: (labels) => labels['symbol'] === undefined }] })
  await world.judge(stalled, [zone])
  await world.judge(stalled, [createCondition('zone', { labels: { chain: 'zone', symbol: 'USDC' } })], 70)
  await world.judge(stalled, [])
  expect(listSaid(world.ops)).toEqual(['firing critical', 'resolved critical'])
  await world.stop()
})

const late = { ...stalled, severity: 'warning' as const, forMs: 2 * minute }

test.each([
  { title: 'waits for its interval', answers: [{ result: 'ack' as const }] },
  {
    title: 'is queued',
    answers: [
      { result: 'throttled' as const, retryAfterMs: 10 * minute, reason: '429' },
      { result: 'ack' as const },
    ],
  },
])(
  'the end of what was told is sent though it is pending again when its rule goes, where it $title',
  async ({ answers }) => {
    const world = watch({ routes: [{ ...hourly, groupIntervalMs: 4 * minute }] })
    await world.judge(late, [zone], 4)
    world.ops.answers = answers
    await world.judge(late, [], answers.length === 1 ? 1 : 5)
    await world.judge(late, [zone])
    world.engine.dropRules([], world.clock.now())
    await world.flush(70)
    expect(world.ops.sent.map(({ total }) => total).every((total) => total === 1)).toBe(true)
    expect([...new Set(listSaid(world.ops))]).toEqual(['firing warning', 'resolved warning'])
    expect(world.store.listActive()).toEqual([])
    await world.stop()
  },
)

test('of a rule that goes nothing is left of what never fired', async () => {
  const world = watch()
  await world.judge(late, [zone])
  world.engine.dropRules([], world.clock.now())
  expect(world.store.getAlert(1)).toBeNull()
  await world.stop()
})

test('a rule that keeps its name and becomes one on an event ends what it found before', async () => {
  const world = watch()
  await world.judge(stalled, [zone])
  const event = createRule({ name: 'stalled', kind: 'transfer.failed' })
  world.engine.dropRules([event], world.clock.now())
  await world.flush(70)
  expect(listSaid(world.ops)).toEqual(['firing critical', 'ended critical'])
  expect(world.store.listEvaluations()).toEqual([])
  await world.stop()
})

test('a rule that keeps its name and becomes one on another condition ends what it found before as removed', async () => {
  const world = watch()
  await world.judge(stalled, [zone])
  const silent = createRule({ name: 'stalled', kind: 'source.unavailable', severity: 'critical' })
  const down = createCondition('zone', { kind: 'source.unavailable', labels: { source: 'explorer' } })
  world.engine.applyCondition(silent, { findings: [down], unknown: [] }, world.clock.now())
  world.engine.dropRules([silent], world.clock.now())
  await world.flush()
  expect(listSaid(world.ops).toSorted()).toEqual(['ended critical', 'firing critical', 'firing critical'])
  expect(world.store.listActive().map(({ kind }) => kind)).toEqual(['source.unavailable'])
  await world.stop()
})

test('a severity that is raised while it is inhibited is told once it is not, whatever the interval of its group', async () => {
  const outage = createRule({ name: 'outage', kind: 'chain.stalled', severity: 'info' })
  const inhibit = [
    {
      source: (of: Labels) => of['rule'] === 'outage',
      target: (of: Labels) => of['rule'] === 'stalled',
      equal: [],
    },
  ]
  const world = watch({ routes: [{ ...hourly, groupIntervalMs: 30 * minute }], inhibit })
  const blind = (findings: readonly Finding[]) =>
    world.engine.applyCondition(outage, { findings, unknown: [] }, world.clock.now())
  await world.judge(warning, [zone], 10)
  blind([createCondition('main')])
  await world.judge(stalled, [zone], 3)
  expect(listSaid(world.ops).filter((said) => said.includes('critical'))).toEqual([])
  blind([])
  await world.judge(stalled, [zone], 2)
  expect(listSaid(world.ops).filter((said) => said.includes('critical'))).toEqual(['repeat critical'])
  await world.stop()
})

const many = ['x', 'y', 'z'].map((subject) => createCondition(subject))
const overflowing = (name: string) => createRule({ name, kind: 'chain.stalled' })
const listOverflows = ({ store }: ReturnType<typeof watch>) =>
  store
    .listAlerts({ limit: 9 })
    .filter(({ kind }) => kind === 'monitor.rule_overflow')
    .map(({ subject, state }) => `${subject} ${state}`)
    .toSorted()

test.each([false, true])(
  'that a rule finds too much ends with the rule (restarted: %s)',
  async (isRestarted) => {
    const options = { maxActivePerRule: 2 }
    const before = watch(options)
    await before.judge(overflowing('a'), many)
    const world = isRestarted ? await restart(before, options) : before
    expect(listOverflows(world)).toEqual(['a firing'])
    world.engine.dropRules([], world.clock.now())
    await world.flush(10)
    expect(listOverflows(world)).toEqual(['a resolved'])
    const said = world.ops.sent.flatMap(({ items }) => items)
    expect(said.findLast(({ kind }) => kind === 'monitor.rule_overflow')).toMatchObject({ status: 'ended' })
    await world.stop()
  },
)

test('that a rule finds too much goes on over a restart until that rule is evaluated again', async () => {
  const options = { maxActivePerRule: 2 }
  const before = watch(options)
  await before.judge(overflowing('a'), many)
  await before.judge(overflowing('b'), many)
  const world = await restart(before, options)
  world.engine.keepCondition(overflowing('a'), 'no answer', world.clock.now())
  await world.judge(overflowing('b'), many)
  expect(listOverflows(world)).toEqual(['a firing', 'b firing'])
  await world.judge(overflowing('a'), many.slice(1), 2)
  expect(listOverflows(world)).toEqual(['a resolved', 'b firing'])
  await world.stop()
})

test('a severity that is changed and changed back leaves no reminder due where nobody is told any more', async () => {
  const [ops, pager] = two()
  const [own, others] = bySeverity
  const routes = [own, { ...others, groupWaitMs: 10 * minute, groupIntervalMs: 240 * minute }]
  const world = watch({ fakes: [ops, pager], routes })
  await world.judge(stalled, [zone], 50)
  await world.judge(warning, [zone])
  for (let at = 51; at < 130; at += 1) {
    await world.judge(stalled, [zone])
    expect(world.store.nextGroupDue()).toBeGreaterThanOrEqual(world.clock.now())
  }
  expect(listSaid(pager)).toEqual(['firing critical', 'repeat critical', 'repeat critical'])
  expect(listSaid(ops)).toEqual([])
  await world.stop()
})
