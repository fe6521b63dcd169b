import { describe, expect, onTestFinished, test } from 'vitest'
import { type Incident, incidents, shippedPoll } from '../support/incidents.ts'
import { createLeapingClock } from '../support/leapingClock.ts'
import { runScenario, type ScenarioRun } from '../support/runScenario.ts'

// With the shipped schedule and pace, in time that leaps: a slow machine changes nothing in these worlds.

const toldWithinMs = 120_000

/** Value that is said to have left and to have not: rules that wait for minutes, waiting for one. */
const impatient = `rules:
  - { name: withdrawal-stalled, on: transfer.stalled, with: { direction: ZoneToMain, after: 60s }, severity: critical }
  - { name: deposit-stalled, on: transfer.stalled, with: { direction: MainToZone, after: 60s }, severity: critical }
  - { name: challenge-changed, on: challenge.changed, severity: warning }
`
const waiting = ['stuck-2023', 'reprove-2024']

async function start(name: string, secondSource?: boolean): Promise<ScenarioRun> {
  const clock = createLeapingClock()
  const run = await runScenario({
    scenario: name,
    clock,
    timeoutMs: 20_000,
    preconfIntervalMs: 800,
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    config: { poll: shippedPoll },
    ...(waiting.includes(name) && { rules: impatient }),
    ...(secondSource !== undefined && { secondSource }),
  })
  onTestFinished(async () => {
    await run.stop()
    clock.stop()
  })
  return run
}

describe('an incident is told within two minutes of its first visible transaction', () => {
  test.for(incidents)('$name', async (incident) => {
    const run = await start(incident.name)
    for (const { kind, atSeconds } of incident.tells) {
      const afterMs = await run.untilTold(kind, 240_000)
      expect(afterMs - atSeconds * 1_000, kind).toBeLessThanOrEqual(toldWithinMs)
      // Nothing before there was something to see.
      expect(afterMs - atSeconds * 1_000, kind).toBeGreaterThanOrEqual(0)
    }
    expect(unexpected(incident, run)).toEqual([])
  })

  test('kelpdao-2026 is not told without a second source', async () => {
    const run = await start('kelpdao-2026', false)
    await run.pass(135_000)
    expect(run.alerts().map(({ kind }) => kind)).toEqual(['transfer.large'])
  })
})

/** What was told as critical that is no part of the incident, and what the monitor said of itself. */
function unexpected({ tells, also }: Incident, run: ScenarioRun): string[] {
  const known = [...tells.map(({ kind }) => kind), ...also]
  return (
    run
      .alerts()
      .filter(
        ({ kind, severity }) =>
          severity === 'critical' || kind.startsWith('monitor.') || kind.startsWith('source.'),
      )
      // What a rule waits for is not told.
      .filter(({ kind, state }) => !known.includes(kind) && state !== 'pending')
      .map(({ kind, subject, afterMs }) => `${kind} ${subject} ${afterMs / 1_000} s`)
  )
}
