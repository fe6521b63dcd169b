import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Incident, incidents, shippedPoll } from '../support/incidents.ts'
import { runScenario, type ScenarioRun } from '../support/runScenario.ts'

// Every world at once, side by side, with the shipped schedule and pace. What counts is the worlds' own time: a slow
// machine makes them live more slowly and changes nothing in them.

const speed = 4
const toldWithinMs = 120_000

/** Value that is said to have left and to have not: rules that wait for minutes, waiting for one. */
const impatient = `rules:
  - { name: withdrawal-stalled, on: transfer.stalled, with: { direction: ZoneToMain, after: 60s }, severity: critical }
  - { name: deposit-stalled, on: transfer.stalled, with: { direction: MainToZone, after: 60s }, severity: critical }
  - { name: challenge-changed, on: challenge.changed, severity: warning }
`
const waiting = ['stuck-2023', 'reprove-2024']

function start(name: string, secondSource?: boolean): Promise<ScenarioRun> {
  return runScenario({
    scenario: name,
    speed,
    timeoutMs: 20_000,
    pace: { maxRequestsPerSecond: 4, concurrency: 2 },
    config: { poll: shippedPoll },
    ...(waiting.includes(name) && { rules: impatient }),
    ...(secondSource !== undefined && { secondSource }),
  })
}

describe.concurrent('an incident is told within two minutes of its first visible transaction', () => {
  const runs = new Map<string, Promise<ScenarioRun>>()
  beforeAll(() => {
    for (const { name } of incidents) runs.set(name, start(name))
    runs.set('trusting', start('kelpdao-2026', false))
  })
  afterAll(async () => {
    await Promise.all([...runs.values()].map(async (run) => (await run).stop()))
  })

  test.for(incidents)('$name', { timeout: 300_000 }, async (incident, { expect }) => {
    const run = await (runs.get(incident.name) as Promise<ScenarioRun>)
    for (const { kind, atSeconds } of incident.tells) {
      const afterMs = await run.untilTold(kind, 240_000)
      expect(afterMs - atSeconds * 1_000, kind).toBeLessThanOrEqual(toldWithinMs)
      // Nothing before there was something to see.
      expect(afterMs - atSeconds * 1_000, kind).toBeGreaterThan(0)
    }
    expect(unexpected(incident, run)).toEqual([])
    await run.stop()
  })

  test('kelpdao-2026 is not told without a second source', { timeout: 300_000 }, async ({ expect }) => {
    const run = await (runs.get('trusting') as Promise<ScenarioRun>)
    const { now, startAt } = run.sandbox.look()
    await run.pass(Math.max(0, startAt + 135_000 - now))
    expect(run.alerts().map(({ kind }) => kind)).toEqual(['transfer.large'])
  })
})

/** What was told as critical that is no part of the incident, and what the monitor said of itself. */
function unexpected({ tells, also }: Incident, run: ScenarioRun): string[] {
  const known = [...tells.map(({ kind }) => kind), ...also]
  return run
    .alerts()
    .filter(
      ({ kind, severity }) =>
        severity === 'critical' || kind.startsWith('monitor.') || kind.startsWith('source.'),
    )
    .map(({ kind }) => kind)
    .filter((kind) => !known.includes(kind))
}
