import { expect, test } from 'vitest'
import { noteCoverage } from '../../src/kernel/running/coverage.ts'
import { recount } from '../../src/ledger/amounts/flow.ts'
import { toStep } from '../../src/ledger/amounts/flowSteps.ts'
import { countLatency, latencyClass } from '../../src/ledger/lessons/latency.ts'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

const minute = 60_000
const day = 24 * 60 * minute

const only = (kind: string, text: string) =>
  `rules:\n  - { name: one, on: ${kind}, with: ${text}, severity: warning }\n`
const told = (run: ScenarioRun, kind: string) => run.alerts().filter((alert) => alert.kind === kind)

/** As if the daemon had run for a day, with so many withdrawals of a token in every quarter of an hour. */
function giveDay(
  { app, sandbox }: ScenarioRun,
  counts: Partial<Record<'started' | 'arrived', number>>,
): void {
  const { db } = app.parts
  const now = sandbox.world.now
  const token = sandbox.world.tokens[0]?.address ?? ''
  db.transaction(() => {
    db.prepare("DELETE FROM coverage WHERE source = 'transfers'").run()
    for (let at = now - day - 30 * minute; at <= now; at += 5 * minute) noteCoverage(db, 'transfers', at, day)
    for (let at = now - day - 30 * minute; at < now - 5 * minute; at += 5 * minute) {
      for (let n = 0; n < Math.max(counts.started ?? 0, counts.arrived ?? 0); n += 1) {
        const s = n < (counts.started ?? 0) ? toStep(at) : null
        const e = n < (counts.arrived ?? 0) ? toStep(at) : null
        const flow = JSON.stringify([String(n + 1), s, e, null])
        recount(db, null, {
          state: 'completed',
          token,
          direction: 'ZoneToMain',
          flow,
          originAt: at,
          destinationAt: null,
        })
      }
    }
  })
}

const payouts = (count: number) =>
  `name: x\ntraffic: { transfersPerMinute: 0 }\nhistory: { for: 1h, transfers: 0 }\ntimeline:\n` +
  `  - { at: 20s, fault: transfer.normal, direction: ZoneToMain, token: USDC, amount: "50", count: ${count}, spacing: 1s }\n`

test.each([
  [6, 1],
  [5, 0],
])('flow.surge: of at most five, %i payouts are told %i times', async (count, times) => {
  const rules = only('flow.surge', '{ window: 30m, maxCount: 5 }')
  const run = await runLeaping({ scenario: payouts(count), rules })
  if (times > 0) await run.untilTold('flow.surge', 3 * minute)
  else await run.pass(3 * minute)
  expect(told(run, 'flow.surge')).toHaveLength(times)
})

test.each([
  ['299.999999', 1],
  ['300', 0],
])('flow.surge: six payouts of 50 with a bound of %s are told %i times', async (bound, times) => {
  const rules = only('flow.surge', `{ window: 30m, maxAmount: { USDC: "${bound}" } }`)
  const run = await runLeaping({ scenario: payouts(6), rules })
  if (times > 0) await run.untilTold('flow.surge', 3 * minute)
  else await run.pass(3 * minute)
  expect(told(run, 'flow.surge')).toHaveLength(times)
})

const quietWorld = (extra: string) =>
  `name: x\ntraffic: { transfersPerMinute: 0 }\nhistory: { for: 1h, transfers: 0 }\ntimeline:\n${extra}`

test.each([
  ['nothing crosses', '  - { at: 2h, fault: transfer.failed }\n', true],
  [
    'one withdrawal crosses every few minutes',
    '  - { at: 1s, fault: transfer.normal, direction: ZoneToMain, count: 40, spacing: 3m }\n',
    false,
  ],
])('flow.quiet: after a busy day in which now %s is told or not', async (_, timeline, isTold) => {
  const rules = only('flow.quiet', '{ window: 5m, expected: 10 }')
  const run = await runLeaping({ scenario: quietWorld(timeline), rules })
  giveDay(run, { started: 10 })
  // The window, what may settle, and some turns of the loop.
  if (isTold) await run.untilTold('flow.quiet', 15 * minute)
  else await run.pass(9 * minute)
  expect(told(run, 'flow.quiet')).toHaveLength(isTold ? 1 : 0)
})

