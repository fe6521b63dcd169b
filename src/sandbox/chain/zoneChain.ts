import { nth } from '../../lib/nth.ts'
import { hashOf, keyOfHash } from '../hashes.ts'
import { zoneBlockTime, zoneHeadAt } from '../heights.ts'
import { mix, mixUnit } from '../random.ts'
import { sliceSorted } from '../sortedIndex.ts'
import { getTransfer, type Transfer, transfersOfHash } from '../transfers.ts'
import { toUnits } from '../units.ts'
import { reachedAt, userAddress, type World, type ZoneTransaction } from '../world.ts'

// At most so many transactions of a block have nothing to do with the bridge.
const fillPerBlock = 4

const cachedBlocks = 16_384

/** The newest block of the zone that the explorer shows. */
export function zoneHead(world: World): number {
  return zoneHeadAt(world, reachedAt(world, 'zone'))
}

/** The transactions of a block in the order of execution: filler first, then what crosses the bridge. */
export function zoneTransactions(world: World, height: number): readonly ZoneTransaction[] {
  if (zoneBlockTime(world, height) < world.genesisAt) return []
  const cached = world.zoneBlockCache.get(height)
  if (cached) return cached
  const transactions = makeTransactions(world, height)
  if (height > zoneHead(world)) return transactions
  if (world.zoneBlockCache.size >= cachedBlocks) world.zoneBlockCache.clear()
  world.zoneBlockCache.set(height, transactions)
  return transactions
}

function makeTransactions(world: World, height: number): ZoneTransaction[] {
  const fill = Array.from({ length: fillCount(world, height) }, (_, place) => filler(world, height, place))
  return [
    ...fill,
    ...ownersAt(world, height).map((owner, place) => bridging(world, owner, fill.length + place)),
  ]
}

/** How many `zoneTransactions` there are, without making them. */
export function countZoneTransactions(world: World, height: number): number {
  if (zoneBlockTime(world, height) < world.genesisAt) return 0
  return fillCount(world, height) + ownersAt(world, height).length
}

/** The transfers whose keys name the bridge's transactions in a block. */
function ownersAt(world: World, height: number): number[] {
  const numbers = sliceSorted(world.zoneLegs, height, height)
  return [...new Set(numbers.map((number) => nth(world.zoneOwner, number)))]
}

/** A transaction by its hash once a chain that has come to `head` holds its block, or null. */
export function findZoneTransaction(world: World, hash: string, head: number): ZoneTransaction | null {
  const [first] = transfersOfHash(world, 'zone', hash)
  const height =
    first === undefined ? fillHeight(world, hash) : (getTransfer(world, first).zone?.height ?? null)
  if (height === null || height > head) return null
  return zoneTransactions(world, height).find((transaction) => transaction.hash === hash) ?? null
}

function fillCount(world: World, height: number): number {
  if (world.traffic.blockTransactions === 0) return 0
  const share = mixUnit(world.seed, 0xf111, height)
  return share < 0.35 ? 0 : Math.min(fillPerBlock, Math.ceil((share - 0.35) * 6))
}

function fillHeight(world: World, hash: string): number | null {
  const key = keyOfHash(world.seed, 'zoneFill', hash)
  return key === null ? null : Math.floor(key / fillPerBlock)
}

function filler(world: World, height: number, place: number): ZoneTransaction {
  const key = height * fillPerBlock + place
  const actionType = nth(['order', 'cancel', 'cancelByCloid', 'updateLeverage', 'order'], mix(key, 5) % 5)
  const nonce = String(zoneBlockTime(world, height) - (mix(key, 6) % 80))
  return {
    hash: hashOf(world.seed, 'zoneFill', key),
    height,
    status: mixUnit(key, 7) < 0.04 ? '0x0' : '0x1',
    from: userAddress(world, mix(world.seed, key, 8) % world.traffic.users),
    nonce,
    actionType,
    actionData: JSON.stringify({ type: actionType, asset: mix(key, 9) % 40, nonce: Number(nonce) }),
    errorMessage: mixUnit(key, 7) < 0.04 ? 'Insufficient margin to place order' : '',
    index: place,
    value: '',
    valueRaw: '',
    transfers: 0,
    events: mix(key, 10) % 3,
  }
}

/** The transfers of a transaction: a second payout of one origin names its transaction, but is not in it. */
export function membersOf(world: World, numbers: readonly number[]): Transfer[] {
  return numbers
    .map((number) => getTransfer(world, number))
    .filter((member) => member.special.sameOriginAs === undefined)
}

function bridging(world: World, owner: number, index: number): ZoneTransaction {
  const members = membersOf(world, world.sharedZone.get(owner) ?? [owner])
  const first = nth(members, 0)
  const deposit = first.direction === 'MainToZone'
  const error = members.map((member) => member.special.zoneError).find((text) => text !== undefined)
  const actionType = deposit ? 'deposit' : first.crossType === 'BatchWithdraw' ? 'batchWithdraw' : 'withdraw'
  const leg = first.zone as NonNullable<Transfer['zone']>
  return {
    hash: leg.hash,
    height: leg.height,
    status: error === undefined ? '0x1' : '0x0',
    from: deposit ? world.contracts.signer : first.sourceAddress,
    nonce: String(leg.at - (mix(first.key, 6) % 80)),
    actionType,
    actionData: actionData(members, actionType),
    errorMessage: error ?? '',
    index,
    // One amount cannot stand for several tokens: a bundle leaves it empty.
    value: members.length === 1 ? toUnits(first.amountRaw, first.token.decimals) : '',
    valueRaw: members.length === 1 ? first.amountRaw.toString() : '',
    transfers: error === undefined ? members.length : 0,
    events: members.length,
  }
}

function actionData(members: readonly Transfer[], type: string): string {
  const items = members.map((member) => ({
    token: member.token.zoneAddress,
    amount: member.amountRaw.toString(),
    destination: member.targetAddress,
    ...(member.token.type === 'ERC1155'
      ? { tokenIds: member.items.length > 0 ? member.items.map((item) => item.tokenId) : [member.tokenId] }
      : {}),
  }))
  return JSON.stringify({ type, ...(items.length === 1 ? items[0] : { withdrawals: items }) })
}
