import type { UnixMs } from '../lib/clock.ts'
import type { Agreement } from './agreement.ts'
import type { Chain, Direction, Status, UnsaidField } from './observation.ts'

export const transferStates = ['pending', 'completed', 'failed', 'unbacked'] as const
/** Derived, never stored by hand: ledger/deriving/deriveTransfer.ts says when each may be said. */
export type TransferState = (typeof transferStates)[number]

export interface Leg {
  readonly chain: Chain
  readonly hash: string
  readonly height: number | null
  /** Block time. */
  readonly time: UnixMs | null
}

export interface TransferToken {
  /** Lower-case contract address; '' when the records name none. */
  readonly address: string
  /** The transfer has no record, and nothing says which token its events are about: '' is then not the native currency. */
  readonly isUnknown?: true
  /** From the configuration, by address; null when the token is not listed there. */
  readonly symbol: string | null
  /** From the chain, cleaned: untrusted. */
  readonly name: string
  readonly type: string
  /** '' unless ERC-1155. */
  readonly id: string
  /** From the configuration, else learned from a record that gives both amounts; null when unknown. */
  readonly decimals: number | null
  /** The address that it moves under on the main chain, where that was learned to be another one; '' is the native currency. */
  readonly movedAs?: string
}

/** Who can say something of a leg beside the record: endpoints of the explorer, or the node of its chain. `E3`: no record of it. */
export type EvidenceSource = (typeof evidenceSources)[number]
export const evidenceSources = [
  'E2',
  'E3',
  'E6',
  'E7',
  'E9',
  'E13',
  'E14',
  'E15',
  'E16',
  'E19',
  'E21',
  'canonical',
  'zoneRpc',
] as const

/** One movement of a token within a main transaction, as a second source shows it. */
export interface TokenMove {
  /** Lower-case contract address; '' for the native currency. */
  readonly token: string
  readonly from: string
  readonly to: string
  /** Base units; null where the source gives token units only and the token's decimals are unknown, or where it cannot be read. */
  readonly amountRaw: bigint | null
  /** Token units; null where the source gives base units only, or where it cannot be read: from and to are '' as well then. */
  readonly amount: string | null
  readonly tokenId: string
}

/** What one transaction moves is kept up to so many movements: more payouts fit no block, and nobody may fill the disk with one. */
export const mostMoves = 2_000

/** What a second source says of one leg, with the time of its request. */
export interface LegEvidence {
  readonly chain: Chain
  readonly hash: string
  readonly source: EvidenceSource
  readonly at: UnixMs
  /** The request of the first answer that said the same, without another between; left out, it was this one. */
  readonly since?: UnixMs
  /** `absent`: by the rules of absence, not by one empty answer. */
  readonly status: Status | 'absent'
  readonly errorMessage: string
  /** The tokens that moved in the transaction; null when the source does not say. */
  readonly moves: readonly TokenMove[] | null
  /** Several answers put together: it shows tokens and native currency alike. */
  readonly isWhole?: boolean
  /** The amount of the zone's action in base units, where the source gives one. */
  readonly amountRaw?: bigint | null
  /** The same in token units. */
  readonly amount?: string | null
  /** What kind of action a zone transaction is, in the chain's words. */
  readonly actionType?: string
  /** All of that action, as the JSON text that the chain gives. */
  readonly action?: string
  /** Whom a deposit's own event names, where its record names another. */
  readonly recipient?: string
  /** That is so as far as few samples tell. */
  readonly isFew?: boolean
  /** Of an origin that was paid before the ledger begins: the transaction that did. */
  readonly paidIn?: string
  /** Which of its withdrawals were, and by which transactions; left out by what was read before this was kept. */
  readonly earlier?: readonly EarlierPayout[]
  /** How many readings it rests on, where one alone says nothing. */
  readonly reads?: number
  /** Who should have said it, or agreed, and was asked in vain. */
  readonly unasked?: EvidenceSource
  /** Which sources say that it is absent. */
  readonly agreement?: Agreement
  readonly height?: number | null
  /** Block time. */
  readonly time?: UnixMs | null
}

/** A payout of before the ledger, told apart from others of its zone transaction by what it paid. */
export interface EarlierPayout {
  readonly hash: string
  readonly recipient: string
  /** Base units, decimal. */
  readonly amountRaw: string
}

/** What paid this withdrawal before the ledger begins; null where nothing is known to have. */
export function paidBefore(
  { targetAddress, amountRaw }: Transfer,
  { paidIn, earlier }: LegEvidence,
): string | null {
  if (earlier === undefined) return paidIn ?? null
  const of = earlier.find((one) => one.recipient === targetAddress && one.amountRaw === `${amountRaw ?? ''}`)
  return of?.hash ?? null
}

/**
 * What is known of an origin leg beside the record: `absent` by the rules of absence, `unverified` while nothing was
 * asked or nothing can be said.
 */
export type OriginProof = 'proven' | 'unverified' | 'failed' | 'absent'

/** A final record that later said something else, confirmed by E12. Amounts as decimal strings. */
export interface Rewrite {
  readonly at: UnixMs
  /** Names of the fields that changed, e.g. `status`, `amountRaw`, `mainHash`. */
  readonly before: Readonly<Record<string, string>>
  readonly after: Readonly<Record<string, string>>
}

