import { findingText } from '../support/readFinding.ts'
import { describe, expect, test } from 'vitest'
import { shippedPoll } from '../support/incidents.ts'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRunOptions } from '../support/runScenario.ts'

const minute = 60_000
const poll = { ...shippedPoll, challenges: '*/10 * * * * *' }

async function start(timeline: string, options: Partial<ScenarioRunOptions> = {}) {
  const run = await runLeaping({
    scenario: `name: challenges\ntimeline:\n${timeline}\n`,
    config: { poll },
    ...options,
  })
  const { db } = run.app.parts
  return {
    ...run,
    of: (kind: string) => run.alerts().filter((alert) => alert.kind === kind),
    /** How many transactions bear a value. */
    known: () => Number(db.prepare('SELECT count(*) AS n FROM challenges').get()?.['n']),
  }
}

/** At `at` these newest withdrawals bear this value. */
const bear = (at: string, count: number, status: string, age = '0s') =>
  `  - { at: ${at}, fault: challenge.changed, count: ${count}, age: ${age}, status: ${status} }\n`

describe('challenge.changed', () => {
  test('of about the 480th newest transaction of a busy bridge is told within two minutes, as shipped', async () => {
    const busy = 'traffic: { transfersPerMinute: 20 }\nhistory: { for: 2h, transfers: 2400 }\n'
    const timeline = bear('0s', 230, 'proven') + bear('100s', 1, 'challenged', '24m')
    const run = await start(timeline, {
      scenario: `name: busy\n${busy}timeline:\n${timeline}`,
      pace: { maxRequestsPerSecond: 4, concurrency: 8 },
      config: { poll: shippedPoll },
    })
    expect((await run.untilTold('challenge.changed', 5 * minute)) - 100_000).toBeLessThan(2 * minute)
  })

  test('the first value, and the one that it has already, are not', async () => {
    const run = await start(bear('0s', 60, 'proven') + bear('60s', 20, 'proven', '70s'))
    await run.pass(2 * minute)
    expect(run.of('challenge.changed')).toEqual([])
    // Silent because they were read, not because they were not.
    expect(run.known()).toBeGreaterThan(40)
  })

  test('semantics.md 50: a first value that none had, while many had another, is told once', async () => {
    const run = await start(bear('0s', 60, 'proven') + bear('80s', 3, 'challenged', '20s'))
    await run.untilTold('challenge.changed')
    await run.pass(2 * minute)
    const findings = run.app.parts.db
      .prepare("SELECT finding FROM alerts WHERE kind = 'challenge.changed'")
      .all()
      .map(({ finding }) => JSON.parse(findingText(finding)) as unknown)
    expect(findings).toMatchObject([{ facts: { before: '', after: 'challenged', isRare: true } }])
  })

  test('semantics.md 50: a first value that none had is not, while few had another', async () => {
    const run = await start(bear('0s', 10, 'proven') + bear('80s', 3, 'challenged', '20s'))
    await run.pass(4 * minute)
    expect(run.known()).toBeGreaterThan(10)
    expect(run.of('challenge.changed')).toEqual([])
  })

  const configured: Partial<ScenarioRunOptions> = {
    bridge: () => ({ challenge: { known: ['open', 'proven'], terminal: ['final'] } }),
  }

  test('a first value that the configuration does not list is told (semantics 26)', async () => {
    const run = await start(bear('20s', 1, 'disputed'), configured)
    await run.untilTold('challenge.changed')
  })

  test('a first value that it lists is not', async () => {
    const run = await start(bear('20s', 5, 'open') + bear('20s', 5, 'final', '10m'), configured)
    // The first reading looks a week back for enough transactions, and takes empty answers for what they are.
    await run.pass(4 * minute)
    expect(run.known()).toBeGreaterThanOrEqual(5)
    expect(run.of('challenge.changed')).toEqual([])
  })

  test('a return from a terminal value is told, with both (semantics 26)', async () => {
    const run = await start(bear('0s', 20, 'final') + bear('40s', 1, 'open', '50s'), configured)
    await run.untilTold('challenge.changed')
    const { finding } =
      run.app.parts.db.prepare("SELECT finding FROM alerts WHERE kind = 'challenge.changed'").get() ?? {}
    expect(JSON.parse(findingText(finding))).toMatchObject({
      facts: { before: 'final', after: 'open', wasTerminal: true, isUnknown: false },
    })
  })
})

describe('challenge.stuck', () => {
  const options: Partial<ScenarioRunOptions> = {
    rules: 'rules:\n  - { name: stuck, on: challenge.stuck, with: { after: 60s }, severity: warning }\n',
    bridge: () => ({ challenge: { known: ['open'], terminal: ['final'] } }),
  }

  test('a value that stays the same for longer than the rule says is told', async () => {
    const run = await start(bear('0s', 3, 'open'), options)
    expect(await run.untilTold('challenge.stuck')).toBeGreaterThanOrEqual(60_000)
  })

  test('one that changes, or is terminal, before is not', async () => {
    const run = await start(
      bear('0s', 10, 'open') + bear('0s', 3, 'final', '20m') + bear('40s', 40, 'final', '0s'),
      options,
    )
    await run.pass(2 * minute)
    expect(run.known()).toBeGreaterThan(10)
    expect(run.of('challenge.stuck')).toEqual([])
  })
})
