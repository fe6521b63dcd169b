import { expect, test } from 'vitest'
import { createOperations } from '../../../src/alerts/operations.ts'
import { createAlertEngine } from '../../../src/alerts/alertEngine.ts'
import { checkSilence, findSilenceProblem, showSilence } from '../../../src/alerts/silences.ts'
import { kinds } from '../../../src/checks/index.ts'
import { renderSilencesPage } from '../../../src/web/pages/silencesPage.ts'
import type { Judgement } from '../../../src/rules/kind.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import {
  ana,
  vocabulary,
  createBench,
  createCondition,
  createEvent,
  createFakeChannel,
  createRoute,
  createRule,
  start,
} from './harness.ts'

const failed = createRule()
const urgent = createRule({ name: 'urgent', kind: 'chain.stalled', severity: 'critical' })
const zone = createCondition('zone')
const firing = { findings: [zone], unknown: [] }
const over = { findings: [], unknown: [] }
const hour = 3_600_000

const input = {
  matchers: ['rule=urgent'],
  startsAt: null,
  endsAt: start + hour,
  author: 'ana',
  comment: 'maintenance',
}

test.each([
  ['no matcher', { matchers: [] }, /expected a matcher/],
  ['a matcher that cannot be read', { matchers: ['rule'] }, /expected label=value/],
  ['matchers that match every alert', { matchers: ['team!=x', 'other='] }, /every alert/],
  ['an end that is over', { endsAt: start }, /not over/],
  ['an end before its start', { startsAt: start + hour + 1 }, /after the start/],
  ['no author', { author: ' ' }, /author/],
  ['no comment', { comment: '' }, /comment/],
  [
    'a comment that would be cut',
    { comment: 'x'.repeat(501) },
    /comment: .* at most 500 characters, got 501/,
  ],
  ['an end that is no time', { endsAt: Number.NaN }, /start and an end/],
])('a silence with %s is refused', (_, change, problem) => {
  const checked = checkSilence({ ...input, ...change }, start)
  expect(checked.ok ? '' : checked.problems.join()).toMatch(problem)
})

test('an end a millisecond away is taken', () => {
  expect(checkSilence({ ...input, endsAt: start + 1 }, start).ok).toBe(true)
})

function run(options: Parameters<typeof createBench>[0] = {}) {
  const bench = createBench(options)
  const operations = createOperations({
    following: new Set(),
    store: bench.store,
    kinds,
    vocabulary,
    log: createSilentLog(),
    clock: bench.clock,
    onChanged: () => undefined,
  })
  const dispatcher = bench.startSending()
  const look = async (ms: number, judgement: Judgement | null) => {
    await bench.clock.advance(ms)
    const now = bench.clock.now()
    if (judgement) bench.engine.applyCondition(urgent, judgement, now)
    bench.engine.flush(now)
    dispatcher.wake()
    await bench.clock.advance(0)
    return bench.ops.sent.flatMap(({ items }) => items.map(({ status }) => status))
  }
  const decisions = () => bench.store.listDecisions({ limit: 100 }).map(({ what }) => what)
  return { ...bench, operations, dispatcher, look, decisions }
}

test('the end of what was told is told after a silence that is longer than messages are kept', async () => {
  const { look, operations, dispatcher, store, clock } = run()
  expect(await look(0, firing)).toEqual(['firing'])
  operations.addSilence({ ...input, endsAt: start + 40 * 24 * hour }, ana)
  for (let day = 0; day < 39; day += 1) {
    await clock.leap(24 * hour)
    expect(await look(0, over)).toEqual(['firing'])
    store.purgeDone(clock.now() - 30 * 24 * hour)
    store.purgeEnded(clock.now() - 30 * 24 * hour)
  }
  expect(await look(24 * hour, over)).toEqual(['firing', 'resolved'])
  await dispatcher.stop()
})

test('F57: what fires in a silence is told when it ends', async () => {
  const { look, operations, dispatcher } = run()
  operations.addSilence(input, ana)
  expect(await look(0, firing)).toEqual([])
  expect(await look(hour - 1, firing)).toEqual([])
  expect(await look(1, firing)).toEqual(['firing'])
  await dispatcher.stop()
})