test.each([
  [250, 1],
  [400, 0],
])(
  'flow.imbalance: of about 290 transfers where %i are needed it is told %i times',
  async (needed, times) => {
    const rules = only('flow.imbalance', `{ ratio: 10, minCount: ${needed} }`)
    const scenario = quietWorld(
      '  - { at: 5s, fault: transfer.normal, direction: MainToZone, token: USDC, amount: "0.000001" }\n',
    )
    const run = await runLeaping({ scenario, rules })
    giveDay(run, { arrived: 1 })
    if (times > 0) await run.untilTold('flow.imbalance', 4 * minute)
    else await run.pass(2 * minute)
    expect(told(run, 'flow.imbalance')).toHaveLength(times)
  },
)

test.each(['nomad-2022', 'harmony-2022'])(
  '%s: flow.surge is told soon after copies passed their bound',
  async (name) => {
    const run = await runLeaping({ scenario: name })
    // The fifth copy: of nomad 21 s after the start, of harmony 15 s + 4 x 98 s.
    const passedMs = name === 'nomad-2022' ? 21_000 : 407_000
    const afterMs = await run.untilTold('flow.surge', 12 * minute)
    expect(afterMs - passedMs).toBeLessThan(2 * minute)
  },
)

test('stuck-2023: transfer.stalled is told per route soon after the learned limit', async () => {
  const run = await runLeaping({ scenario: 'stuck-2023' })
  const { db } = run.app.parts
  // What the routes usually took: the floor of the shipped rule, five minutes, is above three times that.
  db.transaction(() => {
    for (const direction of ['ZoneToMain', 'MainToZone'] as const) {
      for (let n = 0; n < 200; n += 1) {
        countLatency(db, 0, { token: '', direction, class: latencyClass(20_000) }, 1)
      }
    }
  })
  const stalled = () => told(run, 'transfer.stalled')
  const routes = () =>
    new Set(stalled().map(({ subject }) => run.app.parts.ledger.getTransfer(subject)?.direction))
  await run.untilTold('transfer.stalled', 9 * minute)
  for (let waitedMs = 0; routes().size < 2 && waitedMs < minute; waitedMs += 1_000) await run.pass(1_000)
  expect(routes().size).toBe(2)
  for (const { afterMs } of stalled()) expect(afterMs).toBeGreaterThanOrEqual(5 * minute)
  // The first of them left about 12 s after the start; its threshold is the floor.
  expect(Math.min(...stalled().map(({ afterMs }) => afterMs))).toBeLessThan(7.5 * minute)
})

test.each(['healthy', 'default'])('%s: nothing is told of the flow', async (scenario) => {
  const run = await runLeaping({ scenario })
  await run.pass(10 * minute)
  expect(run.alerts().filter(({ kind }) => kind.startsWith('flow.'))).toEqual([])
})

test.each([
  [4, 1],
  [2, 0],
])(
  'flow.failing: of a share of three tenths, %i failed beside eight are told %i times',
  async (count, times) => {
    // Longer than the test: of one that slides past the payouts the failures alone are left.
    const rules = only('flow.failing', '{ window: 10m, share: 0.3, minCount: 5, minDistinct: 2 }')
    const failed = `  - { at: 40s, fault: transfer.failed, direction: ZoneToMain, token: USDC, count: ${count}, spacing: 1s }\n`
    const run = await runLeaping({ scenario: payouts(8) + failed, rules })
    await run.pass(5 * minute)
    expect(told(run, 'flow.failing').length).toBe(times)
  },
)
