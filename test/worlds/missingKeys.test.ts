import { findingText } from '../support/readFinding.ts'
import { describe, expect, test } from 'vitest'
import { type BridgeWorld, calmPoll, createBridgeWorld } from '../support/bridgeWorld.ts'
import { send } from '../support/fakeExplorer.ts'

// semantics.md 38: what a row does not say is unknown, is told as drift, and accuses nobody.

describe('of a verified contract', () => {
  const bridge = `0x${'b1'.repeat(20)}`
  const verified = {
    sourceCode: 'contract Bridge {}',
    contractName: 'Bridge',
    compilerVersion: 'v1',
    compilerType: 'solidity',
    optimization: '1',
    optimizationRuns: '200',
    contractAbi: '[]',
    evmVersion: 'default',
    licenseType: 'none',
    libraryInfo: '',
    proxy: '1',
    implementation: `0x${'b2'.repeat(20)}`,
    swarmSource: '',
  }

  function answerWith({ fake }: Pick<BridgeWorld, 'fake'>, row: () => Readonly<Record<string, unknown>>) {
    const others = fake.intercept
    let asked = 0
    fake.intercept = (request, response) => {
      if (!request.path.endsWith('/contract/verify-contract-info')) return others(request, response)
      asked += 1
      send(response, 200, { code: '0', msg: '', data: [row()] })
      return true
    }
    return () => asked
  }

  test('semantics.md 38: source and ABI that are lost and come back are no change of the contract, and are told as drift', async () => {
    let row: Readonly<Record<string, unknown>> = verified
    let countAsked = () => 0
    const world = await createBridgeWorld({
      config: { poll: calmPoll },
      bridge: { contracts: [bridge] },
      prepare(bare) {
        countAsked = answerWith(bare, () => row)
        for (let n = 0; n < 3; n += 1) bare.withdraw(n)
      },
    })
    const pass = async (readings: number) => {
      const before = countAsked()
      await world.until(() => countAsked() > before + readings, 'readings')
    }
    await pass(1)
    for (const key of ['sourceCode', 'contractAbi'] as const) {
      const { [key]: _, ...rest } = verified
      row = rest
      await pass(3)
      const says = findingsOf(world, 'source.drift')
      expect(says.some((text) => text.includes('E17') && text.includes(key))).toBe(true)
    }
    row = verified
    await pass(3)
    expect(world.told('contract.changed')).toEqual([])
  })
})

function findingsOf({ monitor }: BridgeWorld, kind: string): string[] {
  return monitor.app.parts.db
    .prepare('SELECT finding FROM alerts WHERE kind = ?')
    .all(kind)
    .map(({ finding }) => findingText(finding))
}
