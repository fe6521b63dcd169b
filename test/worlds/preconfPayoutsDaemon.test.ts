import { expect, test } from 'vitest'
import { readFinding } from '../support/readFinding.ts'
import { runLeaping } from '../support/leapingScenario.ts'

// A theft by name and one by hand while the block is being made; then honest payouts whose zone legs are not shown.
// More of it: test/worlds/preconfPayouts.test.ts.

test('thefts are told within two seconds of their preconfirmation, payouts whose zone leg is late are not', async () => {
  const run = await runLeaping({
    scenario: `name: one
traffic: { transfersPerMinute: 60, blockTransactions: 2 }
timeline:
  - { at: 40s, fault: transfer.unbacked, token: USDC, amount: "25500000" }
  - { at: 43s, fault: escrow.drained, token: WETH, amount: "0.5" }
  - { at: 48s, for: 40s, fault: head.stall, chain: zone }
  - { at: 48s, for: 40s, fault: head.stall, chain: list }
`,
    preconfIntervalMs: 200,
    secondSource: true,
  })
  await run.pass(95_000)
  const told = run.app.parts.db
    .prepare("SELECT severity, active_at, finding FROM alerts WHERE kind = 'preconf.unbacked' ORDER BY id")
    .all()
    .map((row) => {
      const { facts, since } = readFinding(row)
      return {
        says: `${String(row['severity'])} ${facts['amount']} ${facts['token']}`,
        delayMs: Number(row['active_at']) - since,
      }
    })
  expect(told.map(({ says }) => says)).toEqual(['critical 25500000 USDC', 'warning 0.5 WETH'])
  for (const { delayMs } of told) expect(delayMs).toBeLessThanOrEqual(2_500)
})
