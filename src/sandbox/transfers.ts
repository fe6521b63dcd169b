import { nth } from '../lib/nth.ts'
import type { UnixMs } from '../lib/clock.ts'
import { hashOf, keyOfHash } from './hashes.ts'
import { mainBlockTime, mainHeightAt, zoneBlockTime, zoneHeightAt } from './heights.ts'
import { mix, mixUnit } from './random.ts'
import type { Token } from './tokens.ts'
import type { Direction, TransferSpec } from './transferSpec.ts'
import { userAddress, type World } from './world.ts'

/** One side of a transfer: the block and transaction that it happens in. */
export interface Leg {
  readonly at: UnixMs
  readonly height: number
  readonly hash: string
}

export interface BatchItem {
  readonly tokenId: string
  readonly amountRaw: bigint
}

export interface Transfer {
  readonly number: number
  readonly key: number
  readonly direction: Direction
  readonly crossType: 'Deposit' | 'Withdraw' | 'BatchWithdraw'
  readonly token: Token
  readonly tokenName: string
  readonly tokenId: string
  readonly amountRaw: bigint
  /** Of a BatchWithdraw; their amounts add up to `amountRaw`. */
  readonly items: readonly BatchItem[]
  readonly sourceAddress: string
  readonly targetAddress: string
  readonly id: string
  /** Null when it never arrives there, or never left. */
  readonly main: Leg | null
  readonly zone: Leg | null
  readonly zoneEventIndex: string
  readonly special: TransferSpec
}

const none: TransferSpec = {}

/** A transfer as it is when all of it has happened. What is visible of it at an instant: record.ts and the chains. */
export function getTransfer(world: World, number: number): Transfer {
  const key = nth(world.keys, number)
  const special = world.specials.get(number) ?? none
  const token = tokenOf(world, key, special)
  const direction = special.direction ?? directionOf(world, key)
  const crossType = special.crossType ?? crossTypeOf(world, key, direction, token)
  const items = crossType === 'BatchWithdraw' ? batchItems(world, key) : []
  const legs = legsOf(world, number, direction, special)
  return {
    number,
    key,
    direction,
    crossType,
    token,
    tokenName: special.tokenName ?? token.name,
    tokenId:
      special.tokenId ?? (token.type === 'ERC1155' && items.length === 0 ? tokenIdOf(world, key, 0) : ''),
    amountRaw: special.amountRaw ?? amountOf(world, key, token, items),
    items,
    ...partiesOf(world, key, special),
    id:
      special.id ?? (draw(world, key, 9) < world.traffic.emptyIds ? '' : hashOf(world.seed, 'crossId', key)),
    ...legs,
    zoneEventIndex: special.zoneEventIndex ?? eventIndexOf(world, number),
    special,
  }
}

/** The transfers whose main (or zone) transaction has this hash, whether it has happened yet or not. */
export function transfersOfHash(world: World, chain: 'main' | 'zone', hash: string): readonly number[] {
  const key = keyOfHash(world.seed, chain === 'main' ? 'mainTx' : 'zoneTx', hash)
  const owner = key === null ? undefined : numberOfKey(world, key)
  if (owner === undefined || owner < 0) return []
  const owners = chain === 'main' ? world.mainOwner : world.zoneOwner
  const shared = (chain === 'main' ? world.sharedMain : world.sharedZone).get(owner)
  if (shared) return shared
  return owners[owner] === owner ? [owner] : []
}

/** Keys with the top bit are of transfers put in from outside the ordinary traffic. */
export function injectedKey(count: number): number {
  return (0x80000000 | count) >>> 0
}

export function directionOf(world: World, key: number): Direction {
  return draw(world, key, 1) < world.traffic.depositShare ? 'MainToZone' : 'ZoneToMain'
}

export function directionAt(world: World, number: number): Direction {
  return world.specials.get(number)?.direction ?? directionOf(world, nth(world.keys, number))
}

/** When a leg reached its chain; its block is the next one. */
export function legTime(world: World, number: number, chain: 'main' | 'zone'): UnixMs {
  const isOrigin = (directionAt(world, number) === 'MainToZone') === (chain === 'main')
  return nth(isOrigin ? world.originAt : world.destinationAt, number)
}

/** A number in [0, 1) that belongs to one aspect of one transfer. */
export function draw(world: World, key: number, aspect: number): number {
  return mixUnit(world.seed, key, aspect, 0x7a)
}

function numberOfKey(world: World, key: number): number | undefined {
  return key >= 0x80000000 ? world.injected[key - 0x80000000] : world.ordinary[key]
}

