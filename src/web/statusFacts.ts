import type { Panel } from '../kernel/check.ts'
import type { Direction } from '../bridge/observation.ts'
import type { TransferState } from '../bridge/transfer.ts'
import type { EscrowLine } from './views/readEscrows.ts'
import type { ShownSilence } from '../alerts/silences.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { PollerHealth } from '../kernel/running/runner.ts'
import type { SourceHealth } from '../clients/sourceHealth.ts'
import type { ReplicaStatus } from '../kernel/kernel.ts'
import type { MoneyAtRisk } from '../delivery/channels/message.ts'
import type { Severity } from '../rules/types.ts'
import type { Head } from '../kernel/heads/heads.ts'
import type { CaseCount } from '../cases/store/caseRows.ts'
import type { AlertView, CaseView, StatusCase } from './caseTypes.ts'
import type { ProbeLine } from '../checks/probes/line.ts'
import type { PreconfMetrics } from '../checks/preconf/metrics.ts'

/** `unknown` is its own answer: spanwatch could not look, so neither good nor bad may be said. */
export type VerdictLevel = 'fine' | 'attention' | 'critical' | 'unknown'

export interface Verdict {
  readonly level: VerdictLevel
  /** The worst first; empty only when the level is `fine`. */
  readonly reasons: readonly string[]
}

/** How much of one source was looked at. */
export interface Coverage {
  readonly source: string
  /** Null means never. */
  readonly lastGoodAt: UnixMs | null
  /** Silence beyond this means that nothing is known of the present. */
  readonly staleAfterMs: number
}

export interface InFlight {
  readonly direction: Direction
  /** Rising and without holes; the last one has no upper end. A transfer exactly at `toMs` is in the next one. */
  readonly buckets: readonly {
    readonly fromMs: number
    readonly toMs: number | null
    readonly count: number
  }[]
  readonly oldestAt: UnixMs | null
  /** How long transfers took over the past 30 days; null before any arrived. */
  readonly normal: NormalLatency | null
  /** In flight for longer than all but one in a hundred took; null while that is unknown. */
  readonly late: number | null
}

/** Percentiles in ms, at most 5 % too long. */
export interface NormalLatency {
  readonly samples: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export interface ChannelStatus {
  readonly channel: string
  readonly queued: number
  readonly oldestAt: UnixMs | null
  /** `open`: the channel refuses us, or has taken nothing for ten minutes; its messages go elsewhere. */
  readonly circuit: 'closed' | 'open'
  readonly lastAckAt: UnixMs | null
  /** Of what it took nothing since. */
  readonly lastError: string | null
  /** Who of its recipients gets nothing of it, and why. */
  readonly refused: readonly string[]
}

/** Everything about the present, read in one go so that its parts agree. */
export interface StatusFacts {
  readonly now: UnixMs
  readonly startedAt: UnixMs
  readonly version: string
  /** Why the ledger's file is not known to be whole; null or left out when it is. */
  readonly unchecked?: string | null
  /** When rules were last evaluated; null before the first time, left out where this node evaluates none. */
  readonly judgedAt?: UnixMs | null
  /** How this node stands to the others of its bridge; null or left out where it is alone. */
  readonly replica?: ReplicaStatus | null
  readonly heads: readonly Head[]
  readonly sources: readonly SourceHealth[]
  readonly pollers: readonly PollerHealth[]
  readonly coverage: readonly Coverage[]
  /** Cases that are open or acknowledged: what counts the most first, at most 100. */
  readonly cases: readonly StatusCase[]
  /** What is at risk in all of those that count as such, each unit once, the most valuable first. */
  readonly moneyAtRisk: Partial<Record<Severity, readonly MoneyAtRisk[]>>
  /** What was handled and is not over yet, the newest first, at most 20. */
  readonly handledCases: readonly CaseView[]
  /** How many are not over, by state and severity. */
  readonly caseCounts: readonly CaseCount[]
  /** Conditions that are pending, firing or recovering: the most severe first, at most 200. */
  readonly openAlerts: readonly AlertView[]
  /** How many there are in all. */
  readonly openAlertCount: number
  /** Events, newest first. */
  readonly recentEvents: readonly AlertView[]
  readonly inFlight: readonly InFlight[]
  readonly totals: Readonly<Record<TransferState, number>>
  readonly channels: readonly ChannelStatus[]
  /** Messages that were set aside, and silences that hold now, those that are set aside among them. */
  readonly deadMessages: number
  readonly silences: readonly ShownSilence[]
  /** Preconfirmations; null when none are watched. */
  readonly preconf: PreconfMetrics | null
  /** Escrows by token; null when none are watched. */
  readonly escrows: readonly EscrowLine[] | null
  /** Known probers: what came through of theirs, and how long it took. */
  readonly probes: readonly ProbeLine[]
  /** Records that could not be read and are kept aside. */
  readonly quarantined: number
  /** The cards that checks bring. */
  readonly panels: readonly Panel[]
}

export interface StatusSnapshot extends StatusFacts {
  readonly verdict: Verdict
}
