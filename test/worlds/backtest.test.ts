import { expect, test } from 'vitest'
import { kinds } from '../../src/checks/index.ts'
import { type Backtest, runBacktest } from '../../src/replay/backtest/runBacktest.ts'
import { loadRules } from '../../src/rules/loadRules.ts'
import { calmPoll, createBridgeWorld, user } from '../support/bridgeWorld.ts'
import { runLeaping } from '../support/leapingScenario.ts'
import type { Monitor } from '../support/startMonitor.ts'

const second = 1_000
const minute = 60_000

/** What the daemon raised of each rule, and when; a rule that raised nothing is not named. */
function firedBy({ app }: Pick<Monitor, 'app'>) {
  return app.parts.db
    .prepare('SELECT rule, subject, fired_at FROM alerts WHERE fired_at IS NOT NULL ORDER BY rule, subject')
    .all()
    .map((row) => ({
      rule: String(row['rule']),
      subject: String(row['subject']),
      at: Number(row['fired_at']),
    }))
}

/** The same of a backtest over what that daemon left behind. */
function replayedBy(result: Backtest) {
  return result.rules
    .flatMap(({ rule, examples }) => examples.map(({ subject, at }) => ({ rule, subject, at })))
    .toSorted((a, b) => `${a.rule} ${a.subject}`.localeCompare(`${b.rule} ${b.subject}`))
}

function replay({ app }: Pick<Monitor, 'app'>, text: string, until: number): Backtest {
  const loaded = loadRules([{ path: 'rules.yaml', text }], kinds)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const { config, db, ledger } = app.parts
  const rules = loaded.rules.filter(({ name }) => text.includes(`name: ${name},`))
  return runBacktest({ db, ledger, bridge: config.bridge, rules, since: 0, until })
}

/** Equal but for time: the daemon has to read first what the ledger knows by now. */
function expectSame(run: Pick<Monitor, 'app'>, rules: string, until: number, withinMs: number): void {
  const fired = firedBy(run)
  const replayed = replayedBy(replay(run, rules, until))
  const named = (all: typeof fired) => all.map(({ rule, subject }) => `${rule} ${subject}`)
  expect(named(replayed)).toEqual(named(fired))
  for (const [n, { rule, at }] of fired.entries())
    expect([rule, Math.abs(at - (replayed[n]?.at ?? 0)) <= withinMs]).toEqual([rule, true])
}

const flows = `rules:
  - { name: copies, on: flow.surge, with: { window: 10m, copies: 5 }, severity: warning }
  - { name: few-copies, on: flow.surge, with: { window: 10m, copies: 9 }, severity: warning }
  - { name: bound, on: flow.surge, with: { window: 5m, maxAmount: { USDC: "299" } }, severity: warning }
  - { name: high-bound, on: flow.surge, with: { window: 5m, maxAmount: { USDC: "301" } }, severity: warning }
  - { name: failing, on: flow.failing, with: { window: 5m, share: 0.3, minCount: 5, minDistinct: 2 }, severity: warning }
  - { name: failing-more, on: flow.failing, with: { window: 5m, share: 0.9, minCount: 5, minDistinct: 2 }, severity: warning }
`

test('of flows it raises what the daemon raised, and nothing else', async () => {
  const scenario = `name: x
traffic: { transfersPerMinute: 0 }
history: { for: 1h, transfers: 0 }
timeline:
  - { at: 60s, fault: transfer.normal, direction: ZoneToMain, token: USDC, amount: "50", count: 6, spacing: 1s }
  - { at: 3m, fault: transfer.failed, direction: ZoneToMain, token: USDC, count: 4, spacing: 1s }
`
  const run = await runLeaping({ scenario, rules: flows })
  await run.pass(12 * minute)
  expect(new Set(firedBy(run).map(({ rule }) => rule))).toEqual(new Set(['copies', 'bound', 'failing']))
  expectSame(run, flows, run.sandbox.world.now, 90 * second)
})

const funds = `rules:
  - { name: short, on: escrow.shortfall, severity: critical }
  - { name: gas, on: operator.low_balance, with: { below: "1000000" }, severity: warning }
  - { name: little-gas, on: operator.low_balance, with: { below: "0.000001" }, severity: warning }
`

test('of escrows and operators it raises what the daemon raised, and nothing else', async () => {
  const mint = 'fault: transfer.unbacked, direction: MainToZone, token: USDC, amount: "120000"'
  const run = await runLeaping({
    scenario: `name: x\ntimeline:\n  - { at: 5m, ${mint} }\n`,
    rules: funds,
  })
  await run.untilTold('escrow.shortfall', 20 * minute)
  await run.pass(5 * minute)
  expect(new Set(firedBy(run).map(({ rule }) => rule))).toEqual(new Set(['short', 'gas']))
  // An hour is as finely as an operator's balance is kept, a minute that of an escrow.
  expectSame(run, funds, run.sandbox.world.now, 60 * minute)
  const [short] = replay(run, funds, run.sandbox.world.now).rules
  expect([
    short?.told,
    Math.abs((short?.firstAt ?? 0) - (firedBy(run).at(-1)?.at ?? 0)) < 2 * minute,
  ]).toEqual([1, true])
})

