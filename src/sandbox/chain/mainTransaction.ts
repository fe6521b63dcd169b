import type { UnixMs } from '../../lib/clock.ts'

type TokenKind = 'ERC20' | 'ERC721' | 'ERC1155'

export interface TokenMove {
  readonly token: string
  readonly symbol: string
  readonly kind: TokenKind
  readonly decimals: number
  readonly from: string
  readonly to: string
  readonly amountRaw: bigint
  readonly tokenId: string
}

export interface InternalCall {
  readonly operation: 'call' | 'staticcall' | 'delegatecall'
  readonly from: string
  readonly to: string
  readonly wei: bigint
}

export interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** A transaction of the main chain with everything that any endpoint shows of it, before it has a place in a block. */
export interface MainCall {
  readonly hash: string
  /** When it reached the sequencer; its place in the block follows from it. */
  readonly arrivedAt: UnixMs
  readonly from: string
  readonly to: string
  readonly methodId: string
  readonly input: string
  readonly wei: bigint
  readonly gasUsed: number
  /** EIP-2718: 0, 1, 2, or 0x7e for what the chain itself puts first into every block. */
  readonly type: 0 | 1 | 2 | 0x7e
  readonly failed: boolean
  readonly moves: readonly TokenMove[]
  readonly internals: readonly InternalCall[]
  readonly logs: readonly Log[]
  readonly challengeStatus: string
  readonly preconf?: PreconfStory
  /** Until then no node of the main chain knows it, whatever the explorer shows. */
  readonly unknownUntil?: UnixMs
}

/** How the preconfirmation of a transaction differs from what becomes of it. */
export interface PreconfStory {
  /** Seen preconfirmed, then in no block. */
  readonly dropped?: boolean
  /** Preconfirmed with the other outcome. */
  readonly flipped?: boolean
  /** Preconfirmed so many blocks before the one that holds it. */
  readonly movedBy?: number
  /** Never preconfirmed: first seen in its block. */
  readonly unseen?: boolean
}

export interface MainTransaction extends MainCall {
  readonly height: number
  readonly index: number
  /** Position of its first log in the block. */
  readonly firstLog: number
}

export const gasPriceWei = 1_200_000_000n
