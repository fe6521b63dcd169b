import { describe, expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRunOptions } from '../support/runScenario.ts'

const second = 1_000

async function start(scenario: string, options: Partial<ScenarioRunOptions> = {}) {
  const run = await runLeaping({ scenario: `name: escrow\n${scenario}`, ...options })
  const { db } = run.app.parts
  return {
    ...run,
    told: (pattern = /^(escrow\.|transfer\.(mismatch|unbacked|unknown))/) =>
      run.alerts().filter(({ kind }) => pattern.test(kind)),
    /** Tokens whose balance was set against what is owed. */
    judged: () =>
      Number(db.prepare('SELECT count(*) AS n FROM escrow_tokens WHERE judged_at IS NOT NULL').get()?.['n']),
  }
}

describe('records that name the zone’s address of each token', () => {
  const named = 'answers: { recordTokens: zone }\n'
  /** The configuration names what the escrow holds by its address on the main chain, and what records name. */
  const bridge: ScenarioRunOptions['bridge'] = ({ tokens }) => ({
    tokens: tokens.map(({ zoneAddress, symbol, decimals }) => ({ address: zoneAddress, symbol, decimals })),
  })

  test('nothing is told of a healthy bridge, and its escrow is judged', async () => {
    const run = await start(`${named}timeline: []\n`, { bridge })
    await run.pass(300 * second)
    expect(run.told()).toEqual([])
    expect(run.judged()).toBeGreaterThan(0)
  })

  test('a theft from the escrow is told', async () => {
    const timeline = '  - { at: 90s, fault: escrow.drained, token: USDC, amount: "1000" }\n'
    const run = await start(`${named}timeline:\n${timeline}`, { bridge })
    expect((await run.untilTold('escrow.drift', 400 * second)) - 90 * second).toBeLessThan(120 * second)
  })

  test('a credit without a deposit is told as a shortfall', async () => {
    const timeline =
      '  - { at: 90s, fault: transfer.unbacked, direction: MainToZone, token: USDC, amount: "120000" }\n'
    const run = await start(`${named}timeline:\n${timeline}`, { bridge })
    await run.untilTold('escrow.shortfall', 400 * second)
  })
})

describe('escrow.drift', () => {
  test('money that leaves without a transfer is told', async () => {
    const run = await start('timeline:\n  - { at: 60s, fault: escrow.drained, token: USDC, amount: "25" }\n')
    expect((await run.untilTold('escrow.drift', 400 * second)) - 60 * second).toBeLessThan(120 * second)
  })

  test('payouts whose records come late, but within their time, are not', async () => {
    const run = await start('traffic: { listLag: { min: 25s, max: 45s } }\ntimeline: []\n')
    await run.pass(240 * second)
    expect(run.told()).toEqual([])
    expect(run.judged()).toBeGreaterThan(0)
  })
})

describe('escrow.shortfall', () => {
  const onItsWay =
    '  - { at: 20s, fault: transfer.stalled, direction: ZoneToMain, token: USDC, amount: "50000" }\n'

  test('a credit without a deposit is told although a larger withdrawal is on its way', async () => {
    const mint =
      '  - { at: 60s, fault: transfer.unbacked, direction: MainToZone, token: USDC, amount: "20000" }\n'
    const run = await start(`timeline:\n${onItsWay}${mint}`)
    await run.untilTold('escrow.shortfall', 600 * second)
  })

  test('a withdrawal on its way, and payouts whose records come late, are not', async () => {
    const run = await start(
      `traffic: { listLag: { min: 25s, max: 45s }, withdrawalLatency: { min: 1m, max: 2m } }\ntimeline:\n${onItsWay}`,
    )
    await run.pass(420 * second)
    expect(run.told()).toEqual([])
    expect(run.judged()).toBeGreaterThan(0)
  })
})
