import { findingText } from '../support/readFinding.ts'
import { listEveryAnswer } from '../support/everyAnswer.ts'
import { describe, expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

const about = (run: ScenarioRun, kind: string) =>
  run.app.parts.db
    .prepare('SELECT severity, finding FROM alerts WHERE kind = ?')
    .all(kind)
    .map(({ severity, finding }) => {
      const { facts, labels } = JSON.parse(findingText(finding)) as { facts: object; labels: object }
      return { severity, ...labels, ...facts }
    })
const kinds = (run: ScenarioRun) => [...new Set(run.alerts().map(({ kind }) => kind))].sort()
const one = (fault: string) =>
  `name: one\ntraffic: { transfersPerMinute: 40 }\ntimeline:\n  - { at: 60s, ${fault} }\n`

describe('the zone has a second source: its own node', () => {
  test('a withdrawal that the explorer alone shows is contradicted by the node of the zone', async () => {
    const run = await runLeaping({
      scenario: one('fault: transfer.forged, chain: zone, token: USDC, amount: "5000"'),
      zoneRpc: true,
    })
    await run.untilTold('source.disagreement', 300_000)
    expect(about(run, 'source.disagreement')).toMatchObject([
      {
        severity: 'critical',
        source: 'zoneRpc',
        chain: 'zone',
        what: 'status',
        explorer: 'succeeded',
        node: 'does not exist',
      },
    ])
    await run.untilTold('transfer.unbacked', 300_000)
  })

  test('without it nobody sees that', async () => {
    const run = await runLeaping({
      scenario: one('fault: transfer.forged, chain: zone, token: USDC, amount: "5000"'),
    })
    await run.pass(300_000)
    expect(kinds(run)).toEqual([])
  })

  test('its node may be behind for as long as it likes: what it has not reached is not absent', async () => {
    const stalled = 'fault: head.stall, chain: zoneRpc, for: 3m'
    const run = await runLeaping({ scenario: one(stalled), zoneRpc: true })
    await run.pass(400_000)
    // That it is behind is said, as a warning: the chain itself goes on.
    expect(about(run, 'chain.stalled')).toMatchObject([{ severity: 'warning', what: 'the node is behind' }])
    expect(kinds(run)).toEqual(['chain.stalled'])
  })

  test('honest transfers of every kind raise nothing', async () => {
    const scenario = 'name: honest\ntraffic: { transfersPerMinute: 90, native: 0.1 }\n'
    const run = await runLeaping({ scenario, zoneRpc: true, secondSource: true })
    await run.pass(600_000)
    expect(kinds(run)).toEqual([])
    const asked = listEveryAnswer(run.app.parts.db).filter(
      ({ source, status }) => source === 'zoneRpc' && status === 'success',
    )
    expect(asked.length).toBeGreaterThan(500)
  })
})

describe('every block of the zone is looked into', () => {
  const hidden = one(
    'fault: transfer.unlisted, direction: ZoneToMain, arrives: false, count: 3, spacing: 20s',
  )

  test('withdrawals that the list hides are found, all of them', async () => {
    const run = await runLeaping({ scenario: hidden, zoneRpc: true })
    await run.untilTold('ledger.incomplete', 600_000)
    await run.pass(240_000)
    expect(about(run, 'ledger.incomplete')).toMatchObject([
      { count: 3, method: 'every zone block, by its logs' },
    ])
    expect(run.sandbox.requests.get('zoneRpc')).toBeGreaterThan(10)
  })
})
