import { describe, expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRunOptions } from '../support/runScenario.ts'

const second = 1_000

async function start(timeline: string, options: Partial<ScenarioRunOptions> = {}) {
  const run = await runLeaping({ scenario: `name: chains\ntimeline:\n${timeline}\n`, ...options })
  return {
    ...run,
    of: (kind: string) => run.alerts().filter((alert) => alert.kind === kind),
  }
}

describe('chain.stalled', () => {
  test.each([
    { chain: 'main', lasts: '5m', boundMs: 120 * second },
    { chain: 'zone', lasts: '5m', boundMs: 60 * second },
  ])(
    'the $chain chain that stands still for longer than the bound is told',
    async ({ chain, lasts, boundMs }) => {
      const run = await start(`  - { at: 20s, for: ${lasts}, fault: head.stall, chain: ${chain} }`)
      const toldAt = await run.untilTold('chain.stalled', 400 * second)
      expect(toldAt).toBeGreaterThanOrEqual(20 * second + boundMs)
      expect(toldAt).toBeLessThan(20 * second + boundMs + 60 * second)
      expect(run.of('chain.stalled')).toMatchObject([{ subject: chain, severity: 'critical' }])
    },
  )

  test.each([
    { chain: 'main', lasts: '95s' },
    { chain: 'zone', lasts: '35s' },
  ])('the $chain chain that stands still for $lasts is not', async ({ chain, lasts }) => {
    const run = await start(`  - { at: 20s, for: ${lasts}, fault: head.stall, chain: ${chain} }`)
    await run.pass(200 * second)
    expect(run.of('chain.stalled')).toEqual([])
  })

  /** The explorer stands still, the canonical RPC goes on. */
  const behind = (lasts: string) =>
    start(`  - { at: 20s, for: ${lasts}, fault: head.stall, chain: main, rpc: false }`, {
      secondSource: true,
    })

  test('an explorer that stays behind the canonical RPC is told', async () => {
    const run = await behind('6m')
    await run.untilTold('chain.stalled', 400 * second)
    expect(run.of('chain.stalled')).toMatchObject([{ subject: 'main', severity: 'warning' }])
  })

  test('a chain that stands still as a whole is told as that, and not as an explorer that is behind', async () => {
    const run = await start('  - { at: 20s, for: 8m, fault: head.stall, chain: main }', {
      secondSource: true,
    })
    await run.untilTold('chain.stalled', 400 * second)
    await run.pass(200 * second)
    expect(run.of('chain.stalled')).toMatchObject([{ subject: 'main', severity: 'critical' }])
  })

  test('one that catches up in time is not', async () => {
    const run = await behind('50s')
    await run.pass(200 * second)
    expect(run.of('chain.stalled')).toEqual([])
  })
})

describe('operator.low_balance', () => {
  const holds = (wei: string) => `  - { at: 5s, fault: operator.low_balance, wei: "${wei}" }`

  test('one wei below the least is told', async () => {
    const run = await start(holds('499999999999999999'))
    await run.untilTold('operator.low_balance')
  })

  test('the least itself is not', async () => {
    const run = await start(holds('500000000000000000'))
    await run.pass(100 * second)
    expect(run.of('operator.low_balance')).toEqual([])
    const { n } =
      run.app.parts.db.prepare('SELECT count(*) AS n FROM operators WHERE balance IS NOT NULL').get() ?? {}
    expect(n).toBe(1)
  })
})

describe('operator.quiet', () => {
  const rules = 'rules:\n  - { name: quiet, on: operator.quiet, with: { after: 3m }, severity: warning }\n'
  const stops = (lasts: string) =>
    `  - { at: 20s, for: ${lasts}, fault: route.stopped, direction: ZoneToMain }`

  test('one that sends nothing for longer than the rule says, while value crosses, is told', async () => {
    const run = await start(stops('15m'), { rules })
    expect(await run.untilTold('operator.quiet', 600 * second)).toBeGreaterThan(180 * second)
  })

  test('one that sends again before that is not', async () => {
    const run = await start(stops('100s'), { rules })
    await run.pass(300 * second)
    expect(run.of('operator.quiet')).toEqual([])
  })

  test('one that has nothing to do, because nothing crosses, is not', async () => {
    const run = await start('  - { at: 5s, fault: flow.quiet }\n  - { at: 60s, fault: route.stopped }', {
      rules,
    })
    await run.pass(400 * second)
    expect(run.of('operator.quiet')).toEqual([])
  })

  test('one that rested while nothing crossed has as long again once something does', async () => {
    const run = await start('  - { at: 5s, for: 400s, fault: flow.quiet }', { rules })
    await run.pass(560 * second)
    expect(run.of('operator.quiet')).toEqual([])
  })
})

describe('contract.changed, by the verified source alone', () => {
  test.each([
    { what: 'upgraded', differs: 'implementation' },
    { what: 'recompiled', differs: 'compiler' },
  ])('another $differs, without an event, is told within two minutes', async ({ what }) => {
    const run = await start(`  - { at: 60s, fault: contract.changed, what: ${what}, quietly: true }`)
    expect((await run.untilTold('contract.changed', 400 * second)) - 60 * second).toBeLessThan(120 * second)
    expect(run.of('contract.changed')).toMatchObject([{ severity: 'critical' }])
  })

  test('an upgrade that its event has told is told once', async () => {
    const run = await start('  - { at: 60s, fault: contract.changed, what: upgraded }')
    await run.untilTold('contract.changed', 400 * second)
    await run.pass(180 * second)
    expect(run.of('contract.changed')).toHaveLength(1)
  })

  test('answers that come empty are no change', async () => {
    const run = await start('  - { at: 30s, for: 5m, fault: api.disguised, share: 0.6, endpoints: [E17] }')
    await run.pass(300 * second)
    expect(run.of('contract.changed')).toEqual([])
  })
})
