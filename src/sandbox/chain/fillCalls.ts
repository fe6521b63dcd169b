import { nth } from '../../lib/nth.ts'
import { addressOf, hashOf } from '../hashes.ts'
import { mainBlockMs, mainBlockTime } from '../heights.ts'
import { mix, mixUnit } from '../random.ts'
import type { Token } from '../tokens.ts'
import { systemContract, userAddress, type World } from '../world.ts'
import { selectors, topicOf, topics, word } from './abi.ts'
import type { MainCall } from './mainTransaction.ts'
import { tokenMoves, transferLog } from './moves.ts'

/** No block holds more of them; a hash's number is its height times this, plus its place. */
export const fillPerBlock = 16
// One state batch about every ten minutes.
const stateBatchBlocks = 600
export const systemSender = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'
/** Of a draw: below are payments of the native currency, above are other calls. */
const transferKinds = { from: 0.35, to: 0.75 }
const failedShare = 0.03
const nobody = { wei: 0n, failed: false, moves: [], internals: [], logs: [], challengeStatus: '' } as const

/** What the chain itself puts first into every block. */
export function systemCall(world: World, height: number): MainCall {
  return {
    ...nobody,
    hash: hashOf(world.seed, 'mainSystem', height),
    arrivedAt: mainBlockTime(world, height) - mainBlockMs,
    from: systemSender,
    to: systemContract,
    methodId: selectors.blockValues,
    input: selectors.blockValues + word(height) + word(mainBlockTime(world, height)),
    gasUsed: 46_000,
    type: 0x7e,
  }
}

export function fillCount(world: World, height: number): number {
  return Math.floor(mixUnit(world.seed, 0xf17, height) * (world.traffic.blockTransactions + 1))
}

/** A transaction that has nothing to do with the bridge. */
export function fillCall(world: World, height: number, place: number): MainCall {
  const key = height * fillPerBlock + place
  const draw = (aspect: number) => mixUnit(world.seed, key, aspect, 0x3f)
  const { from, to } = fillUsers(world, height, place)
  const call: MainCall = {
    ...nobody,
    hash: hashOf(world.seed, 'mainFill', key),
    arrivedAt: mainBlockTime(world, height) - 1 - Math.floor(draw(1) * (mainBlockMs - 1)),
    from: userAddress(world, from),
    to: userAddress(world, to),
    methodId: '',
    input: '0x',
    gasUsed: 21_000,
    type: draw(4) < 0.2 ? 0 : 2,
    failed: draw(5) < failedShare,
  }
  const kind = draw(6)
  if (kind < transferKinds.from)
    return { ...call, wei: BigInt(1 + Math.floor(draw(7) * 4e9)) * 1_000_000_000n }
  if (kind < transferKinds.to) return tokenCall(world, call, draw(7))
  if (kind < 0.8) return nftCall(world, call, key)
  return contractCall(world, call, draw(7))
}

/** Who sends such a transaction, and to whom what it moves goes. */
export function fillUsers(world: World, height: number, place: number): { from: number; to: number } {
  const key = height * fillPerBlock + place
  const user = (aspect: number) => mix(world.seed, key, aspect, 0x40) % world.traffic.users
  return { from: user(2), to: user(3) }
}

/** The token that such a transaction moves; undefined for all that move none of these. */
export function fillToken(
  world: World,
  height: number,
  place: number,
  fungible: readonly Token[],
): Token | undefined {
  const key = height * fillPerBlock + place
  const draw = (aspect: number) => mixUnit(world.seed, key, aspect, 0x3f)
  const kind = draw(6)
  if (kind < transferKinds.from || kind >= transferKinds.to || draw(5) < failedShare) return undefined
  return tokenAt(fungible, draw(7))
}

function tokenAt(fungible: readonly Token[], draw: number): Token {
  return nth(fungible, Math.floor(draw * fungible.length))
}

/** Whether a state batch is posted in a block. */
export function hasStateBatch(world: World, height: number): boolean {
  return height % stateBatchBlocks === mix(world.seed, 0x5b) % stateBatchBlocks
}

export function stateBatchCall(world: World, height: number): MainCall {
  const number = Math.floor(height / stateBatchBlocks)
  const root = hashOf(world.seed, 'invented', mix(height, 0x57a7e))
  const { bridge, poster } = world.contracts
  return {
    ...nobody,
    hash: hashOf(world.seed, 'mainFill', height * fillPerBlock + fillPerBlock - 1),
    arrivedAt: mainBlockTime(world, height) - 500,
    from: poster,
    to: bridge,
    methodId: selectors.stateBatch,
    input: selectors.stateBatch + word(number) + word(root),
    gasUsed: 118_000,
    type: 2,
    logs: [{ address: bridge, topics: [topics.stateBatch, topicOf(number)], data: root }],
  }
}

function tokenCall(world: World, call: MainCall, draw: number): MainCall {
  const tokens = world.tokens.filter((token) => token.type === 'ERC20')
  const token = tokenAt(tokens, draw)
  const units = 1 + Math.floor(((draw * 7919) % 1) * 5_000)
  const amountRaw = BigInt(units) * 10n ** BigInt(Math.max(0, token.decimals - 2))
  const moved = { from: call.from, to: call.to, amountRaw, tokenId: '', items: [] }
  return {
    ...call,
    to: token.address,
    methodId: selectors.transfer,
    input: selectors.transfer + word(moved.to) + word(amountRaw),
    gasUsed: 51_000,
    ...(call.failed ? {} : { moves: tokenMoves(token, moved), logs: [transferLog(token, call.from, moved)] }),
  }
}

function nftCall(world: World, call: MainCall, key: number): MainCall {
  const address = addressOf(world.seed, 'nft', 0)
  const tokenId = String(mix(key, 0x721) % 10_000)
  const common = {
    token: address,
    symbol: 'PASS',
    kind: 'ERC721',
    decimals: 0,
    amountRaw: 1n,
    tokenId,
  } as const
  const log = {
    address,
    topics: [topics.transfer, topicOf(call.from), topicOf(call.to), topicOf(BigInt(tokenId))],
    data: '0x',
  }
  return {
    ...call,
    to: address,
    methodId: '0x42842e0e', // safeTransferFrom(address,address,uint256)
    input: `0x42842e0e${word(call.from)}${word(call.to)}${word(BigInt(tokenId))}`,
    gasUsed: 72_000,
    ...(call.failed ? {} : { moves: [{ ...common, from: call.from, to: call.to }], logs: [log] }),
  }
}

function contractCall(world: World, call: MainCall, draw: number): MainCall {
  const router = addressOf(world.seed, 'router', 0)
  const pool = addressOf(world.seed, 'router', 1 + Math.floor(draw * 5))
  const wei = BigInt(1 + Math.floor(draw * 1e9)) * 1_000_000_000n
  return {
    ...call,
    to: router,
    methodId: selectors.swap,
    input: `${selectors.swap}${word(32)}${word(0)}`,
    wei,
    gasUsed: 140_000,
    internals: [
      { operation: 'call', from: router, to: pool, wei },
      { operation: 'staticcall', from: pool, to: router, wei: 0n },
    ],
  }
}