function legsOf(world: World, number: number, direction: Direction, special: TransferSpec) {
  const originAt = nth(world.originAt, number)
  const destinationAt = nth(world.destinationAt, number)
  const [mainAt, zoneAt] = direction === 'MainToZone' ? [originAt, destinationAt] : [destinationAt, originAt]
  const main = Number.isFinite(mainAt) ? mainLeg(world, number, mainAt) : null
  const zone = Number.isFinite(zoneAt) ? zoneLeg(world, number, zoneAt) : null
  if (special.originAbsent === undefined) return { main, zone }
  const invented = hashOf(world.seed, 'invented', nth(world.keys, number))
  const shown = (leg: Leg | null) =>
    special.originAbsent === 'empty' || !leg ? null : { ...leg, hash: invented }
  return direction === 'MainToZone' ? { main: shown(main), zone } : { main, zone: shown(zone) }
}

function mainLeg(world: World, number: number, at: UnixMs): Leg {
  const height = mainHeightAt(world, at)
  const owner = nth(world.keys, nth(world.mainOwner, number))
  return { at: mainBlockTime(world, height), height, hash: hashOf(world.seed, 'mainTx', owner) }
}

function zoneLeg(world: World, number: number, at: UnixMs): Leg {
  const height = zoneHeightAt(world, at)
  const owner = nth(world.keys, nth(world.zoneOwner, number))
  return { at: zoneBlockTime(world, height), height, hash: hashOf(world.seed, 'zoneTx', owner) }
}

/** The token that a transfer moves. */
export function tokenOf(world: World, key: number, special: TransferSpec): Token {
  const named = world.tokens.find((token) => token.symbol === special.token)
  if (named) return named
  const total = world.tokens.reduce((sum, token) => sum + token.weight, 0)
  let left = draw(world, key, 2) * total
  for (const token of world.tokens) {
    left -= token.weight
    if (left < 0 && (token.type === 'ERC20' || special.amountRaw === undefined)) return token
  }
  return nth(world.tokens, 0)
}

function crossTypeOf(world: World, key: number, direction: Direction, token: Token) {
  if (direction === 'MainToZone') return 'Deposit'
  const batch = token.type === 'ERC1155' && draw(world, key, 3) < world.traffic.batches
  return batch ? 'BatchWithdraw' : 'Withdraw'
}

/** Around the token's usual amount, from a hundredth to a hundredfold, with digits down to the smallest unit. */
function amountOf(world: World, key: number, token: Token, items: readonly BatchItem[]): bigint {
  if (items.length > 0) return items.reduce((sum, item) => sum + item.amountRaw, 0n)
  const whole = token.usual * 10 ** (draw(world, key, 4) * 3 - 1.5)
  if (token.decimals === 0) return BigInt(Math.max(1, Math.round(whole)))
  const micros = BigInt(Math.max(1, Math.round(whole * 1e6)))
  const raw = token.decimals >= 6 ? micros * 10n ** BigInt(token.decimals - 6) : micros
  const dust = token.decimals > 6 && draw(world, key, 5) < 0.5 ? BigInt(mix(world.seed, key, 6)) : 0n
  return raw + (token.decimals > 12 ? dust : dust % 100n)
}

function batchItems(world: World, key: number): BatchItem[] {
  const count = 2 + Math.floor(draw(world, key, 7) * 4)
  return Array.from({ length: count }, (_, at) => ({
    tokenId: tokenIdOf(world, key, at),
    amountRaw: BigInt(1 + (mix(world.seed, key, 8, at) % 60)),
  }))
}

/** Position ids of such tokens are hashes read as numbers: far above 2^53. */
function tokenIdOf(world: World, key: number, at: number): string {
  return BigInt(hashOf(world.seed, 'invented', mix(key % 40, at))).toString()
}

/** Whether a scenario changes nothing about a transfer: that of a bundle has only its direction set. */
export function isOrdinary(world: World, number: number): boolean {
  const special = world.specials.get(number)
  if (special === undefined) return true
  for (const name in special) if (name !== 'direction') return false
  return true
}

/** The users at both ends of an ordinary transfer. */
export function usersOf(world: World, key: number): { source: number; target: number } {
  const { users } = world.traffic
  const source = Math.floor(draw(world, key, 10) ** 2 * users)
  const other = draw(world, key, 11) < 0.15
  return { source, target: other ? Math.floor(draw(world, key, 12) * users) : source }
}

/** Who sends and who receives. */
export function partiesOf(world: World, key: number, special: TransferSpec) {
  const { source, target } = usersOf(world, key)
  return {
    sourceAddress: special.sourceAddress ?? userAddress(world, source),
    targetAddress: special.targetAddress ?? userAddress(world, target),
  }
}

/** Positions in a block that other transactions share: unique within the transaction, growing with it. */
function eventIndexOf(world: World, number: number): string {
  const original = world.specials.get(number)?.sameOriginAs
  if (original !== undefined) return getTransfer(world, original).zoneEventIndex
  const owner = nth(world.zoneOwner, number)
  const place = world.sharedZone.get(owner)?.indexOf(number) ?? 0
  const first = mix(world.seed, nth(world.keys, owner), 13) % 40
  return String(first + place)
}
