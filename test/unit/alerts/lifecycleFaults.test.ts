import { expect, test } from 'vitest'
import { createCorrectedClock } from '../../../src/lib/correctedClock.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { evaluate } from '../../../src/kernel/evaluate.ts'
import { createEvaluateLoop } from '../../../src/monitor/evaluateLoop.ts'
import type { Judgement } from '../../../src/rules/kind.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import { toFacts } from '../rules/facts.ts'
import {
  createBench,
  createCondition,
  createEvent,
  createRoute,
  createRule,
  hostileLabels,
  start,
} from './harness.ts'

const minute = 60_000
const zone = createCondition('zone')
const firing: Judgement = { findings: [zone], unknown: [] }
const silent: Judgement = { findings: [], unknown: [] }
const atOnce = { routes: [createRoute({ groupWaitMs: 0, groupIntervalMs: minute })] }
type Bench = ReturnType<typeof createBench>

const states = ({ store }: Bench) => store.listAlerts({ limit: 9 }).map(({ state }) => state)
const queued = ({ store }: Bench) =>
  store
    .listOutbox({ state: 'queued', limit: 1_000 })
    .reverse()
    .map(({ what }) => what)

function look(bench: Bench, rule: LoadedRule, judgement: Judgement, afterMs: number) {
  bench.engine.applyCondition(rule, judgement, start + afterMs)
  bench.engine.flush(start + afterMs)
  return queued(bench)
}

test('F8: 4 minutes down with `for: 10m` pending: it fires at the remaining time, neither early nor from zero', () => {
  const rule = createRule({
    name: 'stalled',
    kind: 'chain.stalled',
    severity: 'critical',
    forMs: 10 * minute,
  })
  const first = createBench()
  for (let at = 0; at <= 5; at += 1) look(first, rule, firing, at * minute)
  expect(states(first)).toEqual(['pending'])
  const second = createBench({ database: first.database })
  // Judged at minutes 0 to 5, down until 9: 5 minutes of truth are left to be seen.
  for (let at = 9; at <= 13; at += 1) expect(look(second, rule, firing, at * minute)).toEqual([])
  expect(look(second, rule, firing, 14 * minute)).toEqual(['firing'])
})

test('F12: a rule that throws, whatever it is, holds up no other, is told, and is asked again at every tick', async () => {
  const { database, clock, engine, store } = createBench(atOnce)
  let asked = 0
  const rules = [
    createRule({
      name: 'broken',
      kind: 'monitor.rules_rejected',
      isExcused: () => {
        asked += 1
        if (asked < 400) throw new Error('no such function')
        return false
      },
    }),
    createRule({ name: 'fine', kind: 'monitor.rules_rejected', severity: 'critical' }),
  ]
  const problems = ['line 1']
  const loop = createEvaluateLoop({
    db: database,
    clock: createCorrectedClock(clock),
    log: createSilentLog(),
    engine,
    judge(now) {
      const facts = { ...toFacts(now), rulesRejected: { at: now, problems } }
      evaluate({ engine, rules, facts, raised: [] }, now)
    },
    live: { rules },
    distress: { failed: () => undefined, saved: () => undefined },
    after: [],
    sleepers: [],
  })
  loop.start()
  await clock.advance(10_000)
  const firingRules = () =>
    store
      .listAlerts({ state: 'firing', limit: 9 })
      .map(({ rule }) => rule)
      .sort()
  expect(asked).toBeGreaterThanOrEqual(10)
  expect(firingRules()).toEqual(['fine'])
  await clock.advance(300_000)
  expect(firingRules()).toEqual(['fine', 'monitor.rule_error'])
  await clock.advance(120_000)
  expect(firingRules()).toEqual(['broken', 'fine'])
  expect(loop.counts().failed).toBe(0)
  const ending = loop.stop()
  await clock.advance(1_000)
  await ending
})

test('F55: flapping at every tick for a day is bounded by the group interval, and says so', async () => {
  const rule = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0, groupIntervalMs: 60 * minute })] })
  const dispatcher = bench.startSending()
  for (let tick = 0; tick < 24 * 60; tick += 1) {
    bench.database.transaction(() => {
      bench.engine.applyCondition(rule, tick % 2 === 0 ? firing : silent, bench.clock.now())
      bench.engine.flush(bench.clock.now())
    })
    dispatcher.wake()
    await bench.clock.advance(minute)
  }
  expect(bench.ops.sent.length).toBeGreaterThan(1)
  expect(bench.ops.sent.length).toBeLessThanOrEqual(2 * 25)
  expect(bench.ops.sent.at(-1)?.items[0]?.summary).toContain('(flapping)')
  await dispatcher.stop()
})