const throttled = { result: 'throttled', retryAfterMs: 600_000, reason: '429' } as const

test('what waits for its channel when a silence begins, and ends in that, is told to nobody', async () => {
  const { look, operations, dispatcher, decisions, ops } = run()
  ops.answers = [throttled, { result: 'ack' }]
  expect(await look(0, firing)).toEqual(['firing'])
  operations.addSilence(input, ana)
  await look(60_000, firing)
  await look(60_000, over)
  expect(await look(2 * hour, over)).toEqual(['firing'])
  expect(decisions()).toContain('muted over')
  await dispatcher.stop()
})

test('what waits for its channel when a silence begins, and fires on, is told when that ends', async () => {
  const { look, operations, dispatcher, ops } = run()
  ops.answers = [throttled, { result: 'ack' }]
  await look(0, firing)
  operations.addSilence(input, ana)
  await look(60_000, firing)
  expect(await look(hour - 60_001, firing)).toEqual(['firing'])
  expect(await look(1, firing)).toEqual(['firing', 'firing'])
  await dispatcher.stop()
})

test('what waits for its channel when a mute time begins is told by the route that is not muted', async () => {
  const fromQuarterPast = { ...night, intervals: [{ ...everyDay, from: 14 * 60 + 15, to: 16 * 60 }] }
  const muted = { mutes: [fromQuarterPast], muteCritical: true }
  const { look, dispatcher, ops } = run({
    routes: [createRoute({ id: 'a', ...muted, continue: true }), createRoute({ id: 'b' })],
  })
  ops.answers = [throttled, { result: 'ack' }]
  await look(0, firing)
  for (let minutes = 0; minutes < 10; minutes += 1) expect(await look(60_000, firing)).toEqual(['firing'])
  expect(await look(60_000, firing)).toEqual(['firing', 'firing'])
  await dispatcher.stop()
})

test('F57: what fires and ends in a silence is told to nobody, and counted', async () => {
  const { look, operations, dispatcher, decisions } = run()
  operations.addSilence(input, ana)
  await look(0, firing)
  await look(60_000, over)
  expect(await look(hour, over)).toEqual([])
  expect(decisions().filter((what) => what === 'muted over')).toHaveLength(1)
  await dispatcher.stop()
})

test('F57: the end of what had been told is told when the silence ends', async () => {
  const { look, operations, dispatcher } = run()
  expect(await look(0, firing)).toEqual(['firing'])
  operations.addSilence(input, ana)
  expect(await look(60_000, over)).toEqual(['firing'])
  expect(await look(hour - 60_001, over)).toEqual(['firing'])
  expect(await look(1, over)).toEqual(['firing', 'resolved'])
  expect(await look(hour, over)).toEqual(['firing', 'resolved'])
  await dispatcher.stop()
})

test('F57: what ended and fired anew in a silence is new when it ends', async () => {
  const { look, operations, dispatcher } = run()
  await look(0, firing)
  operations.addSilence(input, ana)
  await look(60_000, over)
  await look(60_000, firing)
  expect(await look(hour, firing)).toEqual(['firing', 'firing'])
  await dispatcher.stop()
})

test('F57: what fired anew in a silence that ended while it was inhibited is new when it is not any more', async () => {
  const outage = createRule({ name: 'outage', kind: 'source.unavailable', severity: 'critical' })
  const explorer = createCondition('explorer', { kind: outage.kind, labels: { source: 'explorer' } })
  const { look, operations, dispatcher, engine, clock } = run()
  await look(0, firing)
  operations.addSilence(input, ana)
  await look(60_000, over)
  await look(60_000, firing)
  engine.applyCondition(outage, { findings: [explorer], unknown: [] }, clock.now())
  expect(await look(hour, firing)).toEqual(['firing', 'firing'])
  engine.applyCondition(outage, over, clock.now())
  expect(await look(10_000, firing)).toEqual(['firing', 'firing', 'firing', 'resolved'])
  await dispatcher.stop()
})

