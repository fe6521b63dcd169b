import type { UnixMs } from '../lib/clock.ts'
import type { Challenge } from '../checks/challenges/challenge.ts'
import type { Chain, Direction } from '../bridge/observation.ts'
import type { Finding, FindingKind } from '../bridge/finding.ts'
import type { PreconfView } from '../checks/preconf/view.ts'
import type { TrackedHeight } from '../kernel/trackHeight.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { Detector } from './kind.ts'
import type { FlowFacts } from '../checks/flow/facts.ts'
import type { LatencyFacts } from '../ledger/readLatency.ts'

export type Severity = 'critical' | 'warning' | 'info'

/** One rule of `rules/*.yaml`, compiled: every text of it was parsed and checked when it was loaded. */
export interface Rule {
  readonly name: string
  readonly kind: FindingKind
  /** The parameters of the kind's detector, parsed by that detector's schema. */
  readonly params: unknown
  readonly forMs: number
  readonly keepFiringForMs: number
  readonly severity: Severity
  readonly labels: Readonly<Record<string, string>>
  readonly runbook: string | null
  /** The rule's `where`. Throws when the expression fails on this finding, e.g. compares an unknown amount. */
  matches(finding: Finding, now: UnixMs): boolean
  /** The rule's `unless`, given whether an alert of a kind is firing; false when the rule has none. */
  isExcused(open: (kind: string) => boolean): boolean
  /** The rule's `summary`; null when it has none. Plain text, not escaped for any sink. */
  summarize(finding: Finding, now: UnixMs): string | null
  /** Where it was written, for messages: `rules/transfers.yaml:12`. */
  readonly origin: string
}

/** A rule with the kind that it is written on. */
export interface LoadedRule extends Rule {
  readonly detector: Detector
}

/** One chain's head as last read. */
export interface Head {
  readonly chain: Chain
  readonly height: number
  readonly blockTime: UnixMs | null
  /** When the height was first seen at this value, by our clock. */
  readonly advancedAt: UnixMs
  /** Request time of the newest successful reading. */
  readonly readAt: UnixMs
}

/** How a source (`explorer`, `preconf`, `canonical`) has been answering. Times are ours; null means never. */
export interface SourceHealth {
  readonly source: string
  readonly host: string
  readonly startedAt: UnixMs
  /** One entry an endpoint or method that was asked. */
  readonly endpoints: readonly EndpointHealth[]
  /** When it answered well again after nothing of it had; null when that never happened. */
  readonly backAt: UnixMs | null
  /** Credentials refused by the newest answer: what it said; null when they were not. */
  readonly rejected: { readonly at: UnixMs; readonly reason: string } | null
  /** By how much its clock is ahead of ours, ms; null or left out when it does not say. */
  readonly clockAheadMs?: number | null
}

export interface EndpointHealth {
  readonly endpoint: string
  readonly firstAskedAt: UnixMs
  readonly lastGoodAt: UnixMs | null
  readonly lastFailureAt: UnixMs | null
  readonly lastFailure: string | null
  /** When the first question was sent that failed since its last good answer; null while the newest answer is good. */
  readonly failingSince: UnixMs | null
  /** How often it failed again since then although another endpoint had answered in between. */
  readonly ownFailures: number
  /** All that failed since then was throttling, told or in disguise. */
  readonly isThrottling: boolean
  /** When it answered well again after it had failed; null while it fails, or never did. */
  readonly backAt: UnixMs | null
  /** The interval at which the monitor means to ask, ms: the bound of silence is derived from it. */
  readonly intervalMs: number
}

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
}

/** A documented key that records of an endpoint do not have, or fill with what nobody understands. */
interface LackFact {
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
}

export interface PollerHealth {
  readonly poller: string
  readonly intervalMs: number
  /** Its reads wait while others ask. */
  readonly isBackground?: boolean
  readonly startedAt: UnixMs
  readonly lastSuccessAt: UnixMs | null
  readonly lastError: string | null
  /** Source and endpoint that kept its newest run from its work, as `explorer E6`; null or left out when none did. */
  readonly failedAt?: string | null
}

/** How preconfirmations come; null in `Facts` when none are watched. */
export interface PreconfFacts {
  readonly view: PreconfView
  readonly intervalMs: number
  /** Since when every question is left without an answer though the connection stands; null when one was answered. */
  readonly unansweredSince: UnixMs | null
}

/** What left or reached an escrow and no known transfer explains. Amounts are exact, in token units. */
export interface EscrowMove {
  readonly escrow: string
  /** '' is the native currency. */
  readonly token: string
  readonly symbol: string
  /** Null for a change of the balance that no listed movement makes; then it lies above `fromHeight`. */
  readonly hash: string | null
  readonly fromHeight: number | null
  readonly height: number
  readonly at: UnixMs
  readonly direction: 'out' | 'in'
  /** What of it is not explained, and all that moved. */
  readonly amount: string
  readonly moved: string
  /** The other side of it. */
  readonly party: string
  readonly reason: string
  readonly checkedAt: UnixMs
  /** Of one that is still looked for though it had its time: the share of what the escrows hold, null where that is not known. */
  readonly open?: { readonly share: number | null }
}

