import type { Direction } from '../bridge/observation.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Severity } from '../rules/types.ts'
import type { OutboxItem } from '../alerts/store/outboxItems.ts'

/** A rule with its state. */
export interface RuleView {
  readonly name: string
  readonly kind: string
  /** One line: what a finding of its kind says. */
  readonly watches: string
  /** When it found something last, as far as alerts are kept; null for never. */
  readonly lastFiredAt: UnixMs | null
  /** The tests beside the rules that expect something of it: file and name. */
  readonly tests: readonly string[]
  readonly nature: 'event' | 'condition'
  /** Found where it happens; no round looks for it. */
  readonly isRaised: boolean
  readonly severity: Severity
  /** Where it is defined: `rules/transfers.yaml:12`; null for what is built in. */
  readonly origin: string | null
  readonly forMs: number
  /** When it was last judged to the end; null for never. Events are judged with each change of a transfer, not by time. */
  readonly evaluatedAt: UnixMs | null
  readonly firing: number
  readonly pending: number
  /** Events of the past day; 0 for conditions. */
  readonly events: number
  /** Why it cannot be judged: it could not be judged of late, or what it is judged by is silent; null when it can. */
  readonly problem: string | null
  /** The subjects that it cannot judge, and why, though it can judge others; null when there are none. */
  readonly unsure: {
    readonly count: number
    readonly subjects: readonly string[]
    readonly why: string
  } | null
  /** The settings without which nothing of this kind can be found; null when they are there. */
  readonly needs: string | null
}

/** When the daily report is built, and who gets it. */
export interface DailyReportSettings {
  readonly cron: string
  readonly timezone: string
  readonly channel: string
}

/** What is to be sent, or was sent, to one channel of one alert. */
export interface OutboxView {
  readonly id: number
  readonly state: OutboxItem['state']
  readonly channel: string
  readonly what: OutboxItem['what']
  readonly alert: string | null
  readonly rule: string | null
  readonly subject: string | null
  readonly isCritical: boolean
  readonly createdAt: UnixMs
  readonly notBefore: UnixMs
  readonly expiresAt: UnixMs
  readonly sentAt: UnixMs | null
  readonly isDropped: boolean
  readonly messageId: string | null
  readonly attempt: number | null
  readonly nextAt: UnixMs | null
  readonly lastError: string | null
}

export interface FlowPoint {
  /** Start of the hour, UTC. */
  readonly at: UnixMs
  /** Null before the ledger reaches back, and where the list was not read: not known is not zero. */
  readonly started: Readonly<Record<Direction, number>> | null
  readonly arrived: Readonly<Record<Direction, number>> | null
}

export interface LatencyPoint {
  /** Start of the quarter of the day, UTC. */
  readonly at: UnixMs
  /** Milliseconds; null where nothing arrived. */
  readonly p50: Readonly<Record<Direction, number | null>>
  readonly p95: Readonly<Record<Direction, number | null>>
}

/** What the charts show. */
export interface Series {
  /** The past 24 hours and the present one, by block times. */
  readonly flow: readonly FlowPoint[]
  /** The past seven days, by quarters of the day. */
  readonly latency: readonly LatencyPoint[]
}
