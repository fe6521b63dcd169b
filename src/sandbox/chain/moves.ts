import type { Token } from '../tokens.ts'
import type { BatchItem } from '../transfers.ts'
import { encodeLists, topicOf, topics, word } from './abi.ts'
import type { Log, TokenMove } from './mainTransaction.ts'

export interface Moved {
  readonly from: string
  readonly to: string
  readonly amountRaw: bigint
  readonly tokenId: string
  readonly items: readonly BatchItem[]
}

/** What the lists of token transfers show of a movement: one row, or one per token id; none of the chain's own currency. */
export function tokenMoves(token: Token, moved: Moved): TokenMove[] {
  if (token.type === 'NATIVE') return []
  const { from, to } = moved
  const common = {
    token: token.address,
    symbol: token.symbol,
    kind: token.type,
    decimals: token.decimals,
    from,
    to,
  }
  if (moved.items.length === 0) return [{ ...common, amountRaw: moved.amountRaw, tokenId: moved.tokenId }]
  return moved.items.map((item) => ({ ...common, amountRaw: item.amountRaw, tokenId: item.tokenId }))
}

/** The log that the token's contract writes for it. */
export function transferLog(token: Token, operator: string, moved: Moved): Log {
  const parties = [topicOf(moved.from), topicOf(moved.to)]
  if (token.type === 'ERC20') {
    return { address: token.address, topics: [topics.transfer, ...parties], data: topicOf(moved.amountRaw) }
  }
  if (moved.items.length === 0) {
    const data = `0x${word(BigInt(moved.tokenId || '0'))}${word(moved.amountRaw)}`
    return { address: token.address, topics: [topics.transferSingle, topicOf(operator), ...parties], data }
  }
  const lists = [moved.items.map((item) => BigInt(item.tokenId)), moved.items.map((item) => item.amountRaw)]
  return {
    address: token.address,
    topics: [topics.transferBatch, topicOf(operator), ...parties],
    data: `0x${encodeLists(lists)}`,
  }
}
