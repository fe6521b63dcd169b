import type { Finding } from '../../../src/bridge/finding.ts'
import { keptFinding } from '../../../src/alerts/findingJson.ts'
import { describe, expect, test } from 'vitest'
import type { LoadedRule } from '../../../src/rules/types.ts'
import {
  createBench,
  createCondition,
  createEvent,
  createFakeChannel,
  createRoute,
  createRule,
  createTransfer,
  start,
} from './harness.ts'

const failed = createRule()
const stalled = createRule({ name: 'stalled', kind: 'chain.stalled' })
const urgent = createRule({ name: 'urgent', kind: 'chain.stalled', severity: 'critical' })
const zone = createCondition('zone')
const firing = { findings: [zone], unknown: [] }
const silent = { findings: [], unknown: [] }

type Bench = ReturnType<typeof createBench>
const queued = ({ store }: Bench) =>
  store
    .listOutbox({ state: 'queued', limit: 1_000 })
    .reverse()
    .map(({ what, channel }) => `${what} ${channel}`)

test('an event is told once, however often it is found', () => {
  const bench = createBench()
  for (let n = 0; n < 3; n += 1)
    bench.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start + n)
  expect(queued(bench)).toEqual(['event ops'])
})

test('two rules tell the same event each', () => {
  const bench = createBench()
  const other = createRule({ name: 'other' })
  const finding = createEvent(1)
  bench.engine.tellEvents(
    [
      { rule: failed, finding },
      { rule: other, finding },
    ],
    start,
  )
  expect(queued(bench)).toEqual(['event ops', 'event ops'])
})

test('three failures are three alerts, told by the transfer and not by its hash', () => {
  const bench = createBench()
  const { zone: leg } = createTransfer(1)
  const matches = [1, 2, 3].map((n) => ({ rule: failed, finding: createEvent(n, { zone: leg }) }))
  bench.engine.tellEvents(matches, start)
  expect(queued(bench)).toHaveLength(3)
})

test('a fact that becomes known after the telling is no correction', () => {
  const bench = createBench()
  bench.engine.tellEvents(
    [{ rule: failed, finding: createEvent(1, { amountRaw: null, amount: '1' }) }],
    start,
  )
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start + 1)
  expect(queued(bench)).toEqual(['event ops'])
})

test('a failed record that succeeds is corrected once, in the channels that were told', async () => {
  const bench = createBench()
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  const dispatcher = bench.startSending()
  await bench.clock.advance(0)
  const succeeded = createTransfer(1, { state: 'completed', status: 'success' })
  bench.engine.correctEvents([succeeded], () => null, start + 1)
  bench.engine.correctEvents([succeeded], () => null, start + 2)
  dispatcher.wake()
  await bench.clock.advance(0)
  expect(bench.ops.sent.slice(1).flatMap(({ items }) => items.map(({ summary }) => summary))).toEqual([
    'Correction: Withdrawal of 1 USDC has arrived',
  ])
  await dispatcher.stop()
})

test('a record that was gone and is shown again is corrected once', async () => {
  const bench = createBench()
  const vanished = createRule({ name: 'vanished', kind: 'transfer.vanished' })
  const gone = {
    ...createEvent(1, { readAt: start - 2 }),
    kind: 'transfer.vanished' as const,
    since: start - 1,
  }
  bench.engine.tellEvents([{ rule: vanished, finding: gone }], start)
  const dispatcher = bench.startSending()
  await bench.clock.advance(0)
  const told = { ...(gone.transfer as NonNullable<typeof gone.transfer>) }
  bench.engine.correctEvents([told], () => null, start + 1)
  bench.engine.correctEvents([{ ...told, readAt: start + 2 }], () => null, start + 2)
  bench.engine.correctEvents([{ ...told, readAt: start + 3 }], () => null, start + 3)
  dispatcher.wake()
  await bench.clock.advance(0)
  expect(bench.ops.sent.slice(1).flatMap(({ items }) => items)).toHaveLength(1)
  await dispatcher.stop()
})

test('a correction before the first message only changes that message', () => {
  const bench = createBench()
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  bench.engine.correctEvents([createTransfer(1, { state: 'completed' })], () => null, start + 1)
  expect(queued(bench)).toEqual(['event ops'])
})

