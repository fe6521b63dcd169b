import { describe, expect, test } from 'vitest'
import { unexplainedOf } from '../../src/checks/escrow/accounts/readAccounts.ts'
import { listEscrowTokens } from '../../src/checks/escrow/owed/owedStore.ts'
import type { Database } from '../../src/store/database.ts'
import { runLeaping } from '../support/leapingScenario.ts'

const minute = 60_000

async function start(options: Parameters<typeof runLeaping>[0]) {
  const run = await runLeaping(options)
  return { ...run, of: (kind: string) => run.alerts().filter((alert) => alert.kind === kind) }
}

/** What is not explained of each token, base units, where it is anything. */
function unexplainedIn(db: Database): bigint[] {
  const kept = listEscrowTokens(db).flatMap(({ accounts }) => accounts ?? [])
  expect(kept.length).toBeGreaterThan(0)
  return kept.map(unexplainedOf).filter((raw) => raw !== 0n)
}

test.each([
  { scenario: 'multichain-2023', kind: 'escrow.drift', firstAt: 15_000 },
  { scenario: 'poly-2021', kind: 'escrow.drift', firstAt: 30_000 },
  { scenario: 'ronin-2022', kind: 'escrow.drift', firstAt: 15_000 },
])(
  '$scenario tells $kind',
  async ({ scenario, kind, firstAt }) => {
    const run = await start({ scenario })
    // Two minutes are promised; the rest is for a busy machine, whose time is stretched too.
    expect(await run.untilTold(kind, firstAt + 4 * minute)).toBeLessThan(firstAt + 4 * minute)
    expect(run.of(kind)[0]).toMatchObject({ severity: 'critical', state: 'firing' })
  },
  240_000,
)

test('a credit without a deposit is told as a shortfall', async () => {
  const run = await start({
    scenario:
      'name: mint\ntimeline:\n  - { at: 60s, fault: transfer.unbacked, direction: MainToZone, token: WETH, amount: "120000" }\n',
  })
  await run.untilTold('escrow.shortfall', 5 * minute)
  await run.pass(2 * minute)
  // All else that crossed meanwhile is accounted for, to the last digit.
  expect(unexplainedIn(run.app.parts.db)).toEqual([-120_000n * 10n ** 18n])
}, 240_000)

test('an operator below its minBalance is told', async () => {
  const run = await start({
    scenario: 'name: low\ntimeline:\n  - { at: 5s, fault: operator.low_balance }\n',
  })
  await run.untilTold('operator.low_balance', 2 * minute)
}, 240_000)

describe('escrow.headroom', () => {
  const withdraws = (amount: string) =>
    start({
      scenario: `name: large\ntimeline:\n  - { at: 60s, fault: transfer.stalled, token: USDC, amount: "${amount}" }\n`,
    })

  test('withdrawals on their way that want more than the escrow holds are told', async () => {
    const run = await withdraws('900000000000')
    const toldAt = await run.untilTold('escrow.headroom', 6 * minute)
    expect(toldAt).toBeLessThan(4 * minute)
    expect(run.of('escrow.headroom')).toMatchObject([{ severity: 'critical' }])
  })

  test('a large withdrawal that is well covered is not', async () => {
    const run = await withdraws('100000')
    await run.pass(5 * minute)
    expect(run.of('escrow.headroom')).toEqual([])
    const judged = run.app.parts.db.prepare('SELECT count(*) AS n FROM escrow_headroom WHERE held > 0').get()
    expect(judged?.['n']).toBeGreaterThan(0)
  })
})

test('a healthy bridge makes none of these checks speak', async () => {
  const run = await start({ scenario: 'healthy' })
  await run.pass(3 * minute)
  const own = /^(escrow|operator|challenge)\./
  expect(run.alerts().filter(({ kind }) => own.test(kind))).toEqual([])
  const { holdings } = run.app.parts.db
    .prepare('SELECT count(*) AS holdings FROM escrow_tokens WHERE judged_at IS NOT NULL')
    .get() as { holdings: number }
  // Silent because it was looked at, not because it was not.
  expect(holdings).toBeGreaterThan(0)
  expect(unexplainedIn(run.app.parts.db)).toEqual([])
}, 240_000)
