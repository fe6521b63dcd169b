import { expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'

const own = [
  'transfer.duplicate',
  'transfer.vanished',
  'transfer.out_of_order',
  'transfer.unknown_token',
  'transfer.large',
  'batch.unresolved',
  'batch.mismatch',
  'source.suspicious',
]

test.each(['healthy', 'default'])(
  '%s: nothing is said of single transfers that is not so',
  async (scenario) => {
    const run = await runLeaping({ scenario })
    await run.pass(180_000)
    expect(run.alerts().filter(({ kind }) => own.includes(kind))).toEqual([])
  },
)

test('default: the outage is told once and ends, and no endpoint that is rarely asked is told after it', async () => {
  const run = await runLeaping({ scenario: 'default' })
  await run.pass(900_000)
  const loud = run.alerts().filter(({ severity }) => severity !== 'info')
  expect(loud.map(({ kind }) => kind).toSorted()).toEqual([
    'source.unavailable',
    'transfer.failed',
    'transfer.stalled',
  ])
  expect(run.told().filter((text) => text.includes('has given no good answer'))).toHaveLength(1)
})
