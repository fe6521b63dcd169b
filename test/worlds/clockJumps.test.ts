import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createLeapingClock, type LeapingClock } from '../support/leapingClock.ts'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun, ScenarioRunOptions } from '../support/runScenario.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** The shipped rules, but for how long a deposit may take: so that little time has to pass. */
const limitMs = 4 * minute
function shippedRules(): string {
  const folder = join(import.meta.dirname, '../../rules')
  const names = readdirSync(folder).filter((name) => /(?<!\.test)\.yaml$/.test(name))
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8').split(/^rules:\n/m)[1] ?? '')
  const text = `rules:\n${texts.join('\n')}`
  const shortened = text.replace('direction: MainToZone, after: 10m', 'direction: MainToZone, after: 4m')
  expect(shortened).not.toBe(text)
  return shortened
}

type Run = ScenarioRun & { readonly clock: LeapingClock }

async function start(timeline: readonly string[], options: Partial<ScenarioRunOptions> = {}): Promise<Run> {
  const clock = createLeapingClock()
  const faults = timeline.map((fault) => `  - { ${fault} }\n`).join('')
  const run = await runLeaping({
    scenario: `name: jumps\ntraffic: { transfersPerMinute: 10 }\ntimeline:${faults === '' ? ' []\n' : `\n${faults}`}`,
    rules: shippedRules(),
    secondSource: true,
    clock,
    ...options,
  })
  return { ...run, clock }
}

/** Lets time pass until so long after the start, by what really passed. */
async function passUntil(run: Run, ms: number): Promise<void> {
  await run.pass(Math.max(0, ms - run.clock.monotonicMs()))
}

/** What was told but the jumps themselves, as it is now; by one rule or by several. */
const told = (run: Run) => {
  const lines = run
    .alerts()
    .filter(({ kind, state }) => kind !== 'monitor.clock_jump' && state !== 'pending')
    .map(({ kind, subject, state }) => `${kind} ${subject} ${state}`)
  return [...new Set(lines)].sort()
}
const kinds = (run: Run) => run.alerts().map(({ kind }) => kind)
const stalls = (run: Run) => [
  ...new Set(run.alerts().flatMap(({ kind, subject }) => (kind === 'transfer.stalled' ? [subject] : []))),
]

/** Lets time pass until so many are told to have stalled. @returns when that was, by what really passed */
async function untilStalled(run: Run, count: number, withinMs: number): Promise<number> {
  const endMs = run.clock.monotonicMs() + withinMs
  while (stalls(run).length < count && run.clock.monotonicMs() < endMs) await run.pass(second)
  expect(stalls(run)).toHaveLength(count)
  return run.clock.monotonicMs()
}

const stalled = (at: string, rest = '') =>
  `at: ${at}, fault: transfer.stalled, direction: MainToZone, token: USDC, amount: "50000"${rest}`

/** One has stalled before the clock is moved at 5m, one is under way and arrives, one stalls after it, one leaves after it. */
const transfers = [stalled('10s'), stalled('4m30s', ', for: 90s'), stalled('4m40s'), stalled('6m')]
const promisedMs = 30 * second

async function checkTransfers(run: Run, sleptMs: number): Promise<void> {
  const [open] = stalls(run)
  const before = told(run)
  expect(before).toEqual([`transfer.stalled ${open} firing`])
  await passUntil(run, 7 * minute)
  // Whoever slept through its limit has stalled.
  if (sleptMs < limitMs) {
    expect(told(run)).toEqual(before)
    expect(await untilStalled(run, 2, 3 * minute)).toBeLessThan(4.7 * minute + limitMs + promisedMs)
  }
  expect(await untilStalled(run, 3, 5 * minute)).toBeLessThan(6 * minute + limitMs + promisedMs)
  expect(told(run)).toEqual(
    stalls(run)
      .map((subject) => `transfer.stalled ${subject} firing`)
      .sort(),
  )
}

describe.each([10 * second, -10 * second, hour, -hour, day, -day])(
  'F67, semantics.md 42: a clock that is set by %i ms',
  (byMs) => {
    const jumps = Math.abs(byMs) > 30 * second ? 2 : 0

    test('and right again begins and ends nothing but what begins and ends without it', async () => {
      const run = await start(transfers)
      await passUntil(run, 5 * minute)
      run.clock.jump(byMs)
      await checkTransfers(run, 0)
      const before = told(run)
      run.clock.jump(-byMs)
      await run.pass(3 * minute)
      expect(told(run)).toEqual(before)
      expect(kinds(run).filter((kind) => kind === 'monitor.clock_jump')).toHaveLength(jumps)
    })
  },
)

test('a clock that is set by a few seconds is not told', async () => {
  const run = await start([])
  await run.pass(minute)
  run.clock.jump(4 * second)
  await run.pass(minute)
  expect(kinds(run)).toEqual([])
})

test.each([hour, -hour])(
  'semantics.md 42: a source that is down stays told when the clock is set by %i ms',
  async (byMs) => {
    const run = await start(['at: 1m, for: 4m, fault: api.error'])
    await run.untilTold('source.unavailable', 3 * minute)
    await passUntil(run, 3 * minute)
    const before = told(run)
    run.clock.jump(byMs)
    await passUntil(run, 4.5 * minute)
    expect(told(run)).toEqual(before)
    await passUntil(run, 8 * minute)
    expect(told(run)).toEqual(before.map((line) => line.replace('firing', 'resolved')))
  },
)

describe.each([minute, hour])('semantics.md 42: a machine that sleeps for %i ms', (forMs) => {
  test('tells what stalled meanwhile and later, and nothing that is not so', async () => {
    const run = await start(transfers)
    await passUntil(run, 5 * minute)
    run.clock.suspend(forMs)
    await checkTransfers(run, forMs)
    await run.pass(3 * minute)
    expect(stalls(run)).toHaveLength(3)
    expect(kinds(run).filter((kind) => kind === 'monitor.clock_jump')).toHaveLength(1)
  })
})

describe('semantics.md 42: an index that stands still', () => {
  test.each([
    ['an honest service', ''],
    ['one whose clock is an hour behind', 'at: 0s, fault: clock.skew, by: 1h, ahead: false'],
  ])('proves nothing of our clock: a transfer that stalls is told in time, by %s', async (_, skew) => {
    const stands = ['main', 'zone'].map((chain) => `at: 30s, for: 20m, fault: head.stall, chain: ${chain}`)
    const run = await start([...(skew === '' ? [] : [skew]), stalled('10s'), ...stands], {
      secondSource: false,
    })
    expect(await untilStalled(run, 1, 8 * minute)).toBeLessThan(10 * second + limitMs + promisedMs)
  })
})