/** Movements of a token out of the escrows that nothing explains yet, in sum. Amounts in token units. */
export interface EscrowSum {
  readonly token: string
  readonly symbol: string
  readonly escrows: readonly string[]
  readonly count: number
  readonly amount: string
  /** Of what the escrows held, or would hold without what they still owe; null while that is not known. */
  readonly share: number | null
  readonly since: UnixMs
  /** Transactions with the largest amounts. */
  readonly hashes: readonly string[]
  /** The source that stands still, and up to when it has shown what happened; null for what had its time. */
  readonly waitsFor: { readonly source: 'main' | 'zone' | 'list'; readonly shownUntil: UnixMs | null } | null
}

/** Movements of a token out of the escrows whose transfers do not say how much, or of which id. Amounts in token units. */
export interface UnjudgedSum extends Pick<EscrowSum, 'token' | 'symbol' | 'escrows' | 'count' | 'amount'> {
  /** What they do not say. */
  readonly lacks: string
  readonly since: UnixMs
  readonly hashes: readonly string[]
}

/** What the escrows of a token hold together, against what is owed. Amounts in token units, base units where decimals are unknown. */
export interface EscrowHolding {
  readonly token: string
  readonly symbol: string
  readonly escrows: readonly string[]
  readonly decimals: number | null
  readonly holdings: bigint | null
  readonly holdingsAt: UnixMs | null
  readonly baseline: bigint | null
  readonly startedAt: UnixMs | null
  /** The newest reading that the record list has passed; `openOut` left but was not judged yet. */
  readonly judged: {
    readonly owed: bigint
    readonly holdings: bigint
    readonly openOut: bigint
    readonly height: number
    readonly at: UnixMs
  } | null
}

export interface OperatorFact {
  readonly address: string
  /** Wei; null where the configuration gives none, or nothing was read. */
  readonly minBalance: bigint | null
  readonly balance: bigint | null
  readonly balanceAt: UnixMs | null
  readonly last: { readonly hash: string; readonly height: number; readonly at: UnixMs } | null
  /** Request time of the newest answer that can be trusted. */
  readonly readAt: UnixMs | null
  /** By the rules of absence nothing was sent since `last`. */
  readonly isSilent: boolean
}

/** What an audit found, the ledger lacked, and a re-read did not take back. */
export interface IncompleteFact {
  /** `list`: records; `zone`, `event`: withdrawals and deposits that the chains alone tell of. */
  readonly source: string
  readonly count: number
  /** When the oldest of them happened. */
  readonly oldestAt: UnixMs
  readonly toldAt: UnixMs
  readonly mainHeights: readonly [number, number] | null
  readonly zoneHeights: readonly [number, number] | null
  /** Up to three, the oldest. */
  readonly hashes: readonly string[]
  /** How it is looked for. */
  readonly method: string
}

/** Everything that condition detectors may look at, at one moment. */
export interface Facts {
  readonly flow: FlowFacts
  readonly latency: LatencyFacts
  readonly now: UnixMs
  readonly heads: readonly Head[]
  readonly sources: readonly SourceHealth[]
  /** The main head by the canonical RPC; null without one, or while it was not read. */
  readonly canonicalHead: TrackedHeight | null
  readonly preconf: PreconfFacts | null
  readonly pollers: readonly PollerHealth[]
  readonly drift: readonly DriftFact[]
  readonly lacks: readonly LackFact[]
  /** Endpoint and key of what no record was read of since the start. */
  readonly unreadKeys: readonly string[]
  /** Why the newest edit of the rules was refused; null when it was not. */
  readonly rulesRejected: { readonly at: UnixMs; readonly problems: readonly string[] } | null
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
  /** By how much the list lags behind the chains, when it does by more than settling explains; null otherwise. */
  readonly listLag: { readonly at: UnixMs; readonly lagMs: number; readonly says: string } | null
  /** What the ledger lacks, by where that was found; empty when nothing is known to. */
  readonly incomplete: readonly IncompleteFact[]
  /** Transfers without a destination leg whose origin is at or before `originAtOrBefore`, oldest first. */
  listPending(filter: { direction: Direction | null; originAtOrBefore: UnixMs }): Iterable<Transfer>
  /** How many transfers are pending in all. */
  countPending(): number
  readonly escrow: {
    /** Unexplained movements, at most some hundreds each way, the newest. */
    readonly moves: readonly EscrowMove[]
    /** What left and is not explained yet. */
    readonly sums: readonly EscrowSum[]
    /** What left within a day by transfers that do not say how much, or of which id. */
    readonly unjudged: readonly UnjudgedSum[]
    readonly holdings: readonly EscrowHolding[]
  }
  readonly operators: readonly OperatorFact[]
  /** When value last left either chain; null before the first transfer. */
  readonly newestOriginAt: UnixMs | null
  readonly challenges: {
    /** Which values end a challenge; without any, nothing can be stuck. */
    readonly terminal: readonly string[]
    /** Transactions whose status is not terminal and has not changed since, the oldest first. */
    listUnsettled(sinceOrBefore: UnixMs): readonly Challenge[]
  }
}

/**
 * A condition's judgement: what is true now, and of which subjects nothing can be said (they keep their state).
 * A subject in neither list is false.
 */
export interface Judgement {
  readonly findings: readonly Finding[]
  readonly unknown: readonly string[] | 'all'
  /** Why what was found before, and is found no more, ended badly; null where its end is good news. */
  readonly lossOf?: (found: Finding) => string | null
}
