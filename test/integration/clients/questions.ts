import type { WideParams } from '../../../src/clients/explorer/question.ts'
import { getTransfer } from '../../../src/sandbox/transfers.ts'
import type { SteppedSandbox } from '../sandbox/steppedSandbox.ts'

/** A scenario in which nothing moves after a minute. */
export const settled =
  'name: test\nhistory: { for: 10m, transfers: 200 }\ntraffic: { transfersPerMinute: 0, users: 5 }\n'

/** A question to each of the 21 endpoints that is known to have an answer. */
export function questions(world: SteppedSandbox): Record<string, WideParams> {
  const { listed, contracts } = world.sandbox.world
  const transfers = listed.values.map((number) => getTransfer(world.sandbox.world, number))
  const batch = transfers.find(({ crossType }) => crossType === 'BatchWithdraw')
  const payout = transfers.find(({ crossType, token }) => crossType === 'Withdraw' && token.type === 'ERC20')
  if (!batch?.main || !batch.zone || !payout?.main || !payout.zone)
    throw new Error('expected a batch and a payout')
  const mainHashes = [batch.main.hash, payout.main.hash]
  const zoneHashes = [batch.zone.hash, payout.zone.hash]
  const blocks = { startBlockHeight: payout.main.height - 5, endBlockHeight: payout.main.height }
  const [topic0] = ['0x49d3e68d79df625933b4478d16608075e4791ee969ddec42f20524e8d8df1ffd']
  const address = payout.targetAddress
  return {
    E1: { tokenContractAddress: payout.token.address },
    E2: { txId: batch.main.hash },
    E3: { limit: 50 },
    E4: { height: payout.zone.height },
    E5: { limit: 50 },
    E6: { address, protocolType: 'token_20' },
    E7: blocks,
    E8: { address: contracts.bridge },
    E9: { txId: zoneHashes },
    E10: { address: [address, contracts.relayer], ...blocks },
    E11: { height: payout.main.height },
    E12: { txId: zoneHashes },
    E13: { txId: mainHashes },
    E14: { txid: payout.zone.hash },
    E15: { txId: mainHashes },
    E16: { txId: payout.main.hash },
    E17: { contractAddress: contracts.bridge },
    E18: { address: contracts.bridge, topic0 },
    E19: { address: contracts.bridge, ...blocks },
    E20: { address: contracts.bridge },
    E21: { txId: payout.main.hash },
  }
}
