import type { monitorEventLoopDelay } from 'node:perf_hooks'
import type { TransactionLinks } from '../delivery/itemFields.ts'
import type { Standing } from '../kernel/stages.ts'
import type { Panel, Sample } from '../kernel/check.ts'
import type { Unwatched } from '../config/listUnwatched.ts'
import type { HttpBindings } from '@hono/node-server'
import type { Database } from '../store/database.ts'
import type { Registry } from 'prom-client'
import type { Direction, Observation } from '../bridge/observation.ts'
import type { Sighting } from '../ledger/sighting.ts'
import type { Transfer, TransferState } from '../bridge/transfer.ts'
import type { Operations } from '../alerts/operations.ts'
import type { BreakQuery } from '../breaks/listBreaks.ts'
import type { BreakOperations } from '../breaks/operations.ts'
import type { ShownEntry } from '../breaks/showEntry.ts'
import type { EscrowLine } from './views/readEscrows.ts'
import type { AskedPayment } from './gate/gateFacts.ts'
import type { GateView } from './gate/toGateView.ts'
import type { EscrowSources } from './views/readEscrowStory.ts'
import type { OutboxItem } from '../alerts/store/outboxItems.ts'
import type { ShownSilence } from '../alerts/silences.ts'
import type { BreakPage } from './readBreakQuery.ts'
import type { DailyReportSettings, OutboxView, RuleView, Series } from './viewTypes.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Actor } from '../store/actor.ts'
import type { Secret } from '../lib/secret.ts'
import type { PollerHealth } from '../kernel/runner.ts'
import type { SourceHealth } from '../clients/sourceHealth.ts'
import type { Head } from '../kernel/heads.ts'
import type { LivenessSources } from '../monitor/liveness.ts'
import type { Kept } from './views/kept.ts'
import type { CaseCount } from '../cases/store/caseRows.ts'
import type { AlertStory, AlertView, CaseQuery, CaseStory, CaseView, StatusCase } from './caseTypes.ts'
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
  /** `open`: the channel refuses us, its messages go elsewhere. */
  readonly circuit: 'closed' | 'open'
  readonly lastAckAt: UnixMs | null
  readonly lastError: string | null
}

