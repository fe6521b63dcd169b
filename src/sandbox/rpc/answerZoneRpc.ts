import { encodeString, selectors, topicOf } from '../chain/abi.ts'
import { baselineOf, sumLegs } from '../chain/legSums.ts'
import { zoneMovedRaw } from '../chain/zoneLogs.ts'
import { isObject } from '../../lib/isObject.ts'
import { mix } from '../random.ts'
import type { Token } from '../tokens.ts'
import { zoneBlockTime } from '../heights.ts'
import { getTransfer } from '../transfers.ts'
import type { World } from '../world.ts'
import { answerJsonRpc } from './jsonRpc.ts'
import { invalidParams, RpcError } from './rpcError.ts'
import { hex } from './rpcObjects.ts'
import { addressIn, callIn, seedOf } from './rpcParams.ts'
import {
  createZoneRpcView,
  listLogs,
  zoneBlockByHash,
  zoneBlockObject,
  zoneChainId,
  zoneHeightOf,
  type ZoneLog,
  zoneReceipt,
  type ZoneRpcView,
  zoneTransactionByHash,
} from './zoneRpcView.ts'

/** Answers the text of one JSON-RPC request of the zone chain, or of a batch of them. */
export function answerZoneRpc(world: World, text: string): string {
  const view = createZoneRpcView(world)
  return answerJsonRpc(text, (method) => {
    const answer = Object.hasOwn(rpcMethods, method) ? rpcMethods[method] : undefined
    return answer && ((params) => answer(view, params))
  })
}

type Method = (view: ZoneRpcView, params: readonly unknown[]) => unknown

const rpcMethods: Readonly<Record<string, Method>> = {
  eth_blockNumber: ({ head }) => hex(head),
  eth_call: (view, [call, tag]) => callContract(view, call, zoneHeightOf(view, tag)),
  eth_getBalance: (view, [address, tag]) => {
    zoneHeightOf(view, tag)
    return hex(BigInt(mix(view.world.seed, seedOf(addressIn(address)), 0x20e)) * 1_000_000_000n)
  },
  eth_getBlockByHash: (view, [hash]) => zoneBlockByHash(view, hash),
  eth_getBlockByNumber: (view, [tag]) => zoneBlockObject(view, zoneHeightOf(view, tag)),
  eth_getTransactionReceipt: (view, [hash]) => {
    const found = zoneTransactionByHash(view, hash)
    return found && zoneReceipt(view.world, found)
  },
  eth_getLogs: (view, [filter]) => getLogs(view, filter),
  eth_chainId: () => hex(zoneChainId),
  net_version: () => String(zoneChainId),
  web3_clientVersion: () => 'sandbox-zone/1',
}

// More is refused, as providers do.
const maxLogBlocks = 2_000
const maxLogs = 10_000

function getLogs(view: ZoneRpcView, filter: unknown): ZoneLog[] {
  if (!isObject(filter)) throw invalidParams('expected a filter object')
  const from = zoneHeightOf(view, filter['fromBlock'])
  const until = Math.min(zoneHeightOf(view, filter['toBlock']), view.head)
  if (until - from >= maxLogBlocks)
    throw new RpcError(-32000, `block range too large: at most ${maxLogBlocks} blocks`)
  const addresses = [filter['address'] ?? []].flat().map((one) => addressIn(one))
  const found: ZoneLog[] = []
  for (let height = from; height <= until; height += 1)
    found.push(...listLogs(view.world, height).filter((log) => passes(log, addresses, filter['topics'])))
  if (found.length > maxLogs) throw new RpcError(-32000, `query returned more than ${maxLogs} results`)
  return found
}

/** A place of the topics may be null, one topic, or several of which one has to stand there. */
function passes({ address, topics }: ZoneLog, addresses: readonly string[], given: unknown): boolean {
  if (addresses.length > 0 && !addresses.includes(address)) return false
  const wanted: readonly unknown[] = Array.isArray(given) ? given : []
  return wanted.every((one, place) => {
    const any = [one ?? []].flat()
    return (
      any.length === 0 ||
      any.some((topic) => typeof topic === 'string' && topic.toLowerCase() === topics[place])
    )
  })
}

/** What a contract of the zone returns to a call at the end of a block. */
function callContract({ world }: ZoneRpcView, call: unknown, height: number): string {
  const { to, data } = callIn(call)
  const token = world.tokens.find(({ zoneAddress }) => zoneAddress === to)
  if (!token) return '0x'
  switch (data.slice(0, 10)) {
    case selectors.balanceOf:
      return topicOf(BigInt(mix(world.seed, seedOf(`0x${data.slice(34, 74)}`), seedOf(to))))
    case selectors.decimals:
      return topicOf(token.decimals)
    case selectors.symbol:
      return encodeString(token.symbol)
    case selectors.name:
      return encodeString(token.name)
    case selectors.totalSupply:
      // An ERC-1155 contract has no supply of the whole.
      if (token.type === 'ERC1155') throw reverted()
      return topicOf(supplyOf(world, token, height))
    default:
      throw reverted()
  }
}

function reverted(): RpcError {
  return new RpcError(-32015, 'VM execution error: execution reverted')
}

/** What stands for a token on the zone at the end of a block: what was there, and what came less what left since. */
function supplyOf(world: World, token: Token, height: number): bigint {
  const sums = sumLegs(world.supplySums, world.zoneLegs, height, (number) => issuedBy(world, number))
  const time = zoneBlockTime(world, height)
  const minted = world.mints
    .filter((mint) => mint.token === token.address && mint.at <= time)
    .reduce((sum, { raw }) => sum + raw, 0n)
  const supply = baselineOf(token) + (sums.get(token.address) ?? 0n) + minted
  return supply < 0n ? 0n : supply
}

function issuedBy(world: World, number: number): { readonly token: string; readonly change: bigint } {
  const transfer = getTransfer(world, number)
  const { direction, token, special } = transfer
  const { zoneError, sameOriginAs, zoneUnknownUntil } = special
  const isNone = zoneError !== undefined || sameOriginAs !== undefined || zoneUnknownUntil !== undefined
  const moved = isNone ? 0n : zoneMovedRaw(transfer)
  return { token: token.address, change: direction === 'MainToZone' ? moved : -moved }
}
