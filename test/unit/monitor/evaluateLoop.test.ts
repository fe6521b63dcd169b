import { expect, test } from 'vitest'
import { createCorrectedClock } from '../../../src/lib/correctedClock.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { evaluate } from '../../../src/kernel/evaluate.ts'
import { createEvaluateLoop } from '../../../src/monitor/evaluateLoop.ts'
import { createBench, createRule } from '../alerts/harness.ts'
import { toFacts } from '../rules/facts.ts'

function start() {
  const { database, clock, engine } = createBench()
  const corrected = createCorrectedClock(clock)
  const seen = {
    moved: [] as number[],
    slept: [] as number[],
    forgotten: [] as number[],
    judgedAt: [] as number[],
  }
  const rule = createRule({
    name: 'rejected',
    kind: 'monitor.rules_rejected',
    isExcused: () => (seen.judgedAt.push(clock.monotonicMs()), false),
  })
  const loop = createEvaluateLoop({
    db: database,
    clock: corrected,
    log: createSilentLog(),
    engine: {
      ...engine,
      rebaseClock: (byMs, now) => (seen.slept.push(byMs), engine.rebaseClock(byMs, now)),
      tellEvents: (matches) =>
        void seen.moved.push(...[...matches].map(({ finding }) => Number(finding.facts['byMs']))),
    },
    live: { rules: [rule, createRule({ name: 'jump', kind: 'monitor.clock_jump' })] },
    distress: { failed: () => undefined, saved: () => undefined },
    after: [],
    sleepers: [{ rebaseClock: ({ byMs }) => void seen.forgotten.push(byMs) }],
    judge: (now) => evaluate({ engine, rules: [rule], facts: toFacts(now), raised: [] }, now),
  })
  loop.start()
  async function stop() {
    const ending = loop.stop()
    await clock.advance(1_000)
    await ending
  }
  return { clock, corrected, loop, seen, stop }
}

test('F67, semantics.md 42: a clock that is set is told once, and everything is judged as before', async () => {
  const { clock, loop, seen, stop } = start()
  await clock.advance(5_000)
  const before = seen.judgedAt.length
  clock.step(-3_600_000)
  await clock.advance(10_000)
  expect(seen).toMatchObject({ moved: [-3_600_000], slept: [], forgotten: [] })
  expect(seen.judgedAt.length - before).toBeGreaterThanOrEqual(10)
  expect(loop.counts()).toMatchObject({ clockJumps: 1, failed: 0, missed: 0 })
  await stop()
})

test('F67, semantics.md 42: after a sleep conditions are judged again after 15 s', async () => {
  const { clock, corrected, loop, seen, stop } = start()
  await clock.advance(5_000)
  clock.step(3_600_000)
  await clock.advance(1_000)
  for (const source of ['explorer', 'preconf'])
    corrected.noteDate(source, {
      date: new Date(clock.now()).toUTCString(),
      sentMs: clock.monotonicMs(),
    })
  const before = seen.judgedAt.length
  await clock.advance(14_000)
  expect(seen).toMatchObject({ moved: [3_600_000], slept: [3_600_000], forgotten: [3_600_000] })
  expect(seen.judgedAt.length - before).toBeLessThanOrEqual(1)
  await clock.advance(5_000)
  expect(seen.judgedAt.length - before).toBeGreaterThanOrEqual(3)
  expect(loop.counts()).toMatchObject({ clockJumps: 1, failed: 0 })
  await stop()
})

test('F66: while one evaluation blocks the event loop for ten seconds the ticks it slept through are counted, and none comes twice', async () => {
  const { database, clock, engine } = createBench()
  let blockedMs = 0
  const late = {
    ...clock,
    now: () => clock.now() + blockedMs,
    monotonicMs: () => clock.monotonicMs() + blockedMs,
  }
  const evaluatedAt: number[] = []
  const jumps: number[] = []
  const loop = createEvaluateLoop({
    db: database,
    clock: createCorrectedClock(late),
    log: createSilentLog(),
    engine,
    live: { rules: [] },
    distress: { failed: () => undefined, saved: () => undefined },
    after: [],
    sleepers: [{ rebaseClock: ({ byMs }) => void jumps.push(byMs) }],
    judge(now) {
      evaluatedAt.push(now)
      if (evaluatedAt.length === 4) blockedMs += 10_000
      evaluate({ engine, rules: [], facts: toFacts(now), raised: [] }, now)
    },
  })
  const startedAt = late.now()
  loop.start()
  await clock.advance(10_500)
  const seconds = evaluatedAt.map((at) => Math.round((at - startedAt) / 1_000))
  expect(seconds).toEqual([0, 1, 2, 3, 13, 14, 15, 16, 17, 18, 19, 20])
  expect(loop.counts()).toMatchObject({ missed: 9, failed: 0 })
  // The machine was busy; nobody set its clock.
  expect(jumps).toEqual([])
  const ending = loop.stop()
  await clock.advance(1_000)
  await ending
})

test.each([
  {
    what: 'after a minute in which the process was stopped what it reads is read again before it is judged',
    stops: [3],
    judged: [0, 1, 2, 78, 79],
  },
  {
    what: 'a process that is stopped again and again is not kept from judging',
    stops: [3, 4, 5],
    judged: [0, 1, 2, 63, 123, 183],
  },
])('$what', async ({ stops, judged }) => {
  const { database, clock, engine } = createBench()
  let stoppedMs = 0
  let turns = 0
  const stopped = {
    ...clock,
    now: () => clock.now() + stoppedMs,
    monotonicMs: () => clock.monotonicMs() + stoppedMs,
    async sleep(ms: number, signal?: AbortSignal) {
      await clock.sleep(ms, signal)
      turns += 1
      if (stops.includes(turns)) stoppedMs += 60_000
    },
  }
  const judgedAt: number[] = []
  const rebased: number[] = []
  const startedAt = stopped.now()
  const loop = createEvaluateLoop({
    db: database,
    clock: createCorrectedClock(stopped),
    log: createSilentLog(),
    engine,
    live: { rules: [] },
    distress: { failed: () => undefined, saved: () => undefined },
    after: [],
    sleepers: [{ rebaseClock: ({ byMs }) => void rebased.push(byMs) }],
    judge: (now) => void judgedAt.push(Math.round((now - startedAt) / 1_000)),
  })
  loop.start()
  await clock.advance(25_000)
  expect(judgedAt.slice(0, judged.length)).toEqual(judged)
  // Whoever counts since when it looks begins anew, once.
  expect(rebased).toEqual([0])
  const ending = loop.stop()
  await clock.advance(1_000)
  await ending
})

test('what stays due though it was judged does not keep the next seconds from being judged', async () => {
  const { database, clock, engine } = createBench()
  const startedAt = clock.now()
  const evaluatedAt: number[] = []
  const loop = createEvaluateLoop({
    db: database,
    clock: createCorrectedClock(clock),
    log: createSilentLog(),
    engine: { ...engine, flush: () => startedAt - 1_000 },
    live: { rules: [] },
    distress: { failed: () => undefined, saved: () => undefined },
    after: [],
    sleepers: [],
    judge: (now) => void evaluatedAt.push(now - startedAt),
  })
  loop.start()
  await clock.advance(3_500)
  expect(evaluatedAt).toEqual([0, 1_000, 2_000, 3_000])
  const ending = loop.stop()
  await clock.advance(1_000)
  await ending
})
