import { findingText } from '../support/readFinding.ts'
import { describe, expect, test } from 'vitest'
import { listEscrowTokens } from '../../src/checks/escrow/owed/owedStore.ts'
import { readCompared } from '../../src/checks/escrow/supply/supplyStore.ts'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

const minute = 60_000
const about = (run: ScenarioRun, kind: string) =>
  run.app.parts.db
    .prepare('SELECT severity, finding FROM alerts WHERE kind = ?')
    .all(kind)
    .map(({ severity, finding }) => {
      const { facts } = JSON.parse(findingText(finding)) as { facts: object }
      return { severity, ...facts }
    })
const kinds = (run: ScenarioRun) => [...new Set(run.alerts().map(({ kind }) => kind))].sort()
const compared = (run: ScenarioRun) =>
  listEscrowTokens(run.app.parts.db).flatMap(({ token }) => readCompared(run.app.parts.db, token) ?? [])

describe('what there is of a token on the zone against what was locked', () => {
  test('what is created on the zone without a deposit is told, to the last digit', async () => {
    const scenario =
      'name: mint\ntraffic: { transfersPerMinute: 60 }\ntimeline:\n  - { at: 3m, fault: supply.minted, token: USDC, amount: "777" }\n'
    const run = await runLeaping({ scenario, zoneRpc: true, secondSource: true })
    await run.untilTold('supply.excess', 10 * minute)
    expect(about(run, 'supply.excess')).toMatchObject([
      { severity: 'critical', excess: '777', token: 'USDC' },
    ])
    expect(kinds(run)).toEqual(['supply.excess'])
  })

  test('honest transfers of every kind raise nothing', async () => {
    const scenario = 'name: honest\ntraffic: { transfersPerMinute: 90, native: 0.1 }\n'
    const run = await runLeaping({ scenario, zoneRpc: true, secondSource: true })
    await run.pass(20 * minute)
    expect(kinds(run)).toEqual([])
    // Silent because it was compared; of one whose record comes late a comparison may say that less exists.
    const all = compared(run)
    expect(all.length).toBeGreaterThan(3)
    expect(all.filter(({ excesses }) => excesses > 0)).toEqual([])
    expect(all.every(({ comparisons }) => comparisons > 10)).toBe(true)
  })

  test('a theft from the escrow is no excess: it is told as what it is', async () => {
    // Once counting has begun: of what left before, the supply is the only witness.
    const scenario =
      'name: drained\ntimeline:\n  - { at: 3m, fault: escrow.drained, token: USDC, amount: "62000000" }\n'
    const run = await runLeaping({ scenario, zoneRpc: true, secondSource: true })
    await run.pass(10 * minute)
    expect(kinds(run)).toContain('escrow.drift')
    expect(kinds(run)).not.toContain('supply.excess')
  })

  test('a node of the zone that stands still is told as what it hides', async () => {
    const scenario =
      'name: still\ntraffic: { transfersPerMinute: 30 }\ntimeline:\n  - { at: 3m, fault: head.stall, chain: zoneRpc, for: 40m }\n'
    const run = await runLeaping({ scenario, zoneRpc: true, secondSource: true })
    await run.untilTold('supply.unknown', 25 * minute)
    expect(about(run, 'supply.unknown')).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        why: "the zone's node gave no newer totalSupply of this contract",
      }),
    )
  })
})
