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