test('F57: what fired anew in a silence that ended while spanwatch was down is new after the start', async () => {
  const first = run()
  await first.look(0, firing)
  first.operations.addSilence(input, ana)
  await first.look(60_000, over)
  await first.look(60_000, firing)
  await first.dispatcher.stop()
  const { database, clock, fakes } = first
  await clock.advance(hour)
  const { engine, look, dispatcher } = run({ database, clock, fakes })
  engine.start(clock.now())
  expect(await look(0, null)).toEqual(['firing'])
  expect(await look(10_000, firing)).toEqual(['firing', 'firing'])
  await dispatcher.stop()
})

test('what fires on through a silence is said once more when it ends, unless it was acknowledged', async () => {
  const first = run()
  await first.look(0, firing)
  first.operations.addSilence(input, ana)
  await first.look(60_000, firing)
  expect(await first.look(hour, firing)).toEqual(['firing', 'repeat'])
  expect(await first.look(hour, firing)).toEqual(['firing', 'repeat'])
  await first.dispatcher.stop()
  const second = run()
  await second.look(0, firing)
  second.operations.addSilence(input, ana)
  await second.look(60_000, firing)
  second.operations.ackAlert(second.store.listAlerts({ limit: 1 })[0]?.fingerprint ?? '', ana)
  expect(await second.look(hour, firing)).toEqual(['firing'])
  await second.dispatcher.stop()
})

test('a silence that is ended by hand is over at once', async () => {
  const { look, operations, dispatcher } = run()
  const { id } = operations.addSilence(input, ana)
  await look(0, firing)
  operations.expireSilence(id, ana)
  expect(await look(5_000, firing)).toEqual(['firing'])
  expect(() => operations.expireSilence(id, ana)).toThrow('over already')
  await dispatcher.stop()
})

test('a silence of the future does not hold yet', async () => {
  const { look, operations, dispatcher } = run()
  operations.addSilence({ ...input, startsAt: start + 1 }, ana)
  expect(await look(0, firing)).toEqual(['firing'])
  await dispatcher.stop()
})

test('a silence survives a restart and holds for rules that came after it', async () => {
  const first = run()
  first.operations.addSilence({ ...input, matchers: ['kind=~chain\\..*', 'team=bridge'] }, ana)
  await first.dispatcher.stop()
  const second = run({ database: first.database, clock: first.clock })
  const late = createRule({
    name: 'late',
    kind: 'chain.stalled',
    severity: 'critical',
    labels: { team: 'bridge' },
  })
  second.engine.applyCondition(late, firing, start)
  second.engine.applyCondition(urgent, firing, start)
  expect(await second.look(0, null)).toEqual(['firing'])
  expect(second.ops.sent[0]?.items[0]?.rule).toBe('urgent')
  await second.dispatcher.stop()
})

test('a silenced event is listed once when the silence ends (semantics 28)', async () => {
  const { look, operations, dispatcher, engine, ops } = run()
  operations.addSilence({ ...input, matchers: ['kind=transfer.failed'] }, ana)
  engine.tellEvents(
    [1, 2].map((n) => ({ rule: failed, finding: createEvent(n) })),
    start,
  )
  expect(await look(hour - 1, null)).toEqual([])
  expect(await look(1, null)).toEqual(['event', 'event'])
  // One message a case.
  expect(ops.sent).toHaveLength(2)
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  expect(await look(hour, null)).toEqual(['event', 'event'])
  await dispatcher.stop()
})

test('a silenced event is listed once where its routes name one of its channels no more when the silence ends', async () => {
  const fakes = [createFakeChannel('ops'), createFakeChannel('mail')]
  const both = createRoute({ channels: ['mail', 'ops'] })
  const first = run({ fakes, routes: [both] })
  first.operations.addSilence({ ...input, matchers: ['kind=transfer.failed'] }, ana)
  first.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  await first.dispatcher.stop()
  const { database, clock } = first
  const { look, dispatcher } = run({ database, clock, fakes, routes: [{ ...both, channels: ['ops'] }] })
  expect(await look(hour, null)).toEqual(['event'])
  expect(fakes[1]?.sent).toEqual([])
  await dispatcher.stop()
})

