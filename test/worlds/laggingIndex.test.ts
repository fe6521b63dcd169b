import { readFinding } from '../support/readFinding.ts'
import { describe, expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

// What an index does not show yet is not absent; what leaves meanwhile is told all the same.

const second = 1_000
const minute = 60 * second
const frozenAt = 150 * second
const accusing =
  /^(supply\.excess|escrow\.|transfer\.(unbacked|mismatch|duplicate|rewritten|failed)|ledger\.)/

interface Run extends ScenarioRun {
  /** What accuses somebody. */
  accused(): string[]
  says(kind: string): string[]
}

async function start(
  timeline: string,
  traffic = '{ transfersPerMinute: 60 }',
  nodes: { readonly zoneRpc?: boolean; readonly secondSource?: boolean } = {},
): Promise<Run> {
  const scenario = `name: lagging\ntraffic: ${traffic}\ntimeline:\n${timeline}\n`
  const run = await runLeaping({ scenario, ...nodes })
  return {
    ...run,
    accused: () =>
      run.alerts().flatMap(({ kind, subject }) => (accusing.test(kind) ? [`${kind} ${subject}`] : [])),
    says: (kind) =>
      run.app.parts.db
        .prepare('SELECT finding FROM alerts WHERE kind = ?')
        .all(kind)
        .map((row) => String(readFinding(row).evidence[0]?.says)),
  }
}

const freeze = (chain: 'main' | 'zone' | 'list', lasts: string) =>
  `  - { at: 150s, for: ${lasts}, fault: head.stall, chain: ${chain} }\n`

describe('semantics.md 41: an index that stands still accuses nobody of dense honest traffic', () => {
  test.each([
    ['zone', '60s', 5],
    ['zone', '120s', 6],
    ['zone', '10m', 14],
    ['list', '120s', 6],
    ['list', '10m', 14],
  ] as const)('the %s for %s', async (chain, lasts, minutes) => {
    const run = await start(freeze(chain, lasts))
    await run.pass(minutes * minute)
    expect(run.accused()).toEqual([])
    // Silent because it was looked at, not because nothing was.
    const completed = run.app.parts.ledger.listTransfers({ state: 'completed', limit: 1_000 })
    expect(completed.length).toBeGreaterThan(100)
  })
})

test.each(['main', 'zone', 'list'] as const)(
  'semantics.md 41: what the nodes of both chains show while the %s stands still accuses nobody',
  async (chain) => {
    const run = await start(freeze(chain, '10m'), undefined, { zoneRpc: true, secondSource: true })
    await run.pass(14 * minute)
    expect(run.accused()).toEqual([])
  },
)

test('a list that shows everything a minute late accuses nobody (semantics 9)', async () => {
  const run = await start('  []', '{ transfersPerMinute: 60, listLag: { min: 60s, max: 62s } }')
  await run.pass(6 * minute)
  expect(run.accused()).toEqual([])
})

describe('semantics.md 41: a thief who drains while the zone stands still is told', () => {
  const theft = async (fault: string) => {
    const run = await start(`${freeze('zone', '10m')}  - { at: 170s, ${fault} }`)
    const toldAt = await run.untilTold('escrow.drift', 400 * second)
    expect(toldAt).toBeGreaterThan(frozenAt)
    expect(toldAt - 170 * second).toBeLessThan(120 * second)
    return run
  }

  test('without an event', async () => {
    await theft('fault: escrow.drained, token: USDC, amount: "12000000"')
  })

  test('naming an invented origin: as what waits, and then as a theft', async () => {
    const run = await theft('fault: transfer.unbacked, token: USDC, amount: "12000000"')
    expect(run.says('escrow.drift').join()).toMatch(/the zone chain has shown nothing since \d{4}-/)
    await run.untilTold('transfer.unbacked', 15 * minute)
  })

  test('in many small ones that come to more than a twentieth together', async () => {
    const run = await theft('fault: transfer.unbacked, token: USDC, amount: "400000", count: 30')
    expect(run.says('escrow.drift').join()).toMatch(/the zone chain has shown nothing since \d{4}-/)
  })

  test('naming an origin that was paid before', async () => {
    const run = await start(
      `${freeze('zone', '10m')}  - { at: 170s, fault: transfer.duplicate, count: 3, age: 60s }`,
    )
    const told = () =>
      run.alerts().find(({ kind }) => /^(transfer\.(duplicate|unbacked)|escrow.drift)$/.test(kind))
    await run.pass(170 * second)
    for (let waited = 0; told() === undefined && waited < 150 * second; waited += second)
      await run.pass(second)
    expect((told()?.afterMs ?? Infinity) - 170 * second).toBeLessThan(120 * second)
  })
})
