import { expect, onTestFinished, test } from 'vitest'
import { runScenario } from '../support/runScenario.ts'

test('a failed transfer of a scenario is told through the whole daemon in sped-up time', async () => {
  const run = await runScenario({
    scenario: 'name: one\ntimeline:\n  - { at: 5s, fault: transfer.failed, count: 1 }\n',
  })
  onTestFinished(() => run.stop())
  expect(await run.untilTold('transfer.failed', 60_000)).toBeLessThan(60_000)
  expect(run.alerts().map(({ kind }) => kind)).toEqual(['transfer.failed'])
})
