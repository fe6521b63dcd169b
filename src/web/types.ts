import type { TransactionLinks } from '../delivery/itemFields.ts'
import type { ReplicaStatus } from '../kernel/kernel.ts'
import type { Standing } from '../kernel/stages.ts'
import type { Sample } from '../kernel/check.ts'
import type { Unwatched } from '../config/listUnwatched.ts'
import type { LoopLag } from '../lib/loopLag.ts'
import type { HttpBindings } from '@hono/node-server'
import type { Database } from '../store/database.ts'
import type { Registry } from 'prom-client'
import type { Direction, Observation } from '../bridge/observation.ts'
import type { Sighting } from '../ledger/sightings/sighting.ts'
import type { Transfer, TransferState } from '../bridge/transfer.ts'
import type { Operations } from '../alerts/operations.ts'
import type { GaveBack } from '../breaks/givenBack.ts'
import type { BreakQuery } from '../breaks/listBreaks.ts'
import type { BreakOperations } from '../breaks/operations.ts'
import type { ShownEntry } from '../breaks/showEntry.ts'
import type { AskedPayment } from './gate/gateFacts.ts'
import type { GateView } from './gate/toGateView.ts'
import type { EscrowSources } from './views/readEscrowStory.ts'
import type { OutboxItem } from '../alerts/store/outboxItems.ts'
import type { BreakPage } from './readBreakQuery.ts'
import type { DailyReportSettings, OutboxView, RuleView, Series } from './viewTypes.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { ChartDrawer } from '../lib/drawChart.ts'
import type { Logger } from '../lib/log.ts'
import type { Actor } from '../store/actor.ts'
import type { Secret } from '../lib/secret.ts'
import type { LivenessSources } from '../monitor/liveness.ts'
import type { Kept } from './views/kept.ts'
import type { AlertStory, AlertView, CaseQuery, CaseStory, CaseView } from './caseTypes.ts'
import type { PreconfMetrics } from '../checks/preconf/metrics.ts'
import type { Site } from './pages/layout.ts'
import type { StatusSnapshot } from './statusFacts.ts'

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
  /** What gave a failed deposit back, the oldest first. */
  readonly givenBack: readonly GaveBack[]
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
  readonly charts: ChartDrawer
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
  readBreaks(query: BreakQuery | null, entries: EntryQuery): Promise<BreakViews>
  readonly escrows: EscrowSources
  readonly operations: WebOperations
  /** Called after each commit that a reader could see. */
  readonly listeners: Set<() => void>
  /** How this node stands to the others of its bridge; null where it is alone. */
  readonly replica: (() => ReplicaStatus) | null
  /** What health is judged by. */
  readonly health: LivenessSources
  readonly loopLag: LoopLag
}

export interface WebEnv {
  Bindings: Partial<HttpBindings>
  /** A content policy of its own, for what is no page of ours: an image, a mail. */
  Variables: { policy?: string; role?: Role; session?: string; isPublicTls?: boolean; site?: Site }
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
  /** What its pages lead to; left out, those of the status page. */
  readonly site?: Site
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
  readonly eventLoopLagMs: number
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
