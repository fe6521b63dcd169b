import type { Direction } from '../bridge/observation.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { SourceHealth } from '../clients/sourceHealth.ts'
import type { LatencyFacts } from '../ledger/transfers/readLatency.ts'
import type { Moment } from '../rules/kind.ts'
import type { EndpointLag } from './heads/endpointLags.ts'
import type { Head } from './heads/heads.ts'
import type { PollerHealth } from './running/runner.ts'
import type { Standing } from './stages.ts'
import type { TrackedHead } from './heads/trackHead.ts'
import type { UnixMs } from '../lib/clock.ts'

/** Records that could not be read, or that answer another question than was asked, by endpoint. */
interface DriftFact {
  readonly endpoint: string
  readonly count: number
  readonly firstAt: UnixMs
  readonly lastAt: UnixMs
  /** What was expected, what came and where, e.g. `valueRaw: expected a decimal uint256, got a number`. */
  readonly problem: string
  /** Whether some of them belong to the list: rows that a filter should have left out say nothing of it. */
  readonly isOfList: boolean
  /** Of an endpoint that shows money what the newest rows name that could not be read, by when each was first seen, oldest first. */
  readonly named?: readonly { readonly hash: string; readonly at: UnixMs }[]
}

/** A documented key that records of an endpoint do not have, or fill with what nobody understands. */
interface LackFact {
  /** Left out, the explorer's. */
  readonly source?: string
  /** Of a node with its name. */
  readonly endpoint: string
  readonly key: string
  readonly use: 'judged' | 'shown'
  /** How many rows of the newest answer that lacked it, `of` how many. */
  readonly rows: number
  readonly of: number
  readonly problem: string
  readonly firstAt: UnixMs
  readonly lastAt: UnixMs
  /** Whether the newest answer with rows lacked it too. */
  readonly isStill: boolean
  /** Whether no row has had it lately. */
  readonly isWhole: boolean
  /** Transactions whose rows they are, where they say it. */
  readonly hashes?: readonly string[]
}

/** What any condition may look at, at one moment: how the sources answer, and what of the ledger is under way. */
export interface SharedFacts extends Moment {
  readonly heads: readonly Head[]
  readonly sources: readonly SourceHealth[]
  /** The main head by the canonical RPC; null without one, or while it was not read. */
  readonly canonicalHead: TrackedHead | null
  /** The same of the zone by its RPC. */
  readonly zoneRpcHead: TrackedHead | null
  readonly pollers: readonly PollerHealth[]
  readonly latency: LatencyFacts
  readonly drift: readonly DriftFact[]
  readonly lacks: readonly LackFact[]
  /** Endpoint and key of what no record was read of since the start. */
  readonly unreadKeys: readonly string[]
  /** How many answers of the last minutes were empty against better knowledge; empties that nothing contradicts count in neither. */
  readonly empties: {
    readonly source: string
    readonly since: UnixMs
    readonly answers: number
    readonly contradicted: number
    /** Questions that are not asked for a while, because they were contradicted again and again; left out, none is. */
    readonly aside?: readonly {
      readonly endpoint: string
      readonly question: string
      readonly since: UnixMs
      readonly until: UnixMs
    }[]
  }
  /** When the newest reading of the list began that left nothing out; left out, every reading of its newest part is one. */
  readonly listReadAt?: UnixMs
  /** By how much the list lags behind the chains, when it does by more than settling explains; null otherwise. */
  readonly listLag: { readonly at: UnixMs; readonly lagMs: number; readonly says: string } | null
  /** Endpoints that show nothing as new as what others show; left out, there is none. */
  readonly endpointLags?: readonly EndpointLag[]
  /** Transfers without a destination leg whose origin is at or before `originAtOrBefore`, oldest first. */
  listPending(filter: { direction: Direction | null; originAtOrBefore: UnixMs }): Iterable<Transfer>
  /** Whether a row of the list that could not be read may be a transfer's record; left out, none is. */
  mayBeUnread?(transfer: Transfer): boolean
  /** Where a withdrawal stands by the stages of its bridge; left out, or null, it has none. */
  standingOf?(transfer: Transfer): Standing | null
  /** How many transfers are pending in all. */
  countPending(): number
}
