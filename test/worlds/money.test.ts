import { findingText } from '../support/readFinding.ts'
import { describe, expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'

const second = 1_000

async function start(timeline: string, secondSource: boolean) {
  const run = await runLeaping({ scenario: `name: money\ntimeline:\n${timeline}\n`, secondSource })
  const { db } = run.app.parts
  return {
    ...run,
    /** What the mismatches that were told are of. */
    told: () =>
      db
        .prepare("SELECT finding FROM alerts WHERE kind = 'transfer.mismatch'")
        .all()
        .map((row) => (JSON.parse(findingText(row['finding'])) as { facts: { what: string } }).facts.what),
  }
}

describe('transfer.mismatch: a record says success', () => {
  test.each([
    { leg: 'main', secondSource: false },
    { leg: 'main', secondSource: true },
    { leg: 'zone', secondSource: false },
  ])(
    'while its $leg transaction failed, second source: $secondSource: told',
    async ({ leg, secondSource }) => {
      const fault = `  - { at: 30s, fault: transfer.mismatch, failed: ${leg}, token: USDC, amount: "1234" }`
      const run = await start(fault, secondSource)
      expect((await run.untilTold('transfer.mismatch', 400 * second)) - 30 * second).toBeLessThan(
        150 * second,
      )
      expect(run.told()).toEqual(['status'])
    },
  )

  test('and so do both transactions: not told', async () => {
    const run = await start('  - { at: 30s, fault: transfer.normal, count: 20, spacing: 2s }', true)
    await run.pass(180 * second)
    expect(run.told()).toEqual([])
  })
})