/** Everything about the present, read in one go so that its parts agree. */
export interface StatusFacts {
  readonly now: UnixMs
  readonly startedAt: UnixMs
  readonly version: string
  /** Why the ledger's file is not known to be whole; null or left out when it is. */
  readonly unchecked?: string | null
  readonly heads: readonly Head[]
  readonly sources: readonly SourceHealth[]
  readonly pollers: readonly PollerHealth[]
  readonly coverage: readonly Coverage[]
  /** Cases that are open or acknowledged: what counts the most first, at most 100. */
  readonly cases: readonly StatusCase[]
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

export interface TransferFilter {
  /** A hash, an address, an id or a key, as typed, lower-case; null is all. */
  readonly text: string | null
  readonly state: TransferState | null
  readonly direction: Direction | null
  readonly token: string | null
  /** Only those whose value left at least so long ago. */
  readonly minAgeMs: number | null
  readonly limit: number
  /** `next` of the page before; null is the first page. */
  readonly cursor: string | null
}

export interface TransferPage {
  /** Newest origin first. */
  readonly transfers: readonly Transfer[]
  /** Opaque; null on the last page. */
  readonly next: string | null
}

/** A record with how it was seen. */
type SeenObservation = Observation & Partial<Pick<Sighting, 'lastAt' | 'twin' | 'besides'>>

/** All that the ledger knows of one transfer. */
export interface TransferStory {
  readonly transfer: Transfer
  readonly observations: readonly SeenObservation[]
  /** Where it stands by the stages of its bridge; null where it has none. */
  readonly standing: Standing | null
  readonly alerts: readonly AlertStory[]
}

/** What may be changed over HTTP. */
export interface WebOperations extends Omit<Operations, 'changeCase'>, BreakOperations {
  /** As `Operations.changeCase`; answers with the case as it is shown. */
  changeCase(...given: Parameters<Operations['changeCase']>): CaseStory
  /** Has the list read again back to a time. */
  rewindCursors(until: UnixMs, actor: Actor): { readonly until: UnixMs }
}

/** By this header our own command line says that it asks. */
export const clientHeader = 'spanwatch-client'

export interface AlertQuery {
  readonly state?: 'open'
  readonly nature?: 'event' | 'condition'
  readonly text?: string
  /** Those of one case, the worst first. */
  readonly case?: string
  /** What holds, the most severe first. */
  readonly bySeverity?: boolean
  readonly limit?: number
  readonly offset?: number
}

interface EntryQuery {
  readonly limit: number
  /** The number of the last one that was seen. */
  readonly before: number | null
}

interface BreakViews {
  /** Null without a query. */
  readonly page: BreakPage | null
  /** Newest first. */
  readonly entries: readonly ShownEntry[]
}

interface RulesView {
  readonly rules: readonly RuleView[]
  readonly unwatched: readonly Unwatched[]
}

/** What the HTTP side needs of the rest. */
export interface WebDeps {
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly registry: Registry
  /** Sign-ins and refusals since the start. */
  readonly accesses: Map<AccessResult, number>
  readonly db: Database
  /** Where people can look at transactions. */
  readonly links: TransactionLinks
  readStatus(): StatusSnapshot
  /** Transfers by hour and how long they took. */
  readonly series: Kept<Series>
  /** The rules with their state, and what the configuration leaves out. */
  readRules(): RulesView
  /** Null when no daily report is configured. */
  readonly dailyReport: DailyReportSettings | null
  /** Newest first. */
  listOutbox(state: OutboxItem['state']): readonly OutboxView[]
  listTransfers(filter: TransferFilter): TransferPage
  /** By key, alias, id or hash; a hash can name several. Empty when the ledger holds none. */
  showTransfer(keyOrHash: string): readonly TransferStory[]
  /** Whether what goes by a name may be paid, from the ledger alone: milliseconds. */
  askGate(name: string, asked: AskedPayment): GateView
  /** Newest change first; `open` are pending, firing and recovering conditions, `text` names a hash or an address. */
  listAlerts(query: AlertQuery): readonly AlertView[]
  /** @throws MonitorError `not_found`, or `usage` when several begin like that */
  showAlert(id: string): AlertStory
  listCases(query: CaseQuery): readonly CaseView[]
  /** One that was merged is the case that it goes on as. @throws MonitorError `not_found`, or `usage` for what is no id */
  showCase(id: string): CaseStory
  /** What does not reconcile, beside what people did about it. */
  readBreaks(query: BreakQuery | null, entries: EntryQuery): BreakViews
  readonly escrows: EscrowSources
  readonly operations: WebOperations
  /** Called after each commit that a reader could see. */
  readonly listeners: Set<() => void>
  /** What health is judged by. */
  readonly health: LivenessSources
  readonly eventLoop: Pick<ReturnType<typeof monitorEventLoopDelay>, 'percentile'>
}

export interface WebEnv {
  Bindings: Partial<HttpBindings>
  /** A content policy of its own, for what is no page of ours: an image, a mail. */
  Variables: { policy?: string; role?: Role; session?: string; isPublicTls?: boolean }
}

/** `see` reads pages and the API, `act` may also change what they show. */
export type Role = 'see' | 'act'

export const accessResults = [
  'signed_in',
  'signed_out',
  'no_token',
  'wrong_token',
  'limited',
  'not_allowed',
] as const

/** What came of a request that had to show who it is. */
export type AccessResult = (typeof accessResults)[number]

export interface WebOptions {
  /** The host part of `http.listen`. */
  readonly listenHost: string
  readonly token: Secret | null
  /** Lets its holder see and not act. */
  readonly readToken?: Secret | null
  /** Addresses and ranges whose X-Forwarded-For is believed. */
  readonly trustProxy?: readonly string[]
  /** Part of what sessions are signed with: another one ends them all. */
  readonly sessions?: string
  /** Where people reach the page. */
  readonly publicUrl?: string | null
}

/** Totals since the start; the registry sets its counters to them. */
export interface MetricsFacts {
  readonly accesses: WebDeps['accesses']
  readonly status: StatusSnapshot
  readonly evaluations: { readonly total: number; readonly failed: number; readonly missed: number }
  readonly notifications: readonly {
    readonly channel: string
    readonly result: string
    readonly reason: string
    readonly count: number
  }[]
  /** Preconfirmations; null when none are watched. */
  readonly preconf: PreconfMetrics | null
  readonly requests: readonly RequestCounts[]
  /** Request time up to which a cursor has followed its source. */
  readonly cursors: readonly { readonly cursor: string; readonly at: UnixMs }[]
  readonly stateBytes: number | null
  readonly stateCommitsFailed: number
  readonly clockJumps: number
  readonly eventLoopLagMs: number | null
  /** When the newest daily report was due; null without reports. */
  readonly lastReportAt: UnixMs | null
  /** What checks measure, by the name of the metric. */
  readonly checks: Readonly<Record<string, readonly Sample[]>>
}

export interface RequestCounts {
  readonly source: string
  readonly inFlight: number
  readonly waiting: number
  readonly waitedSeconds: number
  /** Requests a second that the pace allows now. */
  readonly rate: number
  readonly total: number
  readonly failed: number
  readonly throttleSigns: number
}
