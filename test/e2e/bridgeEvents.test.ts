import { expect, onTestFinished, test } from 'vitest'
import { runScenario } from '../support/runScenario.ts'

const run = async (yaml: string, options: Partial<Parameters<typeof runScenario>[0]> = {}) => {
  const started = await runScenario({ scenario: yaml, ...options })
  onTestFinished(() => started.stop())
  return started
}

test.each(['nomad-2022', 'poly-2021', 'ronin-2024', 'shibarium-2025'])(
  '%s: the change of the contract is told within two minutes',
  async (scenario) => {
    const monitor = await run(scenario)
    expect(await monitor.untilTold('contract.changed')).toBeLessThan(120_000)
  },
)