test('F56: an event inside a written group wait is told exactly once', () => {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 30_000 })] })
  bench.engine.tellEvents([{ rule: createRule(), finding: createEvent(1) }], start)
  bench.engine.tellEvents([{ rule: createRule(), finding: createEvent(1) }], start + 10_000)
  for (const at of [0, 29_999, 30_000, 60_000, 400_000]) bench.engine.flush(start + at)
  expect(queued(bench)).toEqual(['event'])
})

test('F58: a source that ends first lets its target speak; two that inhibit each other both speak', () => {
  const source = createRule({ name: 'source', kind: 'source.unavailable', severity: 'critical' })
  const target = createRule({ name: 'target', kind: 'chain.stalled' })
  const down = createCondition('explorer', {
    kind: 'source.unavailable',
    labels: { source: 'explorer', chain: 'zone' },
  })
  const told = (bench: Bench) =>
    bench.store.listOutbox({ state: 'queued', limit: 9 }).map(({ what, alertId }) => {
      const alert = bench.store.listAlerts({ limit: 9 }).find(({ id }) => id === alertId)
      return `${alert?.rule} ${what}`
    })
  const bench = createBench(atOnce)
  look(bench, source, { findings: [down], unknown: [] }, 0)
  look(bench, target, firing, 1_000)
  expect(told(bench)).toEqual(['source firing'])
  bench.engine.applyCondition(source, silent, start + 2 * minute)
  look(bench, target, firing, 2 * minute)
  look(bench, target, firing, 4 * minute)
  expect(told(bench)).toContain('target firing')

  const mutual = (from: string, to: string) => ({
    source: ({ rule }: Readonly<Record<string, string>>) => rule === from,
    target: ({ rule }: Readonly<Record<string, string>>) => rule === to,
    equal: [],
  })
  const a = createRule({ name: 'a', kind: 'chain.stalled', severity: 'critical' })
  const b = createRule({ name: 'b', kind: 'chain.stalled', severity: 'critical' })
  const ring = createBench({ ...atOnce, inhibit: [mutual('a', 'b'), mutual('b', 'a')] })
  ring.engine.applyCondition(a, firing, start)
  look(ring, b, firing, 0)
  expect(told(ring).sort()).toEqual(['a firing', 'b firing'])
})

test('F59: a rule that is renamed ends under its old name with that as the reason, and begins under the new one', () => {
  const bench = createBench(atOnce)
  const old = createRule({ name: 'old', kind: 'chain.stalled', severity: 'critical' })
  look(bench, old, firing, 0)
  const renamed = { ...old, name: 'new' }
  bench.engine.applyCondition(renamed, firing, start + 1_000)
  bench.engine.dropRules([renamed], start + 1_000)
  const alerts = bench.store.listAlerts({ limit: 9 })
  expect(
    alerts.map(({ rule, state, resolvedReason }) => `${rule} ${state} ${resolvedReason}`).sort(),
  ).toEqual(['new firing null', 'old resolved rule removed'])
})

test('F61: an error while pending neither resets `for` nor counts against it', () => {
  const rule = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical', forMs: 3 * minute })
  const bench = createBench(atOnce)
  look(bench, rule, firing, 0)
  look(bench, rule, firing, minute)
  bench.engine.keepCondition(rule, 'the source did not answer', start + 2 * minute)
  expect(states(bench)).toEqual(['pending'])
  expect(look(bench, rule, firing, 3 * minute)).toEqual(['firing'])
})

test('F61: no data, data and no data again end nothing and begin nothing', () => {
  const rule = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
  const bench = createBench(atOnce)
  const nothing: Judgement = { findings: [], unknown: 'all' }
  look(bench, rule, nothing, 0)
  look(bench, rule, firing, minute)
  look(bench, rule, nothing, 2 * minute)
  look(bench, rule, nothing, 60 * minute)
  expect(states(bench)).toEqual(['firing'])
  expect(queued(bench).filter((what) => what === 'resolved')).toEqual([])
})

test.each(hostileLabels)('F62: subject and label %j keep one identity over a restart', (text) => {
  const rule = createRule({
    name: 'stalled',
    kind: 'chain.stalled',
    severity: 'critical',
    labels: { team: text },
  })
  const finding = createCondition(`zone ${text}`, { labels: { chain: text }, title: text })
  const first = createBench(atOnce)
  look(first, rule, { findings: [finding], unknown: [] }, 0)
  const [before] = first.store.listAlerts({ limit: 9 })
  const second = createBench({ ...atOnce, database: first.database })
  second.engine.start(start + minute)
  look(second, rule, { findings: [finding], unknown: [] }, minute)
  const after = second.store.listAlerts({ limit: 9 })
  expect(after.map(({ fingerprint, episode }) => [fingerprint, episode])).toEqual([[before?.fingerprint, 1]])
  expect(queued(second)).toEqual(['firing'])
  expect(look(second, rule, silent, 5 * minute)).toEqual(['both'])
})
