import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/lib/clock.ts'
import { toWatchYaml } from '../../src/sandbox/toWatchYaml.ts'
import { getTransfer, type Leg, type Transfer } from '../../src/sandbox/transfers.ts'
import { readBook, toUnits } from '../support/reportFiles.ts'
import { shippedPoll } from '../support/incidents.ts'
import { createLeapingClock } from '../support/leapingClock.ts'
import { runScenario } from '../support/runScenario.ts'
import { runCommand } from '../unit/cli/testIo.ts'

const scenario = `name: treasurers-day
seed: 31
traffic: { transfersPerMinute: 12 }
history: { for: 1h, transfers: 60 }
timeline:
  - { at: 10s, fault: transfer.duplicate }
  - { at: 30s, fault: transfer.unbacked, token: WETH, amount: "3.5" }
  - { at: 40s, fault: transfer.failed, direction: MainToZone, legs: both, token: USDC, amount: "12000" }
  - { at: 45s, fault: transfer.failed, token: USDC, amount: "777.77" }
  - { at: 50s, fault: transfer.stalled, token: USDC, amount: "18250.75" }
`
const noon = Date.parse('2026-05-05T12:00:00Z')
const columns = ['deposits', 'withdrawals', 'in_flight', 'failed', 'unbacked'] as const

test('3.5 WETH without origin, a withdrawal paid twice, 12,000 USDC failed and 18,250.75 USDC on their way: headline, table and files say so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-day-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const clock = createLeapingClock(noon)
  const run = await runScenario({
    scenario,
    clock,
    timeoutMs: 60_000,
    preconfIntervalMs: 30_000,
    config: { poll: shippedPoll, stateDir: join(folder, 'state') },
  })
  onTestFinished(() => run.stop())
  await run.pass(40 * 60_000)
  await run.app.stop()
  clock.stop()

  const config = join(folder, 'spanwatch.yaml')
  writeFileSync(config, toWatchYaml(run.sandbox))
  const { exitCode } = await runCommand(['report', '--date', '2026-05-05', '--out', folder, '-c', config], {
    clock: { ...createSystemClock(), now: () => clock.now() },
  })
  expect(exitCode).toBe(0)
  const text = readFileSync(join(folder, 'report-2026-05-05.txt'), 'utf8')
  const now = clock.now()
  const transfers = run.sandbox.world.keys.map((_, number) => getTransfer(run.sandbox.world, number))
  const [head = ''] = text.split('==')
  const headline = head.replace(/\s+/g, ' ')
  for (const said of [
    '3.5 WETH paid without origin',
    'USDC paid twice',
    '12,000 USDC failed',
    '18,250.75 USDC in flight for',
  ])
    expect(headline).toContain(said)
  expect(headline).not.toContain('777.77')

  const book = readBook(readFileSync(join(folder, 'book-2026-05-05.csv'), 'utf8'))
  for (const [symbol, decimals] of [
    ['USDC', 6],
    ['WETH', 18],
  ] as const) {
    const has = (leg: Leg | null) => leg !== null && leg.at <= now
    const sum = (fits: (one: Transfer) => boolean) =>
      toUnits(
        transfers
          .filter((one) => one.token.symbol === symbol && fits(one))
          .reduce((total, { amountRaw }) => total + amountRaw, 0n),
        decimals,
      )
    const isForged = ({ special }: Transfer) =>
      special.originAbsent !== undefined || special.sameOriginAs !== undefined
    const hasFailed = (one: Transfer) => one.special.zoneError !== undefined
    const row = book[symbol] ?? {}
    const said = Object.fromEntries(columns.map((name) => [name, row[`${name}_amount`]]))
    expect({ symbol, ...said }).toEqual({
      symbol,
      deposits: sum((one) => one.direction === 'MainToZone' && has(one.main)),
      withdrawals: sum((one) => one.direction === 'ZoneToMain' && has(one.main) && !isForged(one)),
      in_flight: sum(
        (one) =>
          !hasFailed(one) &&
          (one.direction === 'MainToZone'
            ? has(one.main) && !has(one.zone)
            : has(one.zone) && !has(one.main)),
      ),
      // What failed where it set out never left.
      failed: sum((one) => hasFailed(one) && has(one.main)),
      unbacked: sum(isForged),
    })
  }
})
