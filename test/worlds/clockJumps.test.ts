import { expect, test } from 'vitest'
import { createLeapingClock } from '../support/leapingClock.ts'
import { runLeaping } from '../support/leapingScenario.ts'

const minute = 60_000

/** A healthy bridge with pending transfers all the time, whose monitor's clock is set by so much, twice. */
async function told(firstMs: number, secondMs: number): Promise<string[]> {
  const clock = createLeapingClock()
  const run = await runLeaping({ scenario: 'healthy', clock, secondSource: true })
  await run.pass(2 * minute)
  clock.jump(firstMs)
  await run.pass(2 * minute)
  clock.jump(secondMs)
  await run.pass(3 * minute)
  return run.alerts().map(({ kind }) => kind)
}

test.each([60 * minute, -60 * minute])(
  'F67: a clock that is set by %i ms, and right again, is told each time, and nothing else is',
  async (byMs) => {
    expect(await told(byMs, -byMs)).toEqual(['monitor.clock_jump', 'monitor.clock_jump'])
  },
)

test('a clock that is set by a few seconds is not told', async () => {
  expect(await told(4_000, -4_000)).toEqual([])
})
