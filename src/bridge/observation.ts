import type { UnixMs } from '../lib/clock.ts'

export const directions = ['MainToZone', 'ZoneToMain'] as const
export type Direction = (typeof directions)[number]
export const chains = ['main', 'zone'] as const
export type Chain = (typeof chains)[number]
/** The documented ones: a record may have another. */
export const crossTypes = ['Deposit', 'Withdraw', 'BatchWithdraw'] as const
export const tokenTypes = ['ERC20', 'ERC721', 'ERC1155'] as const
/** `unknown` is an empty status: neither success nor failure may be said of it. */
export type Status = 'success' | 'failed' | 'unknown'
/**
 * Where a record came from: E3 is the feed, E12 the detail by zone hash. `chain` is no record: an event of a bridge
 * contract that means a transfer. It says less than a record and gives way to one wherever they differ.
 */
export type RecordSource = 'E3' | 'E12' | 'chain'

/** Fields whose being unsaid withholds more than what they would say. */
export type UnsaidField =
  | 'mainHash'
  | 'zoneHash'
  | 'token'
  | 'tokenId'
  | 'amountRaw'
  | 'value'
  | 'targetAddress'
  | 'crossType'
  | 'status'
  | 'batchDetail'

/**
 * One cross-chain record (R14) as one answer gave it, normalised: hashes and addresses lower-case, free text cleaned
 * (lib/text.ts), times as UnixMs, an empty field as null (or '' for text). All-zero hashes are empty.
 */
export interface Observation {
  readonly source: RecordSource
  /** When the request that brought it was sent, by our clock. */
  readonly requestedAt: UnixMs
  readonly id: string | null
  readonly direction: Direction
  /** `Deposit`, `Withdraw`, `BatchWithdraw`, or a word that the contract does not know yet. */
  readonly crossType: string
  readonly status: Status
  readonly mainHash: string | null
  readonly mainHeight: number | null
  readonly mainTime: UnixMs | null
  readonly zoneHash: string | null
  readonly zoneHeight: number | null
  readonly zoneTime: UnixMs | null
  readonly from: string
  readonly to: string
  readonly sourceAddress: string
  readonly targetAddress: string
  /** Token units as given, e.g. `1.5`; null when empty. Never used for arithmetic when `amountRaw` is there. */
  readonly value: string | null
  /** Base units. */
  readonly amountRaw: bigint | null
  readonly token: string
  readonly tokenType: string
  readonly tokenId: string
  readonly tokenName: string
  /** E12 only, null elsewhere. */
  readonly zoneEventIndex: string | null
  readonly zoneBlockHash: string | null
  readonly batchDetail: string | null
  readonly updateTime: UnixMs | null
  readonly pushHeight: number | null
  /**
   * Fields of which the record said nothing, not even that they are empty, separated by commas; with a `-` before those
   * that it may leave out while the transfer is in flight, a `?` where a row that could not be read stood beside it: that it
   * was the only one there is then not said; and a `!` before a chain whose height its time contradicts.
   */
  readonly unsaid?: string
  /** Of an event of the chain alone: its place among its transaction's, so that equal events stay several. */
  readonly logIndex?: string | null
}

/** What E9 or E14 says of one zone transaction (R13). */
export interface ZoneTransaction {
  readonly source: 'E9' | 'E14'
  readonly requestedAt: UnixMs
  readonly hash: string
  readonly height: number | null
  readonly time: UnixMs | null
  readonly status: Status
  readonly actionType: string
  readonly errorMessage: string
}
