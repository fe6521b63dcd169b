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
