import { findingText } from '../support/readFinding.ts'
import { listEveryAnswer } from '../support/everyAnswer.ts'
import { describe, expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'
import { answerHoldMs } from '../../src/meaning/compareAnswers.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

const limitMs = 120_000
const own = ['transfer.unbacked', 'transfer.mismatch', 'source.disagreement']

const start = (scenario: string, secondSource = false) => runLeaping({ scenario, secondSource })

/** How long after its beginning in the scenario, in the world's ms, the kind was told. */
async function toldAfter(run: ScenarioRun, kind: string, fromMs = 15_000): Promise<number> {
  return (await run.untilTold(kind, 180_000)) - fromMs
}

const oneFault = (fault: string) => `name: one\ntimeline:\n  - { at: 15s, ${fault} }\n`
const ownKinds = (run: ScenarioRun) => [
  ...new Set(run.alerts().flatMap(({ kind }) => (own.includes(kind) ? [kind] : []))),
]

describe('incidents are told within two minutes of their first visible transaction', () => {
  test.each(['ronin-2022', 'wormhole-2022', 'harmony-2022', 'bnb-2022', 'orbit-2023'])('%s', async (name) => {
    const run = await start(name)
    expect(await toldAfter(run, 'transfer.unbacked')).toBeLessThan(limitMs)
    expect(ownKinds(run)).toEqual(['transfer.unbacked'])
  })

  test('qubit-2022: a deposit event that names an amount while no token moved is a mismatch', async () => {
    const run = await start('qubit-2022')
    expect(await toldAfter(run, 'transfer.mismatch')).toBeLessThan(limitMs)
    expect(ownKinds(run)).toEqual(['transfer.mismatch'])
  })

  test('kelpdao-2026: with the second source the two disagree, and the deposit is unbacked', async () => {
    const run = await start('kelpdao-2026', true)
    expect(await toldAfter(run, 'source.disagreement')).toBeLessThan(limitMs)
    expect(await toldAfter(run, 'transfer.unbacked')).toBeLessThan(limitMs)
  })

  test('kelpdao-2026: an explorer that does not answer again hides nothing, and is said not to have', async () => {
    const silence = "{ at: 45s, fault: api.html, endpoints: ['E13', 'E2', 'E15', 'E16', 'E21'] }"
    const run = await start(
      `name: one\ntimeline:\n  - { at: 15s, fault: transfer.forged, token: WETH, amount: "116500" }\n  - ${silence}\n`,
      true,
    )
    await run.untilTold('transfer.unbacked')
    expect(ownKinds(run)).toEqual(['transfer.unbacked'])
    const [unbackedAt, toldAt] = [
      await toldAfter(run, 'transfer.unbacked'),
      await toldAfter(run, 'source.disagreement'),
    ]
    expect(toldAt - unbackedAt).toBeLessThan(answerHoldMs + 15_000)
    const [told] = run.app.parts.db
      .prepare("SELECT finding FROM alerts WHERE kind = 'source.disagreement'")
      .all()
    const { facts } = JSON.parse(findingText(told?.['finding'])) as { facts: Record<string, unknown> }
    expect(facts).toMatchObject({ explorer: 'succeeded', node: 'does not exist', unanswered: 'explorer' })
  })

  test('kelpdao-2026: without the second source nothing is told', async () => {
    const run = await start('kelpdao-2026')
    await run.pass(140_000)
    expect(ownKinds(run)).toEqual([])
  })
})

describe('what arrived without proof that it left (semantics 9, 11, 13)', () => {
  test.each([
    ['11: a record that names an invented origin', 'fault: transfer.unbacked', 'absent'],
    ['9: a record that names no origin', 'fault: transfer.unbacked, record: empty', 'unnamed'],
    ['13: a payout without a record', 'fault: transfer.unbacked, record: none', 'unlisted'],
  ])('%s', async (_, fault, reason) => {
    const run = await start(oneFault(fault))
    expect(await toldAfter(run, 'transfer.unbacked')).toBeLessThan(limitMs)
    const [alert] = run.app.parts.db
      .prepare("SELECT finding FROM alerts WHERE kind = 'transfer.unbacked'")
      .all()
    const { facts } = JSON.parse(findingText(alert?.['finding'])) as { facts: Record<string, unknown> }
    expect(facts['reason']).toBe(reason)
  })
})

test('healthy traffic, with a second source, is neither unbacked nor a mismatch (semantics 8, 11, 14)', async () => {
  const run = await start('healthy', true)
  await run.pass(150_000)
  expect(ownKinds(run)).toEqual([])
  const proofs = listEveryAnswer(run.app.parts.db).filter(({ status }) => status === 'success')
  expect(proofs.length).toBeGreaterThan(50)
})

test('answers that are empty by throttling make nothing absent (semantics 8)', async () => {
  const run = await start(
    'name: one\ntimeline:\n  - { at: 5s, for: 150s, fault: api.disguised, share: 0.6 }\n',
  )
  await run.pass(150_000)
  expect(ownKinds(run)).toEqual([])
})

test('a failed record with a good origin is a failure, not a mismatch (semantics 14)', async () => {
  const run = await start(oneFault('fault: transfer.failed, direction: ZoneToMain, legs: both'))
  await run.untilTold('transfer.failed')
  await run.pass(90_000)
  expect(ownKinds(run)).toEqual([])
})
