import { describe, expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRunOptions } from '../support/runScenario.ts'

const second = 1_000
const capMs = 90 * second
const promisedMs = 120 * second

async function start(traffic: string, timeline: string, options: Partial<ScenarioRunOptions> = {}) {
  const run = await runLeaping({
    scenario: `name: lag\ntraffic: ${traffic}\ntimeline:\n${timeline}\n`,
    ...options,
  })
  return {
    ...run,
    suspicious: () => run.alerts().filter(({ kind }) => kind === 'source.suspicious'),
  }
}

describe('source.suspicious: the list lags', () => {
  test.each(['listed', 'hidden'])(
    'a list that stands still is told, transfers on their way %s',
    async (inFlight) => {
      const run = await start(
        `{ transfersPerMinute: 10, inFlight: ${inFlight} }`,
        '  - { at: 30s, for: 10m, fault: head.stall, chain: list }',
      )
      const toldAt = await run.untilTold('source.suspicious', 300 * second)
      expect(toldAt).toBeGreaterThan(30 * second + capMs)
      expect(toldAt).toBeLessThan(30 * second + capMs + promisedMs)
    },
  )

  test.each(['listed', 'hidden'])(
    'one that stands still for less is not, transfers on their way %s',
    async (inFlight) => {
      const run = await start(
        `{ transfersPerMinute: 10, inFlight: ${inFlight} }`,
        '  - { at: 30s, for: 75s, fault: head.stall, chain: list }',
      )
      await run.pass(240 * second)
      expect(run.suspicious()).toEqual([])
    },
  )

  test('records that are all listed late are told, without anything of the chains', async () => {
    const run = await start('{ transfersPerMinute: 10, listLag: { min: 100s, max: 130s } }', '  []', {
      contracts: () => [],
    })
    expect(await run.untilTold('source.suspicious', 400 * second)).toBeLessThan(100 * second + 2 * promisedMs)
  })

  test('records that are all listed a little less late are not', async () => {
    const run = await start('{ transfersPerMinute: 10, listLag: { min: 60s, max: 80s } }', '  []', {
      contracts: () => [],
    })
    await run.pass(300 * second)
    expect(run.suspicious()).toEqual([])
  })

  test('a quiet bridge whose transfers take minutes, and are listed once complete, is not told', async () => {
    const run = await start(
      '{ transfersPerMinute: 0.7, inFlight: hidden, depositLatency: { min: 5m, max: 8m }, withdrawalLatency: { min: 5m, max: 9m } }',
      '  []',
    )
    await run.pass(900 * second)
    expect(run.suspicious()).toEqual([])
  })
})