test('an event that happens anew in a silence is listed when it ends, though it was told before', async () => {
  const recovered = createRule({ name: 'failed', kind: 'monitor.state_recovered' })
  const at = (since: number) => ({
    rule: recovered,
    finding: createCondition('x', { kind: recovered.kind, since }),
  })
  const { look, operations, dispatcher, engine } = run()
  engine.tellEvents([at(start)], start)
  expect(await look(0, null)).toEqual(['event'])
  operations.addSilence({ ...input, matchers: ['rule=failed'] }, ana)
  engine.tellEvents([at(start + 60_000)], start + 60_000)
  expect(await look(hour - 1, null)).toEqual(['event'])
  expect(await look(1, null)).toEqual(['event', 'event'])
  await dispatcher.stop()
})

test('an event that a second silence holds too waits for that one', async () => {
  const { look, operations, dispatcher, engine } = run()
  operations.addSilence({ ...input, matchers: ['kind=transfer.failed'] }, ana)
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  operations.addSilence({ ...input, matchers: ['rule=failed'], endsAt: start + 2 * hour }, ana)
  expect(await look(hour, null)).toEqual([])
  expect(await look(hour - 1, null)).toEqual([])
  expect(await look(1, null)).toEqual(['event'])
  await dispatcher.stop()
})

test('events of a silence that is ended by hand are listed at once', async () => {
  const { look, operations, dispatcher, engine } = run()
  const { id } = operations.addSilence({ ...input, matchers: ['kind=transfer.failed'] }, ana)
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  operations.expireSilence(id, ana)
  expect(await look(0, null)).toEqual(['event'])
  await dispatcher.stop()
})

const everyDay = { timezone: 'UTC', weekdays: [0, 1, 2, 3, 4, 5, 6] }
const night = { name: 'night', intervals: [{ ...everyDay, from: 0, to: 24 * 60 }] }

test('a mute time of a route holds back what is not critical', async () => {
  const warn = createRule({ name: 'warn', kind: 'chain.stalled' })
  const { engine, look, dispatcher, ops } = run({ routes: [createRoute({ mutes: [night], groupWaitMs: 0 })] })
  engine.applyCondition(warn, firing, start)
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  expect(await look(60_000, firing)).toEqual(['firing'])
  expect(ops.sent[0]?.items[0]?.rule).toBe('urgent')
  await dispatcher.stop()
})

test('with muteCritical it holds back that too', async () => {
  const { look, dispatcher } = run({ routes: [createRoute({ mutes: [night], muteCritical: true })] })
  expect(await look(60_000, firing)).toEqual([])
  await dispatcher.stop()
})

test('when a mute time ends, what waited is told', async () => {
  // `start` is a Monday, 14:13 UTC.
  const untilThree = { ...night, intervals: [{ timezone: 'UTC', weekdays: [1], from: 14 * 60, to: 15 * 60 }] }
  const { engine, look, dispatcher } = run({
    routes: [createRoute({ mutes: [untilThree], muteCritical: true })],
  })
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  const wait = Date.parse('2026-09-21T15:00:00Z') - start
  expect(await look(wait - 1, firing)).toEqual([])
  expect([...(await look(5_000, firing))].sort()).toEqual(['event', 'firing'])
  await dispatcher.stop()
})

test.each([
  { title: 'taken from its route is told after the restart', mutes: [], expected: ['event'] },
  { title: 'still in force holds it after a restart too', mutes: [night], expected: [] },
])('an event held by a mute time that is $title', async ({ mutes, expected }) => {
  const { engine, database, clock, fakes } = createBench({ routes: [createRoute({ mutes: [night] })] })
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], clock.now())
  const again = createBench({ database, clock, fakes, routes: [createRoute({ mutes })] })
  again.engine.start(clock.now())
  again.engine.flush(clock.now())
  expect(again.store.listOutbox({ state: 'queued', limit: 9 }).map(({ what }) => what)).toEqual(expected)
})