test('an event that is not about a transfer is told again when it happens again', () => {
  const bench = createBench()
  const recovered = createRule({ name: 'recovered', kind: 'monitor.state_recovered' })
  const finding = createCondition('cursors', { kind: 'monitor.state_recovered' })
  bench.engine.tellEvents([{ rule: recovered, finding }], start)
  bench.engine.tellEvents([{ rule: recovered, finding }], start + 1)
  bench.engine.tellEvents([{ rule: recovered, finding: { ...finding, since: start + 2 } }], start + 2)
  expect(queued(bench)).toEqual(['event ops', 'event ops'])
  // What was read before is read again.
  bench.engine.tellEvents([{ rule: recovered, finding: { ...finding, since: start + 1 } }], start + 3)
  expect(queued(bench)).toEqual(['event ops', 'event ops'])
})

test('a written group wait holds for events too, counted from the first of the window (semantics 29)', () => {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 10_000, groupBy: ['rule'] })] })
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(2) }], start + 9_000)
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(3) }], start + 10_000)
  const items = bench.store.listOutbox({ state: 'queued', limit: 9 }).reverse()
  expect(items.map(({ notBefore }) => notBefore - start)).toEqual([10_000, 10_000, 20_000])
})

test('routes: the first match ends, `continue` goes on, one channel hears a thing once', () => {
  const bench = createBench({
    routes: [
      createRoute({ id: 'a', channels: ['one'], continue: true }),
      createRoute({ id: 'b', channels: ['one', 'two'] }),
      createRoute({ id: 'c', channels: ['three'] }),
    ],
  })
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  expect(queued(bench)).toEqual(['event one', 'event two'])
})

test('without channels and routes the console is told', () => {
  const bench = createBench({ fakes: [] })
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  expect(queued(bench)).toEqual(['event console'])
})

test('a condition waits 30 s for its group, a critical one not at all', () => {
  const bench = createBench({ routes: [createRoute({ groupBy: ['rule'] })] })
  bench.engine.applyCondition(stalled, firing, start)
  expect(bench.engine.flush(start)).toBe(start + 30_000)
  bench.engine.applyCondition(urgent, firing, start)
  bench.engine.flush(start)
  expect(queued(bench)).toHaveLength(1)
  bench.engine.flush(start + 29_999)
  expect(queued(bench)).toHaveLength(1)
  bench.engine.flush(start + 30_000)
  expect(queued(bench)).toHaveLength(2)
})

test('a written group wait holds, however long it is', () => {
  const wait = 24 * 3_600_000
  const bench = createBench({ routes: [createRoute({ groupWaitMs: wait })] })
  bench.engine.applyCondition(stalled, firing, start)
  for (const at of [0, 1_000, wait - 1]) bench.engine.flush(start + at)
  expect(queued(bench)).toEqual([])
  bench.engine.flush(start + wait)
  expect(queued(bench)).toHaveLength(1)
})

test('F67: a wall clock that was set back makes nothing wait for longer than its group does', () => {
  const bench = createBench({ routes: [createRoute({ groupBy: ['kind'], groupWaitMs: 0 })] })
  bench.engine.applyCondition(stalled, firing, start)
  bench.engine.flush(start)
  const main = { ...firing, findings: [...firing.findings, createCondition('main')] }
  bench.engine.applyCondition(stalled, main, start + 60_000)
  bench.engine.flush(start + 60_000)
  expect(queued(bench)).toHaveLength(1)
  bench.engine.flush(start - 40 * 60_000)
  expect(queued(bench)).toHaveLength(2)
})

test('F56: what begins and ends within its group wait is told to nobody', () => {
  const bench = createBench()
  bench.engine.applyCondition(stalled, firing, start)
  bench.engine.flush(start)
  bench.engine.applyCondition(stalled, silent, start + 10_000)
  bench.engine.flush(start + 10_000)
  bench.engine.flush(start + 60_000)
  expect(queued(bench)).toEqual([])
  expect(bench.store.listDecisions({ limit: 9 }).map(({ reason }) => reason)).toContain(
    'over before it was told',
  )
})

