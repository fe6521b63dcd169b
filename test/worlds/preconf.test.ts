import { describe, expect, onTestFinished, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'
import { runScenario, type ScenarioRun } from '../support/runScenario.ts'

const quiet = { transfersPerMinute: 20, blockTransactions: 3 }

interface Play {
  readonly secondSource?: boolean
}

/** The daemon beside a world with these faults. */
const play = (timeline: string, { secondSource = true }: Play) =>
  runLeaping({ scenario: toScenario(timeline), preconfIntervalMs: 200, secondSource })

const toScenario = (timeline: string) =>
  `name: one\ntraffic: ${JSON.stringify(quiet)}\ntimeline:\n${timeline}\n`

/** What of preconfirmations, and of their source, was told after a while of it. */
async function tellOf(timeline: string, options: Play & { readonly for: number }): Promise<string[]> {
  const run = await play(timeline, options)
  await run.pass(options.for)
  return kindsOf(run)
}

function kindsOf(run: ScenarioRun): string[] {
  const kinds = run.alerts().map(({ kind }) => kind)
  return [
    ...new Set(kinds.filter((kind) => kind.startsWith('preconf.') || kind.startsWith('source.'))),
  ].sort()
}

describe('through the whole daemon', () => {
  test('a dropped preconfirmation is told, against the canonical RPC', async () => {
    expect(await tellOf('  - { at: 5s, fault: preconf.dropped }', { for: 25_000 })).toEqual([
      'preconf.dropped',
    ])
  })

  test('a dropped preconfirmation is told, against the explorer alone', async () => {
    const told = await tellOf('  - { at: 5s, fault: preconf.dropped }', { for: 120_000, secondSource: false })
    expect(told).toEqual(['preconf.dropped'])
  })

  test.each([1, 2])(
    'invariant 20: moved by %i blocks it is told as moved, and not as dropped',
    async (by) => {
      const told = await tellOf(`  - { at: 5s, fault: preconf.moved, by: ${by} }`, { for: 25_000 })
      expect(told).toEqual(['preconf.moved'])
    },
  )

  test('a flipped preconfirmation is told', async () => {
    expect(await tellOf('  - { at: 5s, fault: preconf.flipped }', { for: 25_000 })).toEqual([
      'preconf.flipped',
    ])
  })

  test('late preconfirmations are told as a share', async () => {
    const run = await play('  - { at: 5s, fault: preconf.late, count: 400, spacing: 25ms }', {})
    await run.untilTold('preconf.late')
  })

  test('a few late ones are not', async () => {
    const told = await tellOf('  - { at: 5s, fault: preconf.late, count: 3 }', {
      for: 15_000,
    })
    expect(told).toEqual([])
  })

  test('a frozen block being made is told; a short stop is not', async () => {
    const long = await tellOf('  - { at: 5s, for: 40s, fault: head.stall, chain: preconf }', { for: 30_000 })
    expect(long).toEqual(['preconf.gap', 'preconf.stalled'])
    const short = await tellOf('  - { at: 5s, for: 4s, fault: head.stall, chain: preconf }', { for: 25_000 })
    expect(short).toEqual([])
  })

  test('a chain that stands still as a whole is no matter of preconfirmations', async () => {
    expect(await tellOf('  - { at: 5s, for: 60s, fault: head.stall, chain: main }', { for: 40_000 })).toEqual(
      [],
    )
  })

  test('a connection that stands and answers nothing is told as such', async () => {
    // A request is given up after a while of real time: here the world has to live as slowly.
    const run = await runScenario({
      scenario: toScenario('  - { at: 5s, for: 200s, fault: api.hang, endpoints: [rpc] }'),
      speed: 10,
      preconfIntervalMs: 200,
      maxStepMs: 20,
      secondSource: true,
    })
    onTestFinished(() => run.stop())
    await run.untilTold('preconf.stalled', 200_000)
    await run.untilTold('source.unavailable', 200_000)
    expect(kindsOf(run)).toEqual(['preconf.stalled', 'source.unavailable'])
  })

  test('invariant 19: after connections that broke nothing is called dropped, and what was dropped before is told', async () => {
    const timeline = `  - { at: 4s, fault: preconf.dropped }
  - { at: 6s, for: 20s, fault: api.reset, endpoints: [rpc] }`
    expect(await tellOf(timeline, { for: 45_000 })).toEqual(['preconf.dropped', 'source.unavailable'])
  })

  test('an ordinary bridge tells nothing', async () => {
    expect(await tellOf('  []', { for: 60_000 })).toEqual([])
  })
})

test('the scenario preconfirmations tells what happens in it, and nothing else of its kind', async () => {
  const run = await runLeaping({ scenario: 'preconfirmations', preconfIntervalMs: 200, secondSource: true })
  await run.untilTold('preconf.stalled', 200_000)
  const told = run.alerts().map(({ kind }) => kind)
  expect(told.filter((kind) => kind === 'preconf.dropped')).toHaveLength(2)
  expect(told.filter((kind) => kind === 'preconf.moved')).toHaveLength(2)
  expect(told.filter((kind) => kind === 'preconf.flipped')).toHaveLength(1)
  expect(told.filter((kind) => kind === 'preconf.late')).toHaveLength(1)
})
