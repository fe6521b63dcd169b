import { isObject } from '../../lib/isObject.ts'
import { encodeString, implementationSlot, selectors, topicOf } from '../chain/abi.ts'
import { implementationAt } from '../chain/bridgeCalls.ts'
import { isContract } from '../chain/contracts.ts'
import { escrowBalance } from '../chain/escrow.ts'
import { hashOf } from '../hashes.ts'
import { mainBlockTime } from '../heights.ts'
import { mix } from '../random.ts'
import type { Token } from '../tokens.ts'
import type { World } from '../world.ts'
import { invalidParams, RpcError } from './rpcError.ts'
import { hex } from './rpcObjects.ts'

/** What a contract returns to a call at the end of a block. */
export function callContract(world: World, call: unknown, height: number): string {
  const { to, data } = callOf(call)
  const token = world.tokens.find((token) => token.address === to)
  if (token) return callToken(world, token, data, height)
  if (to === world.contracts.bridge) return callBridge(world, data, height)
  return '0x'
}

export function estimateGas(call: unknown): string {
  const { data } = callOf(call)
  return hex(21_000 + (data.length - 2) * 8)
}

/** What an address holds of the chain's own currency. */
export function nativeBalance(world: World, address: string, height: number): bigint {
  const at = mainBlockTime(world, height)
  const given = world.balances.findLast((balance) => balance.address === address && balance.at <= at)
  if (given) return given.wei
  const { relayer, poster, escrow } = world.contracts
  const own = world.tokens.find((token) => token.type === 'NATIVE')
  if (own && address === escrow) return escrowBalance(world, own, height)
  if (address === relayer || address === poster) return 2_500_000_000_000_000_000n
  if (isContract(world, address)) return 0n
  return BigInt(mix(world.seed, seedOf(address), 0xba1)) * 1_000_000_000n
}

/** The code at an address; people have none. */
export function codeAt(world: World, address: string): string {
  if (!isContract(world, address)) return '0x'
  return `0x6080604052${hashOf(world.seed, 'invented', seedOf(address)).slice(2)}`
}

export function storageAt(world: World, address: string, slot: string): string {
  const isSlot = BigInt(slot) === BigInt(implementationSlot)
  return address === world.contracts.bridge && isSlot ? topicOf(implementationAt(world)) : topicOf(0)
}

function callToken(world: World, token: Token, data: string, height: number): string {
  switch (data.slice(0, 10)) {
    case selectors.balanceOf: {
      const owner = `0x${data.slice(34, 74)}`
      if (owner === world.contracts.escrow) return topicOf(escrowBalance(world, token, height))
      return topicOf(
        BigInt(mix(world.seed, seedOf(owner), seedOf(token.address))) * 10n ** BigInt(token.decimals >> 1),
      )
    }
    case selectors.balanceOfId:
      return topicOf(BigInt(mix(world.seed, seedOf(data.slice(34, 44))) % 100))
    case selectors.decimals:
      return topicOf(token.decimals)
    case selectors.symbol:
      return encodeString(token.symbol)
    case selectors.name:
      return encodeString(token.name)
    case selectors.totalSupply:
      return topicOf(escrowBalance(world, token, height) * 10n)
    default:
      throw new RpcError(-32015, 'VM execution error: execution reverted')
  }
}

function callBridge(world: World, data: string, height: number): string {
  const until = mainBlockTime(world, height)
  const changes = world.contractChanges.filter((change) => change.at <= until)
  switch (data.slice(0, 10)) {
    case selectors.owner:
      return topicOf(changes.findLast((change) => change.owner !== undefined)?.owner ?? world.contracts.owner)
    case selectors.paused:
      return topicOf(changes.findLast((change) => change.paused !== undefined)?.paused === true ? 1 : 0)
    case selectors.implementation:
      return topicOf(implementationAt(world))
    default:
      throw new RpcError(-32015, 'VM execution error: execution reverted')
  }
}

function callOf(call: unknown): { to: string; data: string } {
  if (!isObject(call)) throw invalidParams('expected a call object')
  const { to, data, input } = call
  const text = data ?? input ?? '0x'
  if (typeof to !== 'string' || typeof text !== 'string') throw invalidParams('expected to and data')
  return { to: to.toLowerCase(), data: text.toLowerCase() }
}

function seedOf(address: string): number {
  return Number.parseInt(address.replace(/^0x/, '').slice(0, 8), 16)
}