/** A payout that a transfer's records named before, and name no more. */
export interface ReplacedPayout {
  readonly chain: Chain
  readonly hash: string
  /** Since when another one is named in its place. */
  readonly at: UnixMs
  /** When it took the place of the present one, where the record came back to that. */
  readonly replacedAt?: UnixMs
}

/** One crossing of value, as the ledger derives it from every observation of it. */
export interface Transfer {
  /** The ledger's own name for it, e.g. `t42`: the subject of its alerts, stable for its life. */
  readonly key: string
  readonly id: string | null
  readonly direction: Direction
  readonly crossType: string
  readonly state: TransferState
  /** The newest status of its records. */
  readonly status: Status
  /** The newest status by E12 alone: what may confirm a failure or a correction. */
  readonly confirmedStatus: Status
  /** Whether it has a record; false while events of the chain alone show it. */
  readonly isListed: boolean
  /** When the newest leg that a record names happened, whatever the chains show beside; null while none does. */
  readonly listedLegAt?: UnixMs | null
  /** What the record said when it was first seen: distinguishes news from history. */
  readonly firstStatus: Status
  readonly main: Leg | null
  readonly zone: Leg | null
  readonly zoneEventIndex: string | null
  readonly from: string
  readonly to: string
  readonly sourceAddress: string
  readonly targetAddress: string
  readonly token: TransferToken
  readonly amountRaw: bigint | null
  /** Token units, exact, no separators; null when neither form of the amount is known. */
  readonly amount: string | null
  /** The token's decimals by the record's own two amounts; null when they do not show it. */
  readonly recordDecimals: number | null
  readonly batchDetail: string | null
  readonly updateTime: UnixMs | null
  /** When value left: the origin leg's block time, never later than `firstSeenAt`. */
  readonly originAt: UnixMs
  readonly destinationAt: UnixMs | null
  readonly firstSeenAt: UnixMs
  readonly changedAt: UnixMs
  /** Request time of the newest answer that showed it. */
  readonly readAt: UnixMs
  /** When it was last asked for by its hash and no record was there. */
  readonly soughtAt?: UnixMs
  /** Of a withdrawal without a name of its own: when E12 last showed it as the only one like it in its zone transaction. */
  readonly onlyAt?: UnixMs
  readonly evidence: readonly LegEvidence[]
  readonly originProof: OriginProof
  /** Of a payout without a record: the origin that its event names, where it names one. */
  readonly claim?: OriginClaim
  readonly rewrites: readonly Rewrite[]
  /** Left out where its records only ever named one payout. */
  readonly replaced?: readonly ReplacedPayout[]
  /** What no record of it says, not even that it is empty: nothing that rests on it can be judged. */
  readonly unsaid?: readonly UnsaidField[]
  /** Records that could belong to this transfer or to another one equal to it; kept apart, never guessed. */
  readonly ambiguous: number
}

export function originChain(direction: Direction): Chain {
  return direction === 'MainToZone' ? 'main' : 'zone'
}

/** Whether it is one of many that are paid together, in words that are not documented. */
export function isBatch({ crossType }: Pick<Transfer, 'crossType'>): boolean {
  return /batch/i.test(crossType)
}

export function originLeg(transfer: Pick<Transfer, 'direction' | 'main' | 'zone'>): Leg | null {
  return transfer.direction === 'MainToZone' ? transfer.main : transfer.zone
}

export function destinationLeg(transfer: Pick<Transfer, 'direction' | 'main' | 'zone'>): Leg | null {
  return transfer.direction === 'MainToZone' ? transfer.zone : transfer.main
}

/** When a leg happened: its block's time, and never later than it was read; when value left, where the block has none. */
export function legTime(
  { main, zone, originAt, readAt }: Pick<Transfer, 'main' | 'zone' | 'originAt' | 'readAt'>,
  chain: Chain,
): UnixMs {
  const { time = null } = (chain === 'main' ? main : zone) ?? {}
  return time === null ? originAt : Math.min(time, readAt)
}

/** Whether its own transaction failed where it set out, and nothing is known to have arrived: its sender still has all of it. */
export function leftNothing(
  transfer: Pick<Transfer, 'state' | 'originProof' | 'direction' | 'main' | 'zone'>,
): boolean {
  return transfer.state === 'failed' && transfer.originProof === 'failed' && destinationLeg(transfer) === null
}

/** On whose behalf a transfer was made, as far as its records say. */
export function partyOf({ direction, sourceAddress, targetAddress, from }: Transfer): string {
  return direction === 'ZoneToMain' ? targetAddress || sourceAddress : sourceAddress || from || targetAddress
}

/**
 * The zone transaction that a payout's own event names as its origin, while no record does. It is no leg: anybody who
 * can pay can name any hash. `proven`: the zone knows it as a withdrawal of at least so much; `unsaid`: as a withdrawal,
 * and not of how much; `refuted`: it is not there, failed, or is something else; `open`: not answered yet.
 */
export interface OriginClaim {
  readonly hash: string
  readonly proof: 'proven' | 'unsaid' | 'open' | 'refuted'
}