test('an honest world raises nothing, neither then nor afterwards', async () => {
  const lines = [...funds.split('\n'), ...flows.split('\n')]
  const rules = `rules:\n${lines.filter((line) => /short|little|failing|copies/.test(line)).join('\n')}\n`
  const run = await runLeaping({ scenario: 'name: x\ntimeline: []\n', rules })
  await run.pass(8 * minute)
  expect(firedBy(run)).toEqual([])
  expectSame(run, rules, run.sandbox.world.now, 0)
})

const probed = `rules:
  - { name: missed, on: probe.missed, with: { within: 5m }, severity: critical }
  - { name: missed-longer, on: probe.missed, with: { within: 20m }, severity: critical }
`

test('of probes it raises what the daemon raised, and nothing else', async () => {
  const prober = user(7)
  const world = await createBridgeWorld({
    rules: probed,
    bridge: { probes: [{ address: prober, direction: 'ZoneToMain', everyMs: 10 * minute }] },
    config: { poll: calmPoll },
  })
  const probe = (n: number) =>
    world.withdraw(7, {
      id: `0x${String(n).padStart(64, '0')}`,
      zoneTxHash: `0x${String(n).padStart(64, 'a')}`,
      mainTxHash: `0x${String(n).padStart(64, 'b')}`,
      zoneBlockTime: String(world.now()),
      mainBlockTime: String(world.now() + 20 * second),
    })
  probe(1)
  await world.pass(18 * minute)
  probe(2)
  await world.pass(12 * minute)
  const run = world.monitor
  expect(firedBy(run).map(({ rule }) => rule)).toEqual(['missed'])
  expectSame(run, probed, world.now(), 2 * minute)
  expect(replay(run, probed, world.now()).rules[0]).toMatchObject({ told: 1, resolved: 1 })
})

const staged = `rules:
  - { name: again, on: transfer.prove_again, severity: warning }
  - { name: late, on: transfer.stage_overdue, with: { stage: left, after: 3m }, severity: warning }
  - { name: later, on: transfer.stage_overdue, with: { stage: left, after: 30m }, severity: warning }
  - { name: proposer, on: proposal.overdue, with: { within: 4m }, severity: critical }
  - { name: proposer-longer, on: proposal.overdue, with: { within: 30m }, severity: critical }
`

const runStaged = (scenario: string) =>
  runLeaping({
    scenario,
    rules: staged,
    config: { poll: calmPoll },
    preconfIntervalMs: 30_000,
  })

test('of stages it raises what the daemon raised, and nothing else', async () => {
  const scenario = `name: x
traffic: { transfersPerMinute: 3, depositShare: 1 }
history: { for: 10m, transfers: 30 }
stages: { every: 2m, prove: { min: 5s, max: 30s }, dispute: 6m, claim: { min: 5s, max: 30s } }
timeline:
  - { at: 90s, fault: transfer.normal, direction: ZoneToMain, token: USDC, amount: "50", count: 2, spacing: 2s }
  - { at: 6m30s, fault: proposal.removed, back: 5m }
  - { at: 7m, fault: proposal.stopped }
  - { at: 9m, fault: transfer.normal, direction: ZoneToMain, token: USDC, amount: "70" }
`
  const run = await runStaged(scenario)
  await run.pass(18 * minute)
  expect(new Set(firedBy(run).map(({ rule }) => rule))).toEqual(new Set(['again', 'late', 'proposer']))
  // Logs are read some two minutes after their block.
  expectSame(run, staged, run.sandbox.world.now, 4 * minute)
})

test('of stages of a bridge that nobody has used it raises what the daemon raised', async () => {
  const run = await runStaged(`name: x
traffic: { transfersPerMinute: 0 }
history: { for: 10m, transfers: 0 }
stages: { every: 2m }
timeline: [{ at: 0s, fault: proposal.stopped }]
`)
  await run.pass(12 * minute)
  expect(firedBy(run).map(({ rule }) => rule)).toEqual(['proposer'])
  expectSame(run, staged, run.sandbox.world.now, minute)
})

test('of stages it says nothing while nothing of the main chain was shown', async () => {
  const run = await runStaged(`name: x
traffic: { transfersPerMinute: 0 }
history: { for: 10m, transfers: 0 }
stages: { every: 2m }
timeline:
  - { at: 0s, fault: proposal.stopped }
  - { at: 0s, for: 1h, fault: api.disguised, endpoints: [E11] }
`)
  await run.pass(12 * minute)
  expect([firedBy(run), replayedBy(replay(run, staged, run.sandbox.world.now))]).toEqual([[], []])
})
