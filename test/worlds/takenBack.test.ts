import { describe, expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

const second = 1_000
const minute = 60 * second

/** How often alerts of a kind were corrected; one entry an alert. */
const corrections = ({ app }: ScenarioRun, kind: string): number[] =>
  app.parts.db
    .prepare(
      `SELECT (SELECT count(*) FROM outbox o WHERE o.alert_id = a.id AND o.what = 'correction') AS n
       FROM alerts a WHERE kind = ? AND state <> 'merged' ORDER BY id`,
    )
    .all(kind)
    .map(({ n }) => Number(n))

async function untilCorrected(run: ScenarioRun, kind: string, withinMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += 5 * second) {
    if (corrections(run, kind).includes(1)) return
    await run.pass(5 * second)
  }
  throw new Error(`no correction of ${kind} within ${withinMs} ms`)
}

describe('source.disagreement', () => {
  const forged = (lasts: string) =>
    runLeaping({
      scenario: `name: one\ntimeline:\n  - { at: 30s, for: ${lasts}, fault: transfer.forged, token: USDC, amount: "1234" }\n`,
      secondSource: true,
    })
  const own = ['source.disagreement', 'transfer.unbacked']
  const told = (run: ScenarioRun) =>
    run
      .alerts()
      .map(({ kind }) => kind)
      .filter((kind) => own.includes(kind))
      .sort()

  test('that ends, because the second source knows the transaction after all, is corrected once', async () => {
    const run = await forged('6m')
    for (const kind of own) await run.untilTold(kind, 4 * minute)
    expect(corrections(run, 'source.disagreement')).toEqual([0])
    for (const kind of own) await untilCorrected(run, kind, 20 * minute)
    await run.pass(5 * minute)
    expect(told(run)).toEqual(own)
    for (const kind of own) expect(corrections(run, kind), kind).toEqual([1])
  })

  test('is not told of a second source that is behind for as long as it may be', async () => {
    const run = await forged('25s')
    await run.pass(5 * minute)
    expect(told(run)).toEqual([])
  })
})

describe('preconf.dropped', () => {
  const dropped = (by: number, secondSource: boolean) =>
    runLeaping({
      scenario: `name: one\ntraffic: { transfersPerMinute: 20, blockTransactions: 3 }\ntimeline:\n  - { at: 5s, fault: preconf.moved, by: ${by} }\n`,
      preconfIntervalMs: 200,
      secondSource,
    })

  test.each([
    { by: 150, source: 'the canonical RPC', secondSource: true },
    { by: 300, source: 'the explorer', secondSource: false },
  ])(
    'of a transaction that is mined $by blocks later is corrected once, by $source',
    async ({ by, secondSource }) => {
      const run = await dropped(by, secondSource)
      const toldAt = await run.untilTold('preconf.dropped', 3 * minute)
      expect(toldAt).toBeLessThan(by * second)
      await untilCorrected(run, 'preconf.dropped', 15 * minute)
      await run.pass(2 * minute)
      expect(corrections(run, 'preconf.dropped')).toEqual([1])
    },
  )
})
