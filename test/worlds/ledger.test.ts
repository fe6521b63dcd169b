import { describe, expect, onTestFinished, test } from 'vitest'
import { createLeapingClock } from '../support/leapingClock.ts'
import { shippedPoll } from '../support/incidents.ts'
import { type ScenarioRunOptions, runScenario } from '../support/runScenario.ts'

const second = 1_000
const minute = 60 * second

/** An audit every half minute; the sweep looks five minutes back, so that older records are the audit's alone. */
const poll = { ...shippedPoll, audit: '*/30 * * * * *', sweepMs: 5 * minute }

/** Nothing but the bridge's in the blocks: then the sample of the zone's blocks holds most of them. */
const plain = 'traffic: { blockTransactions: 0 }\n'

async function start(scenario: string, options: Partial<ScenarioRunOptions> = {}) {
  const clock = createLeapingClock()
  const run = await runScenario({
    scenario: `name: ledger\n${scenario}\n`,
    clock,
    preconfIntervalMs: 5 * second,
    config: { poll, start: { from: { kind: 'ago', ms: 60 * minute } } },
    ...options,
  })
  onTestFinished(async () => {
    await run.stop()
    clock.stop()
  })
  return {
    ...run,
    incomplete: () => run.alerts().filter(({ kind }) => kind === 'ledger.incomplete'),
    /** Every kind that says that something lacks or came from nowhere. */
    told: () =>
      run.alerts().filter(({ kind }) => /^(ledger|transfer\.(unbacked|vanished|duplicate))/.test(kind)),
  }
}

describe('ledger.incomplete, of the list', () => {
  test('a record that only a range of heights shows is told, and recorded', async () => {
    const run = await start(
      // By then the history is read, the sweep does not look so far back, and nothing on the chains is watched.
      'history: { for: 2h, transfers: 3600 }\ntimeline:\n  - { at: 6m, fault: transfer.late, behind: 45m, direction: ZoneToMain, token: USDC, amount: "777.25" }',
      { contracts: () => [], bridge: () => ({ escrows: [], operators: [] }) },
    )
    await run.untilTold('ledger.incomplete', 20 * minute)
    expect(run.told()).toMatchObject([{ kind: 'ledger.incomplete', subject: 'list' }])
    const { ledger } = run.app.parts
    expect(
      ledger.listTransfers({ limit: 10_000 }).filter(({ amountRaw }) => amountRaw === 777_250_000n),
    ).toHaveLength(1)
  })

  test('records that come late, but within their time, are not', async () => {
    const run = await start('traffic: { listLag: { min: 30s, max: 50s } }\ntimeline: []')
    await run.pass(6 * minute)
    expect(run.told()).toEqual([])
    const audited = run.app.parts.db.prepare("SELECT value FROM audit_state WHERE name = 'list'").get()
    // Silent because it was looked at, not because it was not.
    expect(JSON.parse(String(audited?.['value'])).marks.length).toBeGreaterThan(3)
  })
})

describe('ledger.incomplete, of the chains', () => {
  test('a deposit that only an event of the contract tells of is told', async () => {
    const run = await start(
      'timeline:\n  - { at: 60s, fault: transfer.unlisted, direction: MainToZone, token: USDC, amount: "777.25" }',
    )
    await run.untilTold('ledger.incomplete', 8 * minute)
    expect(run.told()).toMatchObject([{ kind: 'ledger.incomplete', subject: 'event' }])
  })

  test('one whose record comes late, but within its time, is not', async () => {
    const run = await start(
      'timeline:\n  - { at: 60s, for: 50s, fault: transfer.unlisted, direction: MainToZone, token: USDC, amount: "777.25" }',
    )
    await run.pass(6 * minute)
    expect(run.told()).toEqual([])
  })

  test('withdrawals that only a sample of the zone blocks shows are told (semantics 21)', async () => {
    const run = await start(
      `${plain}timeline:\n  - { at: 3m, fault: transfer.unlisted, direction: ZoneToMain, arrives: false, token: USDC, amount: "777.25", count: 8, spacing: 30s }`,
    )
    await run.untilTold('ledger.incomplete', 12 * minute)
    expect(run.told()).toMatchObject([{ kind: 'ledger.incomplete', subject: 'zone' }])
  })

  test('one whose record comes late, but within its time, is not', async () => {
    const run = await start(
      `${plain}timeline:\n  - { at: 3m, for: 50s, fault: transfer.unlisted, direction: ZoneToMain, arrives: false, token: USDC, amount: "777.25" }`,
    )
    await run.pass(9 * minute)
    expect(run.told()).toEqual([])
  })
})
