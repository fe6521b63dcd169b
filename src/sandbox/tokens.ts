import { addressOf } from './hashes.ts'

export interface Token {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** NATIVE: the main chain's own currency. */
  readonly type: 'ERC20' | 'ERC1155' | 'NATIVE'
  readonly address: string
  /** The contract on the zone chain that stands for the same token. */
  readonly zoneAddress: string
  /** How often it is moved, relative to the others. */
  readonly weight: number
  /** The usual amount in whole tokens. */
  readonly usual: number
}

const kinds = [
  { symbol: 'USDC', name: 'USDC', decimals: 6, type: 'ERC20', weight: 45, usual: 1_800 },
  { symbol: 'USDT', name: 'USDT', decimals: 6, type: 'ERC20', weight: 25, usual: 1_200 },
  { symbol: 'WETH', name: 'WETH', decimals: 18, type: 'ERC20', weight: 16, usual: 1.4 },
  { symbol: 'WBTC', name: 'WBTC', decimals: 8, type: 'ERC20', weight: 6, usual: 0.08 },
  { symbol: 'ACME', name: 'ACME', decimals: 18, type: 'ERC20', weight: 5, usual: 25_000 },
  { symbol: 'SHARES', name: 'Outcome Shares', decimals: 0, type: 'ERC1155', weight: 3, usual: 40 },
] as const

/** The address by which records name the chain's own currency. */
const noContract = `0x${'0'.repeat(40)}`

/**
 * The tokens that cross this world's bridge.
 * @param nativeShare the share of transfers that move the chain's own currency, below 1
 */
export function createTokens(seed: number, nativeShare = 0): readonly Token[] {
  const contracts = kinds.map((kind, key) => ({
    ...kind,
    address: addressOf(seed, 'token', key),
    zoneAddress: addressOf(seed, 'zoneToken', key),
  }))
  if (nativeShare === 0) return contracts
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0)
  const own = { symbol: 'ETH', name: 'Ether', decimals: 18, type: 'NATIVE', usual: 0.7 } as const
  const weight = (total * nativeShare) / (1 - nativeShare)
  const zoneAddress = addressOf(seed, 'zoneToken', kinds.length)
  return [...contracts, { ...own, weight, address: noContract, zoneAddress }]
}

export const tokenSymbols = kinds.map((kind) => kind.symbol)
export type TokenSymbol = (typeof kinds)[number]['symbol']

export function tokenBySymbol(tokens: readonly Token[], symbol: TokenSymbol): Token {
  const token = tokens.find((token) => token.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol}`)
  return token
}