async function tellStalled(options: Parameters<typeof createBench>[0] = {}, rule = urgent) {
  const bench = createBench(options)
  bench.engine.applyCondition(rule, firing, start)
  bench.engine.flush(start)
  const dispatcher = bench.startSending()
  await bench.clock.advance(0)
  const look = async (ms: number, judgement = firing) => {
    await bench.clock.advance(ms)
    bench.engine.applyCondition(rule, judgement, bench.clock.now())
    bench.engine.flush(bench.clock.now())
    dispatcher.wake()
    await bench.clock.advance(0)
    return bench.ops.sent.map(({ items }) => items[0]?.status)
  }
  return { ...bench, dispatcher, look }
}

test('a resolution comes once, when the group interval is over, and says how long it lasted', async () => {
  const routes = [createRoute({ groupWaitMs: 0 })]
  const { look, ops, dispatcher } = await tellStalled({ routes }, stalled)
  expect(await look(299_999, silent)).toEqual(['firing'])
  expect(await look(1, silent)).toEqual(['firing', 'resolved'])
  expect(await look(600_000, silent)).toEqual(['firing', 'resolved'])
  expect(ops.sent[1]?.items[0]?.summary).toMatch(/^Resolved at \d\d:\d\d:\d\d UTC after 4 min 59 s: /)
  await dispatcher.stop()
})

test('the end of what is critical is sent at once, that of what flaps when the group interval is over', async () => {
  const { look, dispatcher } = await tellStalled()
  expect(await look(1_000, silent)).toEqual(['firing', 'resolved'])
  expect(await look(1_000)).toEqual(['firing', 'resolved', 'firing'])
  expect(await look(1_000, silent)).toEqual(['firing', 'resolved', 'firing'])
  expect(await look(300_000, silent)).toEqual(['firing', 'resolved', 'firing', 'resolved'])
  await dispatcher.stop()
})

test('a reminder comes after the repeat interval, counted from the acknowledgement', async () => {
  const { look, dispatcher } = await tellStalled({ routes: [createRoute({ repeatMs: 3_600_000 })] })
  expect(await look(3_599_999)).toEqual(['firing'])
  expect(await look(1)).toEqual(['firing', 'repeat'])
  expect(await look(3_599_999)).toEqual(['firing', 'repeat'])
  expect(await look(1)).toEqual(['firing', 'repeat', 'repeat'])
  await dispatcher.stop()
})

test('an acknowledged alert is not repeated, and its end is told', async () => {
  const { look, dispatcher, store } = await tellStalled({
    routes: [createRoute({ repeatMs: 3_600_000 })],
  })
  const [alert] = store.listAlerts({ limit: 1 })
  store.ackAlert(alert?.id ?? 0, 'ann', start)
  expect(await look(7_200_000)).toEqual(['firing'])
  expect(await look(600_000, silent)).toEqual(['firing', 'resolved'])
  await dispatcher.stop()
})

test('what could not be judged keeps its state', async () => {
  const { look, dispatcher } = await tellStalled()
  expect(await look(600_000, { findings: [], unknown: ['zone'] } as never)).toEqual(['firing'])
  expect(await look(600_000, { findings: [], unknown: 'all' } as never)).toEqual(['firing'])
  expect(await look(600_000, silent)).toEqual(['firing', 'resolved'])
  await dispatcher.stop()
})

test('F9: what ended while the process was down is resolved once, in the channel that was told', async () => {
  const first = await tellStalled()
  await first.dispatcher.stop()
  await first.clock.advance(900_000)
  const second = createBench({ database: first.database, clock: first.clock })
  const dispatcher = second.startSending()
  second.engine.start(second.clock.now())
  second.engine.flush(second.clock.now())
  second.engine.applyCondition(urgent, silent, second.clock.now())
  second.engine.flush(second.clock.now())
  dispatcher.wake()
  await second.clock.advance(0)
  expect(second.ops.sent.map(({ items }) => items.map(({ status }) => status))).toEqual([['resolved']])
  await dispatcher.stop()
})

test('F59: the end goes to the channel that was told, though the route names another by now', async () => {
  const first = await tellStalled()
  await first.dispatcher.stop()
  const second = createBench({
    database: first.database,
    clock: first.clock,
    routes: [createRoute({ id: 'new', channels: ['elsewhere'] })],
  })
  await first.clock.advance(600_000)
  second.engine.applyCondition(urgent, silent, second.clock.now())
  second.engine.flush(second.clock.now())
  expect(queued(second)).toEqual(['resolved ops'])
})

