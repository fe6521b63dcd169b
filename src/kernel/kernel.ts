import type { AlertEngine } from '../alerts/alertEngine.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import type { Explorer } from '../clients/explorer/createExplorer.ts'
import type { Seat } from '../clients/seat.ts'
import type { Channel, DeliveryResult } from '../delivery/channels/message.ts'
import type { Learned } from '../ledger/lessons/learned.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { CorrectedClock } from '../lib/correctedClock.ts'
import type { Logger } from '../lib/log.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { Role } from '../store/changeLog.ts'
import type { WalkCursors } from '../store/cursors.ts'
import type { Database } from '../store/database.ts'
import type { State } from '../store/state.ts'
import type { RequestNumbers } from '../store/requestNumbers.ts'
import type { FollowedActs } from './acts.ts'
import type { EndpointLags } from './heads/endpointLags.ts'
import type { ContractReads } from './reads/contractReads.ts'
import type { HorizonWatch, ListReadings } from './heads/horizons.ts'
import type { BlockListeners } from './reads/mainBlocks.ts'
import type { NodeChains } from './heads/nodeChains.ts'
import type { CommitInSlices } from './commitInSlices.ts'
import type { Commit, ExplorerReads } from './reads/reads.ts'
import type { Rpcs } from './rpcs.ts'
import type { AppConfig } from './settings.ts'
import type { LogListeners } from './bridgeLogs.ts'
import type { FollowedStages, FollowedWords } from './stages.ts'
import type { FollowedStakes } from './stakes.ts'
import type { TrackedHead } from './heads/trackHead.ts'

/** What every check stands on: the ledger and the way into it, the sources, the way out, and the clock. */
export interface Kernel {
  readonly config: AppConfig
  readonly clock: CorrectedClock
  readonly log: Logger
  readonly random: () => number
  readonly state: State
  readonly db: Database
  readonly cursors: WalkCursors
  readonly ledger: Ledger
  readonly learned: Learned
  readonly alerts: AlertStore
  readonly engine: AlertEngine
  readonly explorer: Explorer
  /** Who sits there, one by one. */
  readonly explorers: Seat<Explorer>
  readonly rpcs: Rpcs
  /** Whether the main chain's nodes are of the explorer's chain. */
  readonly nodeChains: NodeChains
  readonly reads: ExplorerReads
  readonly contractReads: ContractReads
  /** Takes a number for each request that a check sends past the explorer's client. */
  readonly numbers: RequestNumbers
  /** The only way into the ledger: one transaction with the alerts that follow. */
  readonly commit: Commit
  /** The same of what may be much, as a page of the list. */
  readonly commitInSlices: CommitInSlices
  readonly horizons: HorizonWatch
  readonly endpointLags: EndpointLags
  readonly list: ListReadings
  /** The heads by the chains' own nodes, as a record that their pollers write; null before one was read. */
  readonly nodeHeads: { main: TrackedHead | null; zone: TrackedHead | null }
  /** Look at every block of the main chain that is read, whatever for. */
  readonly blockListeners: BlockListeners
  /** Look at every new log of the bridge's contracts. */
  readonly logListeners: LogListeners
  readonly stages: FollowedStages
  readonly challengeWords: FollowedWords
  readonly stakes: FollowedStakes
  readonly acts: FollowedActs
  readonly channels: readonly Channel[]
  /** What a channel made of a message that did not come from the outbox. */
  readonly noteAnswer: (channel: string, result: DeliveryResult, now: UnixMs) => void
  readonly startedAt: UnixMs
  /** When this ledger was first watched by. */
  readonly firstStartAt: UnixMs
  /** What was final before this is history, not news. */
  readonly tellSince: UnixMs
  /** How long after its block a record may first be listed, ms. */
  readonly settleMs: () => number
  /** By how much a source's clock is ahead of ours, at most, ms. */
  readonly clockAheadMs: () => number
  readonly live: LiveRules
  /** Null where this process is alone. */
  readonly replica: (() => ReplicaStatus) | null
  readonly kinds: Kinds
  readonly rules: () => readonly LoadedRule[]
  /** Runs a poller now, or once more as soon as its present run ends. */
  readonly trigger: (poller: string) => void
}

/** How a process stands to the others of its bridge. */
export interface ReplicaStatus {
  readonly node: string
  readonly role: Role
  /** Who watches, and since when; null where that is not known. */
  readonly holder: { readonly node: string; readonly since: UnixMs; readonly pageUrl: string | null } | null
  /** Since when PostgreSQL does not answer, and what it said; null while it does. */
  readonly unreachable: { readonly since: UnixMs; readonly problem: string } | null
  /** Nodes that have not been seen for a while, and since when. */
  readonly missing: readonly { readonly node: string; readonly since: UnixMs }[]
  /** When what the holder committed was last taken over, or acknowledged; null before. */
  readonly inStepAt: UnixMs | null
  /** Of the lease that this node knows of. */
  readonly epoch: number
  /** Changes that a holder has not pushed, or a follower has not taken over; null while that is not known. */
  readonly behind: number | null
  /** All nodes, this one too, as PostgreSQL last named them. */
  readonly nodes: readonly ReplicaNode[]
}

export interface ReplicaNode {
  readonly node: string
  readonly role: string
  readonly seq: number
  readonly program: string
  readonly pageUrl: string | null
  /** When it last said that it is there, by our clock. */
  readonly seenAt: UnixMs
}

/** The rules that are judged by, as a record that whoever loads rules writes. */
export interface LiveRules {
  rules: readonly LoadedRule[]
  /** Why the newest edit was refused; null when it was not. */
  rejected: { readonly at: UnixMs; readonly problems: readonly string[] } | null
}
