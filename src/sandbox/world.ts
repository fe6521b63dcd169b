import type { UnixMs } from '../lib/clock.ts'
import { type Answers, answersSchema } from './answers.ts'
import type { HistoryCache } from './chain/historyCache.ts'
import type { Log, MainTransaction, PreconfStory, TokenMove } from './chain/mainTransaction.ts'
import { createEventQueue, type EventQueue } from './eventQueue.ts'
import { addressOf } from './hashes.ts'
import { mixUnit, seedFromText } from './random.ts'
import type { History, StageSettings, Traffic } from './settings.ts'
import { createListIndex, type ListIndex } from './facets.ts'
import { createSortedIndex, type SortedIndex } from './sortedIndex.ts'
import { createStages, type Stages } from './stageState.ts'
import { createTokens, type Token } from './tokens.ts'
import type { CrossRecord, TransferSpec } from './transferSpec.ts'

/** Where the chain itself writes at the start of every block. */
export const systemContract = '0x4200000000000000000000000000000000000015'

/** What the explorer shows of the main chain, of the zone chain and of the list, and what the nodes do of each chain and of preconfirmations. */
export type ChainName = 'main' | 'zone' | 'list' | 'rpc' | 'zoneRpc' | 'preconf'

/** A time during which one of them stands still. */
interface Stall {
  readonly of: ChainName
  readonly from: UnixMs
  readonly until: UnixMs
}

/** A route that delivers nothing for a time: of a direction, of a token, or of everything. */
interface Closure {
  readonly from: UnixMs
  readonly until: UnixMs
  readonly direction?: 'MainToZone' | 'ZoneToMain'
  readonly token?: string
}

/** Something that happens to the world at an instant of its timeline. */
export interface TimedFault {
  readonly at: UnixMs
  readonly apply: (world: World) => void
}

interface Contracts {
  readonly bridge: string
  readonly bridgeImplementation: string
  readonly escrow: string
  readonly owner: string
  readonly relayer: string
  readonly poster: string
  readonly signer: string
  /** On the zone chain. */
  readonly zoneBridge: string
}

/** A transaction on the main chain that is neither a deposit, a payout nor filler. */
export interface ExtraTransaction {
  readonly at: UnixMs
  readonly from: string
  readonly to: string
  readonly methodId: string
  readonly wei?: bigint
  readonly failed?: boolean
  readonly logs: readonly Log[]
  readonly moves: readonly TokenMove[]
  readonly preconf?: PreconfStory
}

/** A transaction of the zone chain with everything that any endpoint shows of it. */
export interface ZoneTransaction {
  readonly hash: string
  readonly height: number
  readonly status: '0x1' | '0x0'
  readonly from: string
  readonly nonce: string
  readonly actionType: string
  readonly actionData: string
  readonly errorMessage: string
  readonly index: number
  readonly value: string
  readonly valueRaw: string
  readonly transfers: number
  readonly events: number
}

/** A sum over the legs of one chain so far: of each token, by its address. */
export interface LegSums {
  legs: number
  readonly byToken: Map<string, bigint>
}

/** What is true of the bridge's contract from an instant on. */
export interface ContractChange {
  readonly at: UnixMs
  readonly implementation?: string
  readonly owner?: string
  readonly paused?: boolean
  /** Of the verified source. */
  readonly compiler?: string
}

/**
 * Everything that has happened on both chains up to `now`. It is a function of (seed, settings, timeline, now): what
 * is drawn by lot is drawn per transfer from its own number, never from how often or in which steps time moved.
 * Of a transfer only its times and the owners of its transactions are stored, the rest follows from its key.
 */
export interface World {
  readonly seed: number
  readonly startAt: UnixMs
  readonly genesisAt: UnixMs
  readonly traffic: Traffic
  readonly history: History
  readonly answers: Answers
  readonly tokens: readonly Token[]
  readonly contracts: Contracts
  /** Made when first asked for. */
  readonly userAddresses: string[]
  /** Every address that holds code. */
  readonly codeAddresses: ReadonlySet<string>
  now: UnixMs
  /** Per transfer: the number that its hashes and traits come from. */
  readonly keys: number[]
  readonly originAt: number[]
  /** Infinity when it will never arrive. */
  readonly destinationAt: number[]
  /** The transfer whose key names the transaction: another one when transactions are shared. */
  readonly mainOwner: number[]
  readonly zoneOwner: number[]
  readonly specials: Map<number, TransferSpec>
  /** Transfer numbers that share a transaction, by its owner; most transactions hold one transfer and are not here. */
  readonly sharedMain: Map<number, number[]>
  readonly sharedZone: Map<number, number[]>
  readonly ordinary: number[]
  readonly injected: number[]
  /** Visible records by origin time. */
  readonly listed: SortedIndex
  readonly listIndex: ListIndex
  /** Transfers by the height of the block that holds their leg, once that block exists. */
  readonly mainLegs: SortedIndex
  readonly zoneLegs: SortedIndex
  readonly extras: ExtraTransaction[]
  readonly extrasAt: Map<number, number[]>
  readonly contractChanges: ContractChange[]
  /** `challengeStatus` of a transfer's main transaction, by transfer. */
  readonly challenges: Map<number, { readonly at: UnixMs; readonly status: string }[]>
  /** Native balances that a scenario sets. */
  /** Created on the zone chain by nobody's deposit, base units. */
  readonly mints: { readonly token: string; readonly at: UnixMs; readonly raw: bigint }[]
  readonly balances: { readonly address: string; readonly at: UnixMs; readonly wei: bigint }[]
  /** Finished blocks, so that paging through a range does not make them anew for every page. */
  readonly blockCache: Map<number, MainTransaction[]>
  /** Where in the chain the rows of a list stand, for lists that were asked for. */
  readonly historyCache: HistoryCache
  /** Records that will not change any more, and zone blocks: made once, as many as are cheap to keep. */
  readonly recordCache: Map<number, CrossRecord>
  readonly zoneBlockCache: Map<number, readonly ZoneTransaction[]>
  /** The rows that E3 shows of such records. */
  readonly shownRecords: WeakMap<CrossRecord, Record<string, string>>
  /** What the escrow took in, token by token, over the first `legs` of `mainLegs`. */
  readonly escrowSums: LegSums
  /** What the zone issued and took back, token by token, over the first `legs` of `zoneLegs`. */
  readonly supplySums: LegSums
  readonly queue: EventQueue
  readonly timeline: readonly TimedFault[]
  readonly stalls: Stall[]
  /** Times in which fewer transfers begin, or in which those of a route do not arrive. */
  readonly lulls: { readonly from: UnixMs; readonly until: UnixMs; readonly share: number }[]
  readonly closures: Closure[]
  /** Null where a withdrawal is paid without any. */
  readonly stages: Stages | null
  nextKey: number
  nextArrivalAt: UnixMs
  lastPayout: number
}