test('outside of its active times a route sends what is critical alone, and the rest when they begin', async () => {
  const evening = { name: 'evening', intervals: [{ ...everyDay, from: 15 * 60, to: 18 * 60 }] }
  const { engine, look, dispatcher, ops, store } = run({
    routes: [createRoute({ active: [evening], groupWaitMs: 0 })],
  })
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  expect(await look(0, firing)).toEqual(['firing'])
  expect(store.listDecisions({ limit: 9 }).map(({ reason }) => reason)).toContain(
    'outside of the active times evening of its route; listed to ops when that ends',
  )
  const wait = Date.parse('2026-09-21T15:00:00Z') - start
  expect(await look(wait - 1, firing)).toEqual(['firing'])
  expect(await look(1, firing)).toEqual(['firing', 'event'])
  expect(ops.sent[0]?.items[0]?.rule).toBe('urgent')
  await dispatcher.stop()
})

test('a channel that another route leads to without a mute time is told by that one', async () => {
  const { engine, look, dispatcher } = run({
    routes: [createRoute({ id: 'a', mutes: [night], continue: true }), createRoute({ id: 'b' })],
  })
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  expect(await look(0, null)).toEqual(['event'])
  await dispatcher.stop()
})

test('an end is sent to each channel as its own route says, whatever another route of the alert does', async () => {
  const fakes = ['ops', 'pager', 'mail'].map((name) => createFakeChannel(name))
  const fromThree = { ...night, intervals: [{ ...everyDay, from: 15 * 60, to: 16 * 60 }] }
  const { look, dispatcher } = run({
    fakes,
    routes: [
      createRoute({ id: 'a', channels: ['ops'], continue: true }),
      createRoute({ id: 'b', channels: ['pager'], mutes: [fromThree], muteCritical: true, continue: true }),
      createRoute({ id: 'c', channels: ['mail'], sendResolved: false }),
    ],
  })
  const said = () => fakes.map(({ sent }) => sent.flatMap(({ items }) => items.map(({ status }) => status)))
  await look(0, firing)
  await look(hour, over)
  await look(60_000, over)
  expect(said()).toEqual([['firing', 'resolved'], ['firing'], ['firing']])
  await look(hour, over)
  expect(said()).toEqual([['firing', 'resolved'], ['firing', 'resolved'], ['firing']])
  await dispatcher.stop()
})

test('without sendResolved no end is told, and what fires anew is', async () => {
  const { look, dispatcher } = run({ routes: [createRoute({ sendResolved: false })] })
  expect(await look(0, firing)).toEqual(['firing'])
  expect(await look(400_000, over)).toEqual(['firing'])
  expect(await look(400_000, firing)).toEqual(['firing', 'firing'])
  await dispatcher.stop()
})

test('reminders that grow come after one, two and four repeats, and then at the longest', async () => {
  const { look, dispatcher } = run({
    routes: [createRoute({ repeatMs: hour, maxRepeatMs: 4 * hour, groupIntervalMs: 300_000 })],
  })
  await look(0, firing)
  const counts: number[] = []
  for (const [before, at] of [
    [hour - 1, 1],
    [2 * hour - 1, 1],
    [4 * hour - 1, 1],
    [4 * hour - 1, 1],
  ] as const) {
    counts.push((await look(before, firing)).length, (await look(at, firing)).length)
  }
  expect(counts).toEqual([1, 2, 2, 3, 3, 4, 4, 5])
  await dispatcher.stop()
})

test('an acknowledgement survives a restart, and is over when it fires anew', async () => {
  const routes = [createRoute({ repeatMs: hour })]
  const first = run({ routes })
  await first.look(0, firing)
  const id = first.store.listAlerts({ limit: 1 })[0]?.fingerprint.slice(0, 8) ?? ''
  expect(first.operations.ackAlert(`#${id}`, ana)).toMatchObject({ id, ackedBy: 'ana' })
  await first.dispatcher.stop()
  const second = run({ routes, database: first.database, clock: first.clock })
  expect(await second.look(2 * hour, firing)).toEqual([])
  await second.look(400_000, over)
  await second.look(400_000, firing)
  expect(await second.look(hour, firing)).toEqual(['resolved', 'firing', 'repeat'])
  await second.dispatcher.stop()
})

