import { hashOf } from '../hashes.ts'
import { mainBlockTime, mainHeadAt } from '../heights.ts'
import { mix } from '../random.ts'
import { noSuchBlock } from '../refusal.ts'
import { sliceSorted } from '../sortedIndex.ts'
import { reachedAt, type World } from '../world.ts'
import type { Endpoint, Request } from './endpoint.ts'

// The newest block is shown before it is final.
const doneAfterBlocks = 2

export const mainBlockEndpoints: readonly Endpoint[] = [
  {
    name: 'E11',
    chain: 'main',
    path: 'block/block-fills',
    parameters: { height: 'height!' },
    answer: ({ world, dialect, parameters }) => {
      const height = parameters.number('height') as number
      const head = mainHeadAt(world, reachedAt(world, 'main'))
      if (height > head) throw noSuchBlock()
      return [blockFields(world, dialect, height, head)]
    },
  },
]

function blockFields(
  world: World,
  dialect: Request['dialect'],
  height: number,
  head: number,
): Record<string, string> {
  const { chains } = dialect
  const transactions = sliceSorted(world.mainLegs, height, height)
  const gasUsed = transactions.length * 90_000 + 46_000
  return {
    chainFullName: chains.main,
    chainShortName: chains.main.toUpperCase(),
    hash: hashOf(world.seed, 'mainBlock', height),
    height: String(height),
    validator: world.contracts.signer,
    blockTime: String(mainBlockTime(world, height)),
    amount: '0',
    txnCount: String(transactions.length + 1),
    txnInternal: '0',
    blockSize: String(1_200 + transactions.length * 420),
    mineReward: '0',
    totalFee: `0.0000${String(gasUsed).padStart(9, '0')}`,
    feeSymbol: 'ETH',
    ommerBlock: '0',
    merkleRootHash: hashOf(mix(world.seed, 1), 'mainBlock', height),
    gasUsed: String(gasUsed),
    gasLimit: '60000000',
    gasAvgPrice: '0.000000001',
    state: height > head - doneAfterBlocks ? 'pending' : 'done',
    burnt: '0',
    miner: world.contracts.signer,
    // As the sample spells it.
    difficuity: '0',
    nonce: '0',
    confirm: String(head - height),
    tips: '0',
    baseFeePerGas: '0.00000000025',
  }
}
