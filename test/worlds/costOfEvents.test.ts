import { expect, test } from 'vitest'
import { createBench, createEvent, createRule, start } from '../unit/alerts/harness.ts'

const failed = createRule()

test('an event costs about the same after 20,000 others as at first', () => {
  const bench = createBench()
  let next = 0
  const tell = () => {
    const matches = Array.from({ length: 500 }, () => ({ rule: failed, finding: createEvent((next += 1)) }))
    const before = process.cpuUsage()
    bench.database.transaction(() => bench.engine.tellEvents(matches, start))
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  // CPU time, and the best of several, because the machine does other things too.
  const best = (count: number) => Math.min(...Array.from({ length: count }, tell))
  tell()
  const early = best(5)
  best(30)
  expect(best(5)).toBeLessThan(early * 8)
})
