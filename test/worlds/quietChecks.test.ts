import { expect, onTestFinished, test } from 'vitest'
import { runScenario } from '../support/runScenario.ts'

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
    const run = await runScenario({ scenario, speed: 15 })
    onTestFinished(() => run.stop())
    await run.pass(180_000)
    expect(run.alerts().filter(({ kind }) => own.includes(kind))).toEqual([])
  },
)