test('what was firing but untold at a crash is evaluated once more before it is told', () => {
  const first = createBench()
  first.engine.applyCondition(urgent, firing, start)
  const second = createBench({ database: first.database })
  second.engine.start(start + 1_000)
  second.engine.flush(start + 1_000)
  expect(queued(second)).toEqual([])
  second.engine.applyCondition(urgent, firing, start + 2_000)
  second.engine.flush(start + 2_000)
  expect(queued(second)).toEqual(['firing ops'])
})

test('a restart alone says nothing again', async () => {
  const first = await tellStalled()
  await first.dispatcher.stop()
  const second = createBench({ database: first.database, clock: first.clock })
  second.engine.start(second.clock.now())
  for (let n = 0; n < 10; n += 1) {
    await first.clock.advance(60_000)
    second.engine.applyCondition(urgent, firing, second.clock.now())
    second.engine.flush(second.clock.now())
  }
  expect(queued(second)).toEqual([])
})

test('F55: flapping for an hour is at most two messages a group interval', async () => {
  const { look, ops, dispatcher } = await tellStalled()
  for (let n = 0; n < 360; n += 1) await look(10_000, n % 2 === 0 ? silent : firing)
  expect(ops.sent.length).toBeLessThanOrEqual(26)
  await dispatcher.stop()
})

test('a silent source keeps conditions that rest on it quiet, and they speak when it is back', () => {
  const bench = createBench()
  const outage = createRule({ name: 'outage', kind: 'source.unavailable', severity: 'critical' })
  const down = createCondition('explorer', { kind: 'source.unavailable', labels: { source: 'explorer' } })
  bench.engine.applyCondition(outage, { findings: [down], unknown: [] }, start)
  bench.engine.applyCondition(urgent, firing, start)
  bench.engine.flush(start)
  expect(queued(bench)).toEqual(['firing ops'])
  bench.engine.applyCondition(outage, silent, start + 60_000)
  bench.engine.flush(start + 60_000)
  // The end of what is critical waits for nothing.
  expect(queued(bench)).toEqual(['both ops', 'firing ops'])
})

test('a configured inhibition holds; an event is never inhibited (semantics 28)', () => {
  const inhibit = [
    {
      source: (l: Readonly<Record<string, string>>) => l['rule'] === 'urgent',
      target: () => true,
      equal: ['chain'],
    },
  ]
  const bench = createBench({ inhibit })
  const quiet = createRule({ name: 'quiet', kind: 'monitor.poll_overdue' })
  bench.engine.applyCondition(urgent, firing, start)
  bench.engine.applyCondition(
    quiet,
    { findings: [{ ...zone, kind: 'monitor.poll_overdue' }], unknown: [] },
    start,
  )
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  bench.engine.flush(start + 60_000)
  expect(queued(bench).sort()).toEqual(['event ops', 'firing ops'])
})

test('after the start conditions are held for 10 s, critical ones and events are not (semantics 30)', () => {
  const routes = [createRoute({ groupWaitMs: 0, groupBy: ['rule'] })]
  const bench = createBench({ routes })
  bench.engine.start(start)
  bench.engine.applyCondition(stalled, firing, start)
  bench.engine.applyCondition(urgent, firing, start)
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
  bench.engine.flush(start)
  expect(queued(bench).sort()).toEqual(['event ops', 'firing ops'])
  bench.engine.flush(start + 9_999)
  expect(queued(bench)).toHaveLength(2)
  bench.engine.flush(start + 10_000)
  expect(queued(bench)).toHaveLength(3)
})

test('conditions need not wait longer once everything was judged', () => {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0 })] })
  bench.engine.start(start)
  bench.engine.releaseStart()
  bench.engine.applyCondition(stalled, firing, start)
  bench.engine.flush(start)
  expect(queued(bench)).toEqual(['firing ops'])
})

