import { describe, expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

// Many small thefts beside a large one, at the shipped pace: money at risk comes first, and the sum is told at once.

const second = 1_000
const theftAt = 150 * second
const pace = { maxRequestsPerSecond: 4, concurrency: 2 }

async function start(timeline: string): Promise<ScenarioRun> {
  return runLeaping({ scenario: `name: smoke\ntimeline:\n${timeline}\n`, pace })
}

const drained = (token: string, amount: string, count = 1, at = 150) =>
  `  - { at: ${at}s, fault: escrow.drained, token: ${token}, amount: "${amount}", count: ${count} }\n`

interface Told {
  readonly facts: Readonly<Record<string, unknown>>
  readonly afterMs: number
}

function drifts(run: ScenarioRun): Told[] {
  const afterOf = new Map(run.alerts().map(({ subject, afterMs }) => [subject, afterMs]))
  return run.app.parts.db
    .prepare("SELECT subject, finding FROM alerts WHERE kind = 'escrow.drift' ORDER BY id")
    .all()
    .map(({ subject, finding }) => ({
      facts: (JSON.parse(String(finding)) as { facts: Told['facts'] }).facts,
      afterMs: afterOf.get(String(subject)) ?? Infinity,
    }))
}

async function untilDrift(run: ScenarioRun, fits: (one: Told) => boolean): Promise<Told> {
  for (let waited = 0; waited < 400 * second; waited += second) {
    const found = drifts(run).find(fits)
    if (found) return found
    await run.pass(second)
  }
  throw new Error('it was not told')
}

describe('semantics.md 44: a smoke screen hides nothing', () => {
  test('a single theft is told, with its amount, long before 80 s', async () => {
    const run = await start(drained('WETH', '31337'))
    const told = await untilDrift(run, ({ facts }) => facts['amount'] === '31337')
    expect(told.afterMs - theftAt).toBeLessThan(75 * second)
  })

  test('300 drains of 0.5 USDC do not hide one of 31,337 WETH, and the sum names all', async () => {
    const smoke = [0, 1, 2].map((n) => drained('USDC', '0.5', 100, 50 + n)).join('')
    const run = await start(`${smoke}${drained('WETH', '31337')}`)
    const told = await untilDrift(run, ({ facts }) => facts['amount'] === '31337' && facts['sum'] === '')
    expect(told.afterMs - theftAt).toBeLessThan(120 * second)
    const sum = await untilDrift(run, ({ facts }) => facts['sum'] !== '')
    expect(sum.facts['sum']).toMatch(/movements, 31,337 WETH and [\d.]+ USDC$/)
    expect(sum.afterMs - theftAt).toBeLessThan(120 * second)
  })
})
