import { describe, expect, test } from 'vitest'
import { shippedPoll } from '../support/incidents.ts'
import { noBridge } from '../support/appConfig.ts'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun, ScenarioRunOptions } from '../support/runScenario.ts'

/** The daemon in a world whose timeline is these lines. */
const run = (timeline: string, options: Partial<ScenarioRunOptions> = {}) =>
  runLeaping({ scenario: `name: one\nseed: 5\ntimeline:\n${timeline}\n`, ...options })

const kinds = (one: ScenarioRun) => [...new Set(one.alerts().map(({ kind }) => kind))]
/** Told of nothing of the kind after the fault has been read several times. */
async function expectSilence(one: ScenarioRun, kind: string, worldMs = 60_000): Promise<void> {
  await one.pass(worldMs)
  expect(kinds(one)).not.toContain(kind)
}

/** A sweep that comes round soon, and nothing but the list. */
const quietly: Partial<ScenarioRunOptions> = {
  config: { poll: { ...shippedPoll, sweepMs: 3_600_000 }, bridge: noBridge, preconf: null },
}

describe('times', () => {
  test('a payout 3 s older than its withdrawal is told', async () => {
    const one = await run('  - { at: 5s, fault: transfer.out_of_order, by: 4s, direction: ZoneToMain }')
    expect(await one.untilTold('transfer.out_of_order', 60_000)).toBeLessThan(60_000)
  })

  test('a payout less than 2 s older is not', async () => {
    const one = await run('  - { at: 5s, fault: transfer.out_of_order, by: 500ms, direction: ZoneToMain }')
    await expectSilence(one, 'transfer.out_of_order')
  })
})

describe('tokens', () => {
  test('one that bridge.tokens does not list is told once, however often it crosses', async () => {
    const one = await run(
      '  - { at: 5s, fault: transfer.normal, count: 5, token: ACME }\n  - { at: 15s, fault: transfer.normal, count: 5, token: ACME }',
      {
        config: {
          bridge: { ...noBridge, tokens: [{ address: `0x${'1'.repeat(40)}`, symbol: 'X', decimals: 6 }] },
        },
      },
    )
    await one.untilTold('transfer.unknown_token', 60_000)
    await one.pass(60_000)
    const told = one.alerts().filter(({ kind }) => kind === 'transfer.unknown_token')
    expect(new Set(told.map(({ subject }) => subject)).size).toBe(told.length)
    expect(told.length).toBeLessThanOrEqual(6)
  })

  test('is not told while all are listed', async () => {
    const one = await run('  - { at: 5s, fault: transfer.normal, count: 5, token: ACME }')
    await expectSilence(one, 'transfer.unknown_token')
  })
})

describe('amounts', () => {
  const rules = `rules:
  - name: large
    on: transfer.large
    where: transfer.token.symbol == "USDC" && transfer.amount >= amount("9000000.000001")
    severity: critical
`
  const at = (amount: string) => `  - { at: 5s, fault: transfer.normal, token: USDC, amount: "${amount}" }`

  test('one at the bound is told', async () => {
    const one = await run(at('9000000.000001'), { rules })
    await one.untilTold('transfer.large', 60_000)
    await one.pass(60_000)
    expect(one.alerts()).toHaveLength(1)
  })

  test('one that is one base unit below it is not', async () => {
    await expectSilence(await run(at('9000000'), { rules }), 'transfer.large')
  })

  // The escrow of the simulated bridge begins with 180 million USDC.
  const leaves = (amount: string) =>
    `  - { at: 100s, fault: transfer.normal, token: USDC, amount: "${amount}", direction: ZoneToMain }`

  test('one over a tenth of what the escrow holds is told by the shipped rule', async () => {
    await (await run(leaves('25000000'))).untilTold('transfer.large', 180_000)
  })

  test('half as much as a tenth of it is not', async () => {
    await expectSilence(await run(leaves('9000000')), 'transfer.large', 180_000)
  })
})

describe('batches', () => {
  test('one whose detail cannot be read is told', async () => {
    const one = await run('  - { at: 5s, fault: batch.bad }')
    await one.untilTold('batch.unresolved', 90_000)
    expect(kinds(one)).not.toContain('batch.mismatch')
  })

  test('one that does not add up is told', async () => {
    const one = await run('  - { at: 5s, fault: batch.bad, how: sum }')
    await one.untilTold('batch.mismatch', 90_000)
    expect(kinds(one)).not.toContain('batch.unresolved')
  })

  test('twenty whole ones are not', async () => {
    const one = await run(
      '  - { at: 5s, fault: transfer.normal, direction: ZoneToMain, token: SHARES, count: 20 }',
      {},
    )
    await one.pass(60_000)
    expect(kinds(one).filter((kind) => kind.startsWith('batch.'))).toEqual([])
  })
})

describe('payouts', () => {
  const withdrawal = '  - { at: 2s, fault: transfer.normal, direction: ZoneToMain, token: USDC, count: 3 }\n'

  test('one more for a withdrawal that was paid is told, and of the second one', async () => {
    const one = await run(`${withdrawal}  - { at: 60s, fault: transfer.duplicate, age: 10s }`, {})
    await one.untilTold('transfer.duplicate', 180_000)
    await one.pass(30_000)
    expect(one.alerts().filter(({ kind }) => kind === 'transfer.duplicate')).toHaveLength(1)
  })

  test('one for each of twenty equal withdrawals are not', async () => {
    const equal = 'direction: ZoneToMain, token: USDC, amount: "5", count: 20'
    const one = await run(
      `  - { at: 5s, fault: transfer.normal, ${equal}, targetAddress: "0x${'ab'.repeat(20)}" }`,
    )
    await expectSilence(one, 'transfer.duplicate', 90_000)
  })

  test('of a batch that moved too little are told', async () => {
    const one = await run('  - { at: 5s, fault: batch.bad, how: unpaid }')
    await one.untilTold('batch.mismatch', 180_000)
  })
})

describe('records that are gone', () => {
  test('for good are told after ten minutes', async () => {
    const one = await run('  - { at: 60s, fault: transfer.vanished, age: 20s }', quietly)
    expect(await one.untilTold('transfer.vanished', 1_200_000)).toBeGreaterThan(600_000)
  })

  test('for eight minutes are not', async () => {
    const one = await run('  - { at: 60s, for: 8m, fault: transfer.vanished, age: 20s }', quietly)
    await expectSilence(one, 'transfer.vanished', 1_000_000)
  })
})

describe('answers that do not hold up', () => {
  test('a fifth of them and more is told', async () => {
    const one = await run('  - { at: 5s, for: 300s, fault: api.disguised, share: 0.4 }')
    await one.untilTold('source.suspicious', 300_000)
  })

  test('one in twenty is not', async () => {
    const one = await run('  - { at: 5s, for: 300s, fault: api.disguised, share: 0.05 }')
    await expectSilence(one, 'source.suspicious', 200_000)
  })
})
