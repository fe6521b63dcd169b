import { mix } from '../random.ts'
import { addressOf } from '../hashes.ts'
import { type Transfer, transfersOfHash } from '../transfers.ts'
import type { World, ZoneTransaction } from '../world.ts'
import { topicOf, topics, word, zeroAddress } from './abi.ts'
import type { Log } from './mainTransaction.ts'
import { transferLog } from './moves.ts'
import { membersOf } from './zoneChain.ts'

/** What the contracts of the zone write about a transaction: nothing about one that failed. */
export function zoneLogs(world: World, transaction: ZoneTransaction): Log[] {
  if (transaction.status === '0x0') return []
  const members = membersOf(world, transfersOfHash(world, 'zone', transaction.hash))
  return members.length === 0 ? fills(world, transaction) : members.flatMap((one) => crossing(world, one))
}

/** What a transfer takes out of the supply of the zone, or adds to it. */
export function zoneMovedRaw({ amountRaw, special }: Transfer): bigint {
  return special.zoneMovedRaw ?? amountRaw
}

/** A deposit issues tokens to its recipient, a withdrawal takes them from its sender; then the bridge says so. */
function crossing(world: World, transfer: Transfer): Log[] {
  const { direction, sourceAddress, targetAddress, tokenId, main } = transfer
  const isDeposit = direction === 'MainToZone'
  // Whatever it is on the main chain, here a contract stands for it.
  const token = {
    ...transfer.token,
    address: transfer.token.zoneAddress,
    type: transfer.token.type === 'NATIVE' ? ('ERC20' as const) : transfer.token.type,
  }
  const moved = {
    from: isDeposit ? zeroAddress : sourceAddress,
    to: isDeposit ? targetAddress : zeroAddress,
    amountRaw: zoneMovedRaw(transfer),
    tokenId,
    items: transfer.special.zoneMovedRaw === undefined ? transfer.items : [],
  }
  const { zoneBridge } = world.contracts
  const event: Log = {
    address: zoneBridge,
    topics: isDeposit
      ? [topics.zoneDeposit, topicOf(main?.hash ?? 0), topicOf(token.address), topicOf(targetAddress)]
      : [topics.zoneWithdrawal, topicOf(token.address), topicOf(sourceAddress), topicOf(targetAddress)],
    data: `0x${word(moved.amountRaw)}`,
  }
  return [transferLog(token, zoneBridge, moved), event]
}

/** What has nothing to do with the bridge. */
function fills(world: World, { events, height, index }: ZoneTransaction): Log[] {
  const book = addressOf(world.seed, 'orderBook', 0)
  return Array.from({ length: events }, (_, place) => ({
    address: book,
    topics: [topics.orderFilled, topicOf(mix(height, index, place) % 40)],
    data: topicOf(mix(height, index, place, 1)),
  }))
}