test('what cannot be acknowledged is refused', async () => {
  const { operations, look, dispatcher, store } = run()
  expect(() => operations.ackAlert('abcdef12', ana)).toThrow('no alert')
  await look(0, firing)
  const id = store.listAlerts({ limit: 1 })[0]?.fingerprint ?? ''
  expect(() => operations.ackAlert(id, { ...ana, by: ' ' })).toThrow('who')
  await look(400_000, over)
  expect(() => operations.ackAlert(id, ana)).toThrow('over')
  await dispatcher.stop()
})

test('an item that was set aside goes out again by hand; one that is dropped does not', async () => {
  const { operations, engine, look, dispatcher, ops, store } = run()
  ops.answers = [{ result: 'bad_message', reason: 'no_text' }]
  engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  await look(0, null)
  const [dead] = store.listOutbox({ state: 'dead', limit: 9 })
  ops.answers = [{ result: 'ack' }]
  expect(operations.retryOutbox('dead', ana)).toEqual({ count: 1 })
  await look(60_000, null)
  expect(store.getOutboxItem(dead?.id ?? 0)?.state).toBe('sent')
  expect(() => operations.retryOutbox(dead?.id ?? 0, ana)).toThrow('sent already')
  expect(() => operations.dropOutbox(dead?.id ?? 0, ana)).toThrow('does not wait')
  expect(() => operations.dropOutbox(999, ana)).toThrow('no outbox item')
  await dispatcher.stop()
})

test('a condition that is dropped is not queued again, and its end is told', async () => {
  const fakes = [createFakeChannel('ops')]
  const { operations, store, engine, look, dispatcher, ops } = run({ fakes })
  ops.answers = [{ result: 'transient', reason: '500' }]
  await look(0, firing)
  const [item] = store.listOutbox({ state: 'queued', limit: 9 })
  operations.dropOutbox(item?.id ?? 0, ana)
  expect(store.listAllDeliveries()).toEqual([])
  ops.answers = [{ result: 'ack' }]
  const before = ops.sent.length
  await look(600_000, firing)
  expect(ops.sent).toHaveLength(before)
  expect(engine.isFiring('chain.stalled')).toBe(true)
  await dispatcher.stop()
})

const stored = {
  matchers: ['rule="urgent"', 'team!~"(?=a)b"'],
  startsAt: start,
  endsAt: start + hour,
  author: 'ana',
  comment: 'of an older version',
  createdAt: start,
}

test('issue 12.1: a silence in the ledger whose pattern RE2 does not take silences nothing', async () => {
  const { look, store, dispatcher } = run()
  store.insertSilence(stored)
  expect(await look(0, firing)).toEqual(['firing'])
  await dispatcher.stop()
})

test('issue 12.1: it is said on the page, in answers, and in the log of the start; one that holds is not', async () => {
  const { store } = run()
  const ids = [store.insertSilence(stored), store.insertSilence({ ...stored, matchers: ['rule=~"(a+)+"'] })]
  const shown = store.listSilences({ since: start, limit: 10 }).map(showSilence)
  const problem = expect.stringContaining('invalid or unsupported Perl syntax `(?=` at character 1')
  expect(shown.map(({ id, problem: said }) => [id, said])).toEqual([
    [ids[1], null],
    [ids[0], problem],
  ])
  const page = String(
    await renderSilencesPage(shown, { now: start, form: { proof: 'p', by: '', role: null } }),
  )
  expect(page.match(/set aside/g)).toHaveLength(1)
  expect(page).toContain('Silences nothing, because it cannot be read: team!~')

  const said: unknown[] = []
  const log = { info: () => undefined, warn: (details: unknown) => said.push(details) }
  const settings = { routes: [], inhibit: [], channels: [] }
  createAlertEngine({ store, log, settings, live: { rules: [] }, kinds }).start(start)
  expect(said).toEqual([{ silence: ids[0], problem }])
})

test('a silence without matchers is set aside', () => {
  expect(findSilenceProblem({ matchers: [] })).toBe('it has no matcher')
  expect(findSilenceProblem({ matchers: ['rule=a'] })).toBeNull()
})