test('F61: an evaluation that fails resolves nothing, and is told after 3 of them and 5 minutes', () => {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0 })] })
  bench.engine.applyCondition(urgent, firing, start)
  bench.engine.flush(start)
  for (const at of [0, 150_000, 299_999]) {
    bench.engine.keepCondition(urgent, 'boom', start + at)
    bench.engine.flush(start + at)
  }
  expect(queued(bench)).toEqual(['firing ops'])
  bench.engine.keepCondition(urgent, 'boom', start + 300_000)
  bench.engine.flush(start + 300_000)
  expect(
    bench.store
      .listAlerts({ state: 'firing', limit: 9 })
      .map(({ rule }) => rule)
      .sort(),
  ).toEqual(['monitor.rule_error', 'urgent'])
  bench.engine.applyCondition(urgent, firing, start + 310_000)
  expect(bench.store.listAlerts({ state: 'firing', limit: 9 }).map(({ rule }) => rule)).toEqual(['urgent'])
})

test('F60: two results for one subject are an error of the rule, and change nothing', () => {
  const bench = createBench()
  bench.engine.applyCondition(urgent, { findings: [zone, zone], unknown: [] }, start)
  expect(bench.store.listAlerts({ limit: 9 })).toEqual([])
  expect(bench.store.getEvaluation('urgent')).toMatchObject({ errors: 1, reason: 'two results for zone' })
})

test('beyond the cap new alerts are counted in one message, existing ones are kept', () => {
  const bench = createBench({ maxActivePerRule: 3 })
  const findings = [1, 2, 3, 4, 5].map((n) => createCondition(`c${n}`))
  bench.engine.applyCondition(stalled, { findings: findings.slice(0, 3), unknown: [] }, start)
  bench.engine.applyCondition(stalled, { findings: findings.toReversed(), unknown: [] }, start + 1)
  const open = bench.store.listAlerts({ state: 'open', limit: 9 })
  expect(open.map(({ subject }) => subject).sort()).toEqual(['c1', 'c2', 'c3', 'stalled'])
  const overflow = open.find(({ subject }) => subject === 'stalled')
  expect(overflow && JSON.stringify(keptFinding(overflow))).toContain('2 more findings')
})

test('beyond the cap what is more than the least that is reported has a place, the largest first', () => {
  const bench = createBench({ maxActivePerRule: 3 })
  const worth = (n: number, amount: string) =>
    createCondition(`c${n}`, { transfer: createEvent(n, { amount }).transfer })
  const dust = [1, 2, 3].map((n) => worth(n, '0.1'))
  bench.engine.applyCondition(stalled, { findings: dust, unknown: [] }, start)
  const more = [worth(4, '0.1'), worth(5, '2'), worth(6, '3'), worth(7, '4'), worth(8, '900')]
  bench.engine.applyCondition(stalled, { findings: [...dust, ...more], unknown: [] }, start + 1)
  const open = bench.store.listAlerts({ state: 'open', limit: 9 })
  expect(open.map(({ subject }) => subject).sort()).toEqual(['c1', 'c2', 'c3', 'c6', 'c7', 'c8', 'stalled'])
})

describe('dust that fills all places', () => {
  const drift = createRule({ name: 'drift', kind: 'escrow.drift', severity: 'critical' })
  const outflow = (n: number, amount: string, { token = '0xcc', sum = '' } = {}) =>
    createCondition(`c${n}`, {
      kind: 'escrow.drift',
      labels: { chain: 'main', escrow: '0xe5', token },
      facts: { direction: 'out', amount, sum, mainTxHash: `0x${n}` },
    })
  const dust = [1, 2, 3].map((n) => outflow(n, '0.1'))
  const placesOf = (more: readonly Finding[], before = dust) => {
    const bench = createBench({ maxActivePerRule: 3 })
    bench.engine.applyCondition(drift, { findings: before, unknown: [] }, start)
    bench.engine.applyCondition(drift, { findings: [...dust, ...more], unknown: [] }, start + 1)
    const open = bench.store.listAlerts({ state: 'open', limit: 9 })
    return open
      .map(({ subject }) => subject)
      .filter((subject) => subject !== 'drift')
      .sort()
  }

  test('hides no drain of the same escrow, and more dust has no place', () => {
    expect(placesOf([outflow(4, '0.1'), outflow(5, '9000000')])).toEqual(['c1', 'c2', 'c3', 'c5'])
  })

  test('hides no drain of another token, however little that is in units', () => {
    const many = [4, 5, 6, 7].map((n) => outflow(n, '1000000'))
    expect(placesOf([...many, outflow(8, '0.05', { token: '0xdd' })])).toContain('c8')
    expect(placesOf([...many, outflow(8, '0.05', { token: '0xdd' })], [])).toContain('c8')
  })

  test('and all places beside them hides no sum', () => {
    const many = [4, 5, 6, 7].map((n) => outflow(n, '1000000'))
    expect(placesOf([...many, outflow(8, '2', { sum: 'not explained' })])).toContain('c8')
  })
})

