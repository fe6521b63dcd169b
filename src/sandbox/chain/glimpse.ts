import { nth } from '../../lib/nth.ts'
import { addressOf } from '../hashes.ts'
import { firstAtLeast, sliceSorted } from '../sortedIndex.ts'
import { getTransfer, isOrdinary, tokenOf, usersOf } from '../transfers.ts'
import { userAddress, type World } from '../world.ts'
import { topics } from './abi.ts'
import { bridgeCall } from './bridgeCalls.ts'
import { fillCount, fillToken, fillUsers, hasStateBatch, systemSender } from './fillCalls.ts'
import { hasLeg } from './history.ts'
import { mainGenesis } from './mainChain.ts'

// What a block may hold, found from a few draws instead of from its transactions: the whole history is looked through
// in a fraction of a second. Each answer errs on the side of "may".

/** Whether anything in a block may concern one of these addresses. */
export function mayConcern(world: World, addresses: readonly string[]): (height: number) => boolean {
  const { bridge, bridgeImplementation, escrow, relayer, poster } = world.contracts
  const bridging = [bridge, bridgeImplementation, escrow, relayer, poster]
  if (addresses.every((address) => bridging.includes(address)))
    return (height) => hasLeg(world, height) || isSpecial(world, height)
  const everywhere = (address: string) =>
    world.codeAddresses.has(address) || bridging.includes(address) || address === systemSender
  if (addresses.some(everywhere)) return () => true
  const users = new Set<number>()
  for (let user = 0; user < world.traffic.users; user += 1) {
    if (addresses.includes(userAddress(world, user))) users.add(user)
  }
  return (height) =>
    isSpecial(world, height) || fillConcerns(world, height, users) || legsConcern(world, height, users)
}

/** Whether a contract may write a log, or one with this first topic, in a block. */
export function mayLog(world: World, address: string, topic?: string): (height: number) => boolean {
  if (address === world.contracts.bridge) {
    const isCrossing = topic === undefined || topic === topics.deposit || topic === topics.withdrawal
    return (height) => isSpecial(world, height) || (isCrossing && hasLeg(world, height))
  }
  if (address === addressOf(world.seed, 'nft', 0)) return () => true
  const isTransfer =
    topic === undefined ||
    [topics.transfer, topics.transferSingle, topics.transferBatch].some((known) => known === topic)
  if (!isTransfer || world.tokens.every((token) => token.address !== address))
    return (height) => world.extrasAt.has(height)
  const count = countMoves(world, address)
  return (height) => count(height) > 0
}

/** How many movements of a token a block holds: exactly as many as its transactions show. */
export function countMoves(world: World, token: string): (height: number) => number {
  const fungible = world.tokens.filter((each) => each.type === 'ERC20')
  return (height) => {
    if (height <= mainGenesis(world)) return 0
    let count = 0
    for (let place = fillCount(world, height) - 1; place >= 0; place -= 1) {
      if (fillToken(world, height, place, fungible)?.address === token) count += 1
    }
    for (const number of world.extrasAt.get(height) ?? []) {
      const extra = world.extras[number]
      if (extra && extra.preconf?.dropped !== true)
        count += extra.moves.filter((move) => move.token === token).length
    }
    return count + legMoves(world, height, token)
  }
}

function legMoves(world: World, height: number, token: string): number {
  let count = 0
  const owners = new Set(
    sliceSorted(world.mainLegs, height, height).map((number) => nth(world.mainOwner, number)),
  )
  for (const owner of owners) {
    const members = world.sharedMain.get(owner) ?? [owner]
    if (!members.every((member) => isOrdinary(world, member))) {
      count += bridgeCall(world, owner).moves.filter((move) => move.token === token).length
      continue
    }
    for (const member of members) {
      const { address, type } = tokenOf(world, nth(world.keys, member), world.specials.get(member) ?? {})
      if (address === token) count += type === 'ERC20' ? 1 : getTransfer(world, member).items.length || 1
    }
  }
  return count
}

function isSpecial(world: World, height: number): boolean {
  return world.extrasAt.has(height) || hasStateBatch(world, height)
}

function fillConcerns(world: World, height: number, users: ReadonlySet<number>): boolean {
  if (users.size === 0) return false
  for (let place = fillCount(world, height) - 1; place >= 0; place -= 1) {
    const { from, to } = fillUsers(world, height, place)
    if (users.has(from) || users.has(to)) return true
  }
  return false
}

function legsConcern(world: World, height: number, users: ReadonlySet<number>): boolean {
  const { keys, values } = world.mainLegs
  // Those that share a transaction share a block, so each is looked at.
  for (let at = firstAtLeast(world.mainLegs, height); keys[at] === height; at += 1) {
    const number = nth(values, at)
    if (!isOrdinary(world, number)) return true
    const { source, target } = usersOf(world, nth(world.keys, number))
    if (users.has(source) || users.has(target)) return true
  }
  return false
}
