import {
  addressOf,
  type Chain,
  type Chance,
  createChance,
  pocketOf,
  type Style,
  type Token,
} from './chain.ts'
import { createActors, type Actors } from './actors.ts'

export interface Bridge {
  readonly chain: Chain
  readonly style: Style
  readonly actors: Actors
  readonly chance: Chance
}

/** A bridge with its tokens and no traffic yet; its style is drawn from the seed. */
export function createBridge(seed: number | string, startAt: number, historyMs = 3_600_000): Bridge {
  const chance = createChance(seed)
  const tokens = createTokens(seed)
  const start = Math.floor(startAt / 1_000) * 1_000
  const chain: Chain = {
    startAt: start,
    genesisAt: start - historyMs,
    tokens,
    dormant: [],
    bridge: addressOf(seed, 'bridge'),
    escrow: addressOf(seed, 'escrow'),
    relayer: addressOf(seed, 'relayer'),
    signer: addressOf(seed, 'signer'),
    endowment: new Map(),
    mainTxs: [],
    zoneTxs: [],
    entries: [],
    reorgs: [],
  }
  for (const token of tokens) {
    if (token.type === 'ERC1155') {
      for (let id = 1; id <= 60; id += 1) chain.endowment.set(pocketOf(token, String(id)), 1_000_000n)
      continue
    }
    chain.endowment.set(pocketOf(token), 5_000_000n * 10n ** BigInt(token.decimals))
  }
  chain.endowment.set('native', 80_000n * 10n ** 18n)
  const style: Style = {
    action: chance.pick(['flat', 'nested', 'listed', 'decimal']),
    event: chance.pick(['full', 'numbered', 'bare']),
    fee: chance.pick([0, 0, 0.002]),
    collects: chance.is(0.5),
  }
  return { chain, style, chance, actors: createActors(seed, chain, style, chance) }
}

function createTokens(seed: number | string): Token[] {
  const token = (symbol: string, decimals: number, more: Partial<Token> = {}): Token => ({
    address: addressOf(seed, 'token', symbol),
    symbol,
    name: `${symbol} token`,
    decimals,
    type: 'ERC20',
    keeps: 0,
    ...more,
  })
  return [
    token('USDX', 6),
    token('WCOIN', 18),
    token('WHOLE', 0),
    token('EIGHT', 8),
    token('TAXED', 9, { keeps: 0.01 }),
    token('ITEMS', 0, { type: 'ERC1155' }),
    token('COIN', 18, { type: 'NATIVE', address: `0x${'0'.repeat(40)}` }),
  ]
}
