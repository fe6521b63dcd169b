import { setImmediate } from 'node:timers'
import { expect, test } from 'vitest'
import { mapInSteps, runAtOnce, runInSlices, runInTurns, type Steps } from '../../../src/lib/steps.ts'

function* count(to: number, seen: number[]): Steps<number> {
  for (let at = 1; at <= to; at += 1) {
    if (at > 1) yield
    seen.push(at)
  }
  return to
}

test('what is run in turns lets others run between two steps, and gives what it gives at once', async () => {
  const seen: number[] = []
  setImmediate(() => seen.push(-1))
  expect(await runInTurns(count(3, seen))).toBe(3)
  expect(seen).toEqual([1, -1, 2, 3])
  expect(runAtOnce(count(3, []))).toBe(3)
})

test('what is run in slices lets others run only once it took its time', async () => {
  let nowMs = 0
  const clock = { monotonicMs: () => (nowMs += 8) }
  const seen: number[] = []
  setImmediate(() => seen.push(-1))
  expect(await runInSlices(count(4, seen), clock)).toBe(4)
  expect(seen).toEqual([1, 2, 3, -1, 4])
})

test('work of one step waits for nobody', async () => {
  const seen: number[] = []
  setImmediate(() => seen.push(-1))
  await runInTurns(count(1, seen))
  expect(seen).toEqual([1])
})

test('a long list is gone through in steps, in its order', () => {
  const numbers = Array.from({ length: 1_001 }, (_, at) => at)
  const double = (one: number) => 2 * one
  expect(runAtOnce(mapInSteps(numbers, double))).toEqual(numbers.map(double))
  expect([...mapInSteps(numbers, double)]).toHaveLength(2)
  expect([...mapInSteps(numbers.slice(0, 500), double)]).toHaveLength(0)
})
