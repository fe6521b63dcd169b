import { expect, test } from 'vitest'
import { createContractReads } from '../../../../src/kernel/reads/contractReads.ts'
import { compareSource, verifySource } from '../../../../src/checks/contracts/verifySource.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'
import type { VerifiedSource } from '../../../../src/kernel/reads/contractReads.ts'
import { readProgress } from '../../../../src/checks/contracts/progressStore.ts'
import { createTestKernel, noSignal } from '../support.ts'

const contract = `0x${'c0'.repeat(20)}`
const source: VerifiedSource = {
  implementation: '0xa1',
  compiler: 'v1',
  name: 'Bridge',
  code: 'd1',
  abi: 'a1',
}
const none = { address: contract, verified: null, candidate: null, announced: [], earlier: null }
const compare = (known: Partial<Parameters<typeof compareSource>[0]>, read: VerifiedSource | null) =>
  compareSource({ ...none, ...known }, read, { now: 1_000, everyMs: 60_000 })

test('the first reading is what later ones are compared with', () => {
  expect(compare({}, source)).toMatchObject({ finding: null, change: { verified: source } })
})

test('what could not be read is asked again sooner than what was read', async () => {
  const kernel = createTestKernel()
  const contractReads = { ...kernel.contractReads, verified: () => Promise.reject(new Error('silent')) }
  await verifySource({ ...kernel, contractReads, address: contract, everyMs: 40_000 }, noSignal)
  expect(readProgress(kernel.db, contract).verifyAt - kernel.clock.now()).toBe(20_000)
})

test('an empty answer and empty fields say nothing', () => {
  expect(compare({ verified: source }, null)).toEqual({ finding: null, change: { verifyAt: 61_000 } })
  expect(compare({ verified: source }, { ...source, implementation: '' }).change.verified).toEqual(source)
})

test('a change is told when a second reading agrees', () => {
  const other = { ...source, code: 'd2' }
  const first = compare({ verified: source }, other)
  expect(first).toMatchObject({ finding: null, change: { candidate: other, verifyAt: 31_000 } })
  const second = compare({ verified: source, candidate: other }, other)
  expect(second.finding).toMatchObject({ kind: 'contract.changed', facts: { before: 'd1', after: 'd2' } })
  expect(second.change).toMatchObject({ verified: other, candidate: null })
})

test('a replica that lags takes a change back untold', () => {
  const other = { ...source, code: 'd2' }
  expect(compare({ verified: source, candidate: other }, source)).toMatchObject({
    finding: null,
    change: { candidate: null, verified: source },
  })
})

test('a source that lags and says for minutes what was before a change is no other change; what stays so is', () => {
  const other = { ...source, code: 'd2' }
  const { change } = compare({ verified: source, candidate: other }, other)
  const known = { ...none, ...change }
  const read = (candidate: VerifiedSource | null, now: number) =>
    compareSource({ ...known, candidate }, source, { now, everyMs: 60_000 })
  expect(read(null, 600_000)).toEqual({ finding: null, change: { candidate: null, verifyAt: 660_000 } })
  expect(read(null, 901_000).change).toMatchObject({ candidate: source })
  expect(read(source, 931_000).finding).toMatchObject({ facts: { before: 'd2', after: 'd1' } })
})

test('an implementation that a log told of is no news, another one is', () => {
  const other = { ...source, implementation: '0xb2' }
  const known = { verified: source, candidate: other }
  expect(compare({ ...known, announced: ['0xb2'] }, other).finding).toBeNull()
  expect(compare({ ...known, announced: ['0xb3'] }, other).finding).not.toBeNull()
})

test('an implementation of before that comes back without a log is told, also after one that was told of', () => {
  const of = (implementation: string) => ({ ...source, implementation })
  const upgraded = compare(
    { verified: source, candidate: of('0xb3'), announced: ['0xb2', '0xb3'] },
    of('0xb3'),
  )
  expect(upgraded).toMatchObject({ finding: null, change: { announced: [] } })
  const first = compare({ announced: ['0xb2', '0xb3', '0xb4'] }, of('0xb3'))
  expect(first).toMatchObject({ finding: null, change: { announced: ['0xb4'] } })
  const back = { ...none, ...first.change, candidate: of('0xb2') }
  expect(compareSource(back, of('0xb2'), { now: 1, everyMs: 1 }).finding).not.toBeNull()
})

test.each([
  ['contractAbi', 'sourceCode', 'source'],
  ['sourceCode', 'contractAbi', 'ABI'],
] as const)(
  'semantics.md 38: a service that leaves out %s hides no change of %s',
  async (lost, changed, name) => {
    const row = (text: string) => ({
      implementation: '',
      compilerVersion: 'v1',
      contractName: 'Bridge',
      sourceCode: 'contract Bridge {}',
      contractAbi: '[]',
      [changed]: text,
    })
    const read = async (of: object, unsaid: readonly string[]) => {
      const explorer = {
        call: async () => ({ records: [{ ...of, unsaid }] }),
        walk: () => Promise.reject(new Error('it is one answer')),
      }
      // The client's answer, as far as it is looked at.
      const reads = createContractReads({ explorer: explorer as never, clock: createSteppedClock() })
      return (await reads.verified(contract, { priority: 'sweep', signal: noSignal }))?.source ?? null
    }
    const first = await read(row('[]'), [])
    const later = await read({ ...row('[1]'), [lost]: '' }, [lost])
    const seen = compare({ verified: first }, later)
    const told = compare({ verified: first, candidate: seen.change.candidate ?? null }, later)
    expect(told.finding?.facts['what']).toBe(`has another ${name} than before`)
    expect(compare({ verified: told.change.verified ?? null }, await read(row('[1]'), [])).finding).toBeNull()
  },
)
