import { onTestFinished } from 'vitest'
import { shippedPoll } from './incidents.ts'
import { createLeapingClock } from './leapingClock.ts'
import { runScenario, type ScenarioRun, type ScenarioRunOptions } from './runScenario.ts'

/**
 * The whole daemon beside a scenario in time that leaps, until the test ends; with the shipped schedule, and
 * preconfirmations asked for every five seconds, unless `options` say otherwise.
 */
export async function runLeaping(options: Omit<ScenarioRunOptions, 'speed'>): Promise<ScenarioRun> {
  const clock = options.clock ?? createLeapingClock()
  const run = await runScenario({
    timeoutMs: 60_000,
    preconfIntervalMs: 5_000,
    ...options,
    clock,
    config: { poll: shippedPoll, ...options.config },
  })
  onTestFinished(async () => {
    await run.stop()
    clock.stop()
  })
  return run
}
