import { describe, expect, test } from 'vitest'
import type { BridgeLog } from '../../../../src/bridge/bridgeLog.ts'
import { followContract } from '../../../../src/checks/contracts/followContract.ts'
import { createContractHistory } from '../../../../src/checks/contracts/history.ts'
import type { Rpcs } from '../../../../src/kernel/rpcs.ts'
import { hash } from '../../../support/records.ts'
import { createTestKernel, setMainHead } from '../support.ts'

const contract = `0x${'c0'.repeat(20)}`
const signal = new AbortController().signal
const head = 100_000
const born = 99_000

const act = (name: string, height: number, place = '0'): BridgeLog => ({
  contract,
  hash: hash(name),
  height,
  time: height * 1_000,
  place,
  topics: ['0x01'],
  data: '0x',
})

/** What a node says: which transaction names the contract as made, and from which block on there is code. */
interface Node {
  readonly madeIn?: string
  readonly codeFrom?: number
  /** Below it no state is kept. */
  readonly keptFrom?: number
  readonly isDown?: boolean
}

/** A contract's acts on its chain, read for the first time beside a node; null: none is configured. */
function setUp(logs: readonly BridgeLog[], node: Node | null) {
  const asked: string[] = []
  const call = async (method: string, [of, height]: readonly unknown[]) => {
    asked.push(method)
    if (node === null || node.isDown) throw new Error('no answer')
    if (method === 'eth_getTransactionReceipt')
      return { contractAddress: node.madeIn !== undefined && of === hash(node.madeIn) ? contract : null }
    const isKept = Number(height) >= (node.keptFrom ?? 0)
    return isKept && Number(height) >= (node.codeFrom ?? 0) ? '0x6080' : '0x'
  }
  const kernel = createTestKernel({
    start: head * 1_000,
    rpcs: { canonical: node && { call }, preconf: null } as unknown as Rpcs,
    contractReads: {
      async logs(_, { first, last }) {
        const records = logs.filter(({ height }) => height >= first && height <= last)
        return { requestedAt: kernel.clock.now(), records, bad: [], complete: true }
      },
      logsOfTopic: async () => ({ requestedAt: 0, records: [], bad: [] }),
      hasEmitted: async () => null,
      isOutOfBlocks: async () => false,
      verified: async () => null,
    },
  })
  const { clock, db, told } = kernel
  kernel.reads.mainBlock = async (height) => ({ height, blockTime: height * 1_000, requestedAt: clock.now() })
  const watched = {
    ...kernel,
    address: contract,
    tellSince: 0,
    administration: new Map(),
    named: new Map([['0x01', 'Act']]),
  }
  const follow = followContract(watched)
  return {
    asked,
    read: async (height = head) => {
      setMainHead(db, height, clock.now())
      await follow({ priority: 'tail', signal })
    },
    readPast: () => createContractHistory([watched])(signal),
    told: () => told.map(({ facts }) => facts['txHash']),
  }
}

describe('what a transaction sets up that makes the contract is no change of it', () => {
  const made = [act('made', born), act('made', born, '1')]

  test.each([
    ['as its receipt says', { madeIn: 'made', codeFrom: born }],
    ['as its receipt says, by a node that keeps no state', { madeIn: 'made', keptFrom: head }],
    [
      'as the code of its block and of the one before say, where another contract made it',
      { codeFrom: born },
    ],
  ])('%s', async (_, node) => {
    const { told, read } = setUp([...made, act('upgrade', born + 1)], node)
    await read()
    expect(told()).toEqual([hash('upgrade')])
  })

  test('wherever it is read', async () => {
    const { told, read, readPast } = setUp([act('made', 50_000), act('upgrade', 50_001)], { madeIn: 'made' })
    await read()
    for (let piece = 0; piece < 6; piece += 1) await readPast()
    expect(told()).toEqual([hash('upgrade')])
  })

  test('what another transaction of the same block does is a change', async () => {
    const taken = act('taken', born, '2')
    const { told, read } = setUp([taken, ...made], { madeIn: 'made', codeFrom: born })
    await read()
    expect(told()).toEqual([hash('taken')])
  })
})

describe('told as a change', () => {
  test.each([
    ['there was a contract before', { codeFrom: born - 1 }],
    ['the node keeps no state of its block', { keptFrom: born + 1 }],
    ['the node does not answer', { isDown: true }],
    ['no node is configured', null],
  ])('%s', async (_, node) => {
    const { told, read } = setUp([act('upgrade', born)], node)
    await read()
    expect(told()).toEqual([hash('upgrade')])
  })

  test('one that was known before is made anew, and no node is asked', async () => {
    const { asked, told, read } = setUp([act('made', born), act('again', head + 5)], { madeIn: 'again' })
    await read()
    asked.splice(0)
    await read(head + 10)
    expect(told()).toEqual([hash('made'), hash('again')])
    expect(asked).toEqual([])
  })
})