export interface WorldOptions {
  readonly seed: number | string
  readonly startAt: UnixMs
  readonly traffic: Traffic
  readonly history: History
  readonly answers?: Answers
  readonly stages?: StageSettings | null
  /** Times relative to `startAt`; negative ones happen in the history. */
  readonly timeline?: readonly TimedFault[]
}

/** A world at its genesis; `advanceWorld` (worldTime.ts) fills it. */
export function createWorld(options: WorldOptions): World {
  const seed = seedFromText(String(options.seed))
  const startAt = Math.floor(options.startAt / 1_000) * 1_000
  return {
    seed,
    startAt,
    genesisAt: startAt - Math.ceil(options.history.for / 1_000) * 1_000,
    traffic: options.traffic,
    history: options.history,
    answers: options.answers ?? answersSchema.parse({}),
    tokens: createTokens(seed, options.traffic.native),
    contracts: createContracts(seed),
    userAddresses: [],
    codeAddresses: codeAddresses(seed),
    now: Number.NEGATIVE_INFINITY,
    keys: [],
    originAt: [],
    destinationAt: [],
    mainOwner: [],
    zoneOwner: [],
    specials: new Map(),
    sharedMain: new Map(),
    sharedZone: new Map(),
    ordinary: [],
    injected: [],
    listed: createSortedIndex(),
    listIndex: createListIndex(),
    mainLegs: createSortedIndex(),
    zoneLegs: createSortedIndex(),
    extras: [],
    extrasAt: new Map(),
    contractChanges: [],
    challenges: new Map(),
    mints: [],
    balances: [],
    blockCache: new Map(),
    historyCache: new Map(),
    recordCache: new Map(),
    zoneBlockCache: new Map(),
    shownRecords: new WeakMap(),
    escrowSums: { legs: 0, byToken: new Map() },
    supplySums: { legs: 0, byToken: new Map() },
    queue: createEventQueue(),
    timeline: (options.timeline ?? []).map((fault) => ({ ...fault, at: startAt + fault.at })),
    stalls: [],
    lulls: [],
    closures: [],
    stages: options.stages ? createStages(options.stages) : null,
    nextKey: 0,
    nextArrivalAt: Number.NEGATIVE_INFINITY,
    lastPayout: -1,
  }
}

/** How far the main chain, the zone chain or the list has come at `now`: behind it while it stands still. */
export function reachedAt(world: World, of: ChainName, now: UnixMs = world.now): UnixMs {
  let reached = now
  for (const stall of world.stalls) {
    if (stall.of === of && stall.from <= now && now < stall.until) reached = Math.min(reached, stall.from)
  }
  return reached
}

/** The address of a user; the first few of them move most of the value. */
export function userAddress(world: World, user: number): string {
  return (world.userAddresses[user] ??= addressOf(world.seed, 'user', user))
}

/** How long after a block the list shows a transfer's leg in it. */
export function listLagMs(world: World, key: number, leg: 0 | 1): number {
  const { min, max } = world.traffic.listLag
  return Math.round(min + (max - min) * mixUnit(world.seed, 0x1a6, key, leg))
}

function codeAddresses(seed: number): Set<string> {
  const { bridge, bridgeImplementation, escrow } = createContracts(seed)
  const others = [0, 1, 2, 3, 4, 5].map((key) => addressOf(seed, 'router', key))
  const tokens = createTokens(seed).map((token) => token.address)
  return new Set([
    bridge,
    bridgeImplementation,
    escrow,
    systemContract,
    addressOf(seed, 'nft', 0),
    ...others,
    ...tokens,
  ])
}

function createContracts(seed: number): Contracts {
  const address = (key: number) => addressOf(seed, 'contract', key)
  return {
    bridge: address(0),
    bridgeImplementation: address(1),
    escrow: address(2),
    owner: address(3),
    relayer: address(4),
    poster: address(5),
    signer: address(6),
    zoneBridge: address(7),
  }
}