test('F59: a rule that is removed resolves its alerts with that as the reason', async () => {
  const { engine, clock, ops, dispatcher } = await tellStalled()
  await clock.advance(600_000)
  engine.dropRules([], clock.now())
  engine.flush(clock.now())
  dispatcher.wake()
  await clock.advance(0)
  expect(ops.sent[1]?.items[0]?.summary).toContain('(rule removed)')
  await dispatcher.stop()
})

/** A bench whose channel `ops` refuses us, which `mail` was told. */
async function startDead(rules: LoadedRule[] = []) {
  const fakes = [createFakeChannel('ops'), createFakeChannel('mail')]
  const bench = createBench({ rules, fakes, routes: [createRoute()], fallback: 'mail' })
  bench.ops.answers = [{ result: 'dead', reason: 'no_service' }]
  const dispatcher = bench.startSending()
  bench.engine.tellEvents([{ rule: createRule(), finding: createEvent(1) }], bench.clock.now())
  dispatcher.wake()
  await bench.clock.advance(0)
  return { ...bench, dispatcher }
}

const openOf = ({ store }: Pick<Bench, 'store'>) =>
  store.listActive().map(({ kind, rule }) => `${kind} ${rule}`)

test('a rule on monitor.channel_dead that is added while a channel is dead takes its alert over', async () => {
  const rules: LoadedRule[] = []
  const bench = await startDead(rules)
  expect(openOf(bench)).toEqual(['monitor.channel_dead monitor.channel_dead'])
  rules.push(createRule({ name: 'my-dead', kind: 'monitor.channel_dead' }))
  bench.engine.dropRules([createRule(), ...rules], bench.clock.now())
  expect(openOf(bench)).toEqual(['monitor.channel_dead my-dead'])
  await bench.dispatcher.stop()
})

test('the alert of a dead channel ends once the channel is gone from the configuration', async () => {
  const { database, clock, fakes, dispatcher } = await startDead()
  await dispatcher.stop()
  const again = createBench({
    database,
    clock,
    fakes: fakes.slice(1),
    routes: [createRoute({ channels: ['mail'] })],
  })
  again.engine.start(clock.now())
  again.engine.dropRules([createRule()], clock.now())
  expect(openOf(again)).toEqual([])
  const [dead] = again.store.listAlerts({ limit: 9 }).filter(({ kind }) => kind === 'monitor.channel_dead')
  expect(dead).toMatchObject({ state: 'resolved', resolvedReason: 'channel removed' })
})

test('when two transfers are joined their alerts follow the older key and nothing is told twice', () => {
  const bench = createBench()
  bench.engine.tellEvents([{ rule: failed, finding: createEvent(2) }], start)
  bench.engine.renameSubject('t2', 't1', start + 1)
  bench.engine.tellEvents(
    [{ rule: failed, finding: createEvent(1, { amountRaw: 2_000_000n, amount: '2' }) }],
    start + 2,
  )
  expect(queued(bench)).toEqual(['event ops'])
})

test('when both joined transfers had an alert, one message is enough', () => {
  const bench = createBench()
  bench.engine.tellEvents(
    [1, 2].map((n) => ({ rule: failed, finding: createEvent(n) })),
    start,
  )
  bench.engine.renameSubject('t2', 't1', start + 1)
  expect(queued(bench)).toEqual(['event ops'])
  expect(bench.store.listAlerts({ limit: 9 }).map(({ subject }) => subject)).toEqual(['t1'])
})

