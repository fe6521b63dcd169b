import type { UnixMs } from '../lib/clock.ts'
import type { Direction } from './observation.ts'

/** One event of a bridge contract, hex in lower case. */
export interface BridgeLog {
  readonly contract: string
  readonly hash: string
  readonly height: number
  /** Block time; null when the answer names none. */
  readonly time: UnixMs | null
  /** Names the event within its transaction and contract: the log index, or its place among those of one answer. */
  readonly place: string
  readonly topics: readonly string[]
  readonly data: string
  /** What it says by its verified ABI, where one is known. */
  readonly args?: EventArguments
}

/** Hex of 20 or 32 bytes by the names of an ABI. */
export type EventArguments = Readonly<Record<string, string>>

/** What an event can say of a transfer. */
export const contentFields = ['token', 'recipient', 'sender', 'amount', 'tokenId', 'zoneHash'] as const
export type ContentField = (typeof contentFields)[number]

/** Addresses and hashes as hex, numbers in decimal digits; '' where nothing is known. */
export type EventContent = Readonly<Record<ContentField, string>>

/** An event beside the one transfer that it stands for, as the records of the list say it. */
export interface EventSample extends Pick<BridgeLog, 'hash' | 'topics' | 'data' | 'args'> {
  readonly direction: Direction
  readonly content: EventContent
}

/** Which events mean a transfer, and which an act of administration. */
export type EventMeaning = 'deposit' | 'payout' | 'administration'

export function topicOf(log: Pick<BridgeLog, 'topics'>): string {
  return log.topics[0] ?? ''
}
