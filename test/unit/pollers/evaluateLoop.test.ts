import { expect, test } from 'vitest'
import { createSilentLog } from '../../../src/lib/log.ts'
import { createEvaluateLoop } from '../../../src/pollers/evaluateLoop.ts'
import { createBench, createRule } from '../alerts/harness.ts'
import { toFacts } from '../rules/facts.ts'

test('F67: a jump of the clock is told to the engine once, and conditions are judged again after 15 s', async () => {
  const { database, clock, engine } = createBench()
  const jumps: number[] = []
  const rebased: number[] = []
  const judged: number[] = []
  const rule = createRule({
    name: 'rejected',
    kind: 'monitor.rules_rejected',
    isExcused: () => (judged.push(clock.monotonicMs()), false),
  })
  const loop = createEvaluateLoop({
    db: database,
    clock,
    log: createSilentLog(),
    engine,
    rules: () => [rule],
    facts: (now) => toFacts(now),
    raised: () => [],
    judgeMore: () => undefined,
    rebaseClock: ({ byMs }) => void rebased.push(byMs),
    onClockJump: ({ byMs }) => void jumps.push(byMs),
    onCommitted: () => undefined,
    onFailed: () => undefined,
  })
  loop.start()
  await clock.advance(5_000)
  const before = judged.length
  expect(before).toBeGreaterThanOrEqual(5)
  clock.step(-3_600_000)
  await clock.advance(14_000)
  expect(jumps).toEqual([-3_600_000])
  expect(rebased).toEqual([-3_600_000])
  expect(judged.length - before).toBeLessThanOrEqual(1)
  await clock.advance(5_000)
  expect(judged.length - before).toBeGreaterThanOrEqual(3)
  expect(loop.counts()).toMatchObject({ clockJumps: 1, failed: 0 })
  const ending = loop.stop()
  await clock.advance(1_000)
  await ending
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
    clock: late,
    log: createSilentLog(),
    engine,
    rules: () => [],
    facts(now) {
      evaluatedAt.push(now)
      if (evaluatedAt.length === 4) blockedMs += 10_000
      return toFacts(now)
    },
    raised: () => [],
    judgeMore: () => undefined,
    rebaseClock: ({ byMs }) => void jumps.push(byMs),
    onClockJump: () => undefined,
    onCommitted: () => undefined,
    onFailed: () => undefined,
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