test('F55: what flaps says so, from the third firing in an hour on', async () => {
  const { look, ops, dispatcher } = await tellStalled()
  for (let n = 0; n < 60; n += 1) await look(30_000, n % 2 === 0 ? silent : firing)
  const [first, end, again, ...rest] = ops.sent.map(({ items }) => items[0]?.summary ?? '')
  expect([first, end, again].join()).not.toMatch(/flapping/)
  expect(rest.length).toBeGreaterThan(2)
  expect(rest.every((summary) => summary.endsWith('(flapping)'))).toBe(true)
  await look(3_700_000, silent)
  await look(3_700_000, firing)
  expect(ops.sent.at(-1)?.items[0]?.summary).not.toMatch(/flapping/)
  await dispatcher.stop()
})

test('F58: a source that appears a second after its target at the start comes in time', async () => {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0 })] })
  const outage = createRule({ name: 'outage', kind: 'source.unavailable', severity: 'critical' })
  const down = createCondition('explorer', { kind: 'source.unavailable', labels: { source: 'explorer' } })
  bench.engine.start(start)
  bench.engine.applyCondition(stalled, firing, start)
  bench.engine.flush(start)
  bench.engine.applyCondition(outage, { findings: [down], unknown: [] }, start + 1_000)
  bench.engine.releaseStart()
  bench.engine.flush(start + 1_000)
  bench.engine.flush(start + 60_000)
  expect(queued(bench)).toEqual(['firing ops'])
  bench.engine.applyCondition(outage, silent, start + 61_000)
  bench.engine.flush(start + 70_000)
  bench.engine.flush(start + 400_000)
  expect(queued(bench).sort()).toEqual(['both ops', 'firing ops'])
})

test('F50, F61: a rule that has nothing to judge by is told after 5 minutes, of which none is an outage', () => {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0 })] })
  const outage = createRule({ name: 'outage', kind: 'source.unavailable', severity: 'critical' })
  const down = createCondition('explorer', { kind: 'source.unavailable', labels: { source: 'explorer' } })
  const nothing = { findings: [], unknown: 'all' as const }
  const look = (afterMs: number, isOut: boolean) => {
    const now = start + afterMs
    bench.engine.applyCondition(outage, { findings: isOut ? [down] : [], unknown: [] }, now)
    bench.engine.applyCondition(stalled, nothing, now)
    bench.engine.dropRules([stalled, outage], now)
    return bench.store.listActiveOf('monitor.no_data').map(({ subject }) => subject)
  }
  expect(look(0, true)).toEqual([])
  expect(look(400_000, true)).toEqual([])
  expect(look(400_001, false)).toEqual([])
  expect(look(699_999, false)).toEqual([])
  expect(look(700_000, false)).toEqual(['stalled'])
  bench.engine.applyCondition(stalled, silent, start + 700_002)
  bench.engine.dropRules([stalled, outage], start + 700_002)
  expect(bench.store.listActiveOf('monitor.no_data')).toEqual([])
  expect(look(700_003, false)).toEqual([])
  expect(look(1_000_002, false)).toEqual([])
  expect(look(1_000_003, false)).toEqual(['stalled'])
})

test('a thing of which a rule can say nothing, while it judges others, is told after an hour, and until it is judged', () => {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0 })] })
  const hour = 3_600_000
  const look = (afterMs: number, sinceMs: number | null) => {
    const now = start + afterMs
    const blind = sinceMs === null ? [] : [{ subject: '0xt1', title: 'USDC at 0xe1', since: start + sinceMs }]
    const unknown = blind.map(({ subject }) => subject)
    bench.engine.applyCondition(stalled, { findings: [], unknown, blind }, now)
    bench.engine.dropRules([stalled], now)
    return bench.store.listActiveOf('monitor.no_data').map(({ subject }) => subject)
  }
  bench.engine.start(start)
  expect(look(0, -9 * hour)).toEqual([])
  expect(look(hour - 1, 0)).toEqual([])
  expect(look(hour, 0)).toEqual(['stalled: 0xt1'])
  // While it is not known whether it goes on nothing is over.
  bench.engine.start(start + 2 * hour)
  expect(look(2 * hour, 0)).toEqual(['stalled: 0xt1'])
  expect(look(2 * hour + 1, null)).toEqual([])
  expect(look(2 * hour + 2, 2 * hour)).toEqual([])
  expect(look(3 * hour + 1, 2 * hour)).toEqual(['stalled: 0xt1'])
  bench.engine.dropRules([], start + 3 * hour + 2)
  expect(bench.store.listActiveOf('monitor.no_data')).toEqual([])
})

test('F61: of the five minutes without anything to judge by none is one that spanwatch was down', () => {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0 })] })
  const look = (afterMs: number) => {
    const now = start + afterMs
    bench.engine.applyCondition(stalled, { findings: [], unknown: 'all' as const }, now)
    bench.engine.dropRules([stalled], now)
    return bench.store.listActiveOf('monitor.no_data').map(({ subject }) => subject)
  }
  bench.engine.start(start)
  expect(look(0)).toEqual([])
  bench.engine.start(start + 3_600_000)
  expect(look(3_600_000)).toEqual([])
  expect(look(3_899_999)).toEqual([])
  expect(look(3_900_000)).toEqual(['stalled'])
  // What was told before a restart is neither over nor told anew by it.
  bench.engine.start(start + 7_200_000)
  expect(look(7_200_000)).toEqual(['stalled'])
  expect(look(7_500_000)).toEqual(['stalled'])
  expect(bench.store.listActiveOf('monitor.no_data')[0]?.firedAt).toBe(start + 3_900_000)
})

test('F50: a poller is not told to be overdue before it had three minutes since its source is back', () => {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0, groupIntervalMs: 1_000 })] })
  const outage = createRule({ name: 'outage', kind: 'source.unavailable', severity: 'critical' })
  const late = createRule({ name: 'late', kind: 'monitor.poll_overdue' })
  const down = createCondition('explorer', { kind: 'source.unavailable', labels: { source: 'explorer' } })
  const overdue = createCondition('heads', { kind: 'monitor.poll_overdue', labels: { poller: 'heads' } })
  const look = (afterMs: number, isOut: boolean) => {
    const now = start + afterMs
    bench.engine.applyCondition(outage, { findings: isOut ? [down] : [], unknown: [] }, now)
    bench.engine.applyCondition(late, { findings: [overdue], unknown: [] }, now)
    bench.engine.dropRules([late, outage], now)
    bench.engine.releaseStart()
    bench.engine.flush(now)
    return bench.database
      .prepare(
        "SELECT o.id FROM outbox o JOIN alerts a ON a.id = o.alert_id WHERE a.kind = 'monitor.poll_overdue'",
      )
      .all().length
  }
  expect(look(0, true)).toBe(0)
  expect(look(600_000, true)).toBe(0)
  expect(look(601_000, false)).toBe(0)
  expect(look(779_000, false)).toBe(0)
  for (let at = 782_000; at < 800_000; at += 1_000) look(at, false)
  expect(look(800_000, false)).toBe(1)
})

test('F61: a rule that is excused by its `unless` lacks no data', () => {
  const bench = createBench()
  for (const at of [0, 400_000]) {
    bench.engine.excuseCondition(stalled, start + at)
    bench.engine.dropRules([stalled], start + at)
  }
  expect(bench.store.listActiveOf('monitor.no_data')).toEqual([])
})

test('F59: a `for` that is raised above its age makes a firing alert pending again, without a message', async () => {
  const { engine, look, ops, dispatcher, store, clock } = await tellStalled()
  await look(60_000)
  engine.applyCondition({ ...urgent, forMs: 600_000 }, firing, clock.now())
  engine.flush(clock.now())
  expect(store.listActiveOf('urgent').map(({ state }) => state)).toEqual(['pending'])
  expect(ops.sent).toHaveLength(1)
  await dispatcher.stop()
})

test('every transition and every suppression leaves a line with its reason', () => {
  const bench = createBench({ routes: [createRoute({ channels: ['ops'], matches: () => false })] })
  bench.engine.applyCondition({ ...urgent, forMs: 1_000 }, firing, start)
  bench.engine.applyCondition({ ...urgent, forMs: 1_000 }, firing, start + 1_000)
  bench.engine.flush(start + 1_000)
  bench.engine.applyCondition({ ...urgent, forMs: 1_000 }, silent, start + 2_000)
  const lines = bench.store.listDecisions({ limit: 10 }).map(({ what, reason }) => `${what}: ${reason}`)
  expect(lines.reverse()).toEqual([
    'pending: true, `for` not over',
    'fired: true for long enough',
    'not told: no route matches its labels',
    'resolved: an evaluation said false',
  ])
})
