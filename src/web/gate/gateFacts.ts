import type { EvidenceNote } from '../../bridge/finding.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { Head } from '../../kernel/heads/heads.ts'
import type { PollerHealth } from '../../kernel/running/runner.ts'
import type { Standing } from '../../kernel/stages.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Horizons } from '../../meaning/horizon.ts'
import type { Severity } from '../../rules/types.ts'
import type { Coverage } from '../statusFacts.ts'

/** What is asked, in the order in which it is answered. */
export const gateQuestions = [
  'monitor',
  'sources',
  'shown',
  'record',
  'origin',
  'stage',
  'asked',
  'unpaid',
  'undoubted',
  'findings',
] as const
export type GateQuestion = (typeof gateQuestions)[number]

/** Why the gate is shut; a finding goes by its kind in place of these. docs/gate.md says what each means. */
export const gateCodes = [
  'starting',
  'judging_late',
  'ledger_unchecked',
  'unsaved',
  'rule_failing',
  'source_unread',
  'source_stale',
  'source_rejected',
  'poller_unfinished',
  'poller_late',
  'question_aside',
  'drift',
  'list_lags',
  'not_shown',
  'too_many',
  'not_read',
  'not_passed',
  'behind',
  'history',
  'before_watch',
  'no_record',
  'record_gone',
  'record_old',
  'record_lacks',
  'ambiguous',
  'batch_unread',
  'other_hash',
  'quarantined',
  'failed',
  'status_open',
  'no_origin',
  'origin_failed',
  'origin_absent',
  'unproven',
  'asked_again',
  'no_depth',
  'shallow',
  'other_action',
  'unknown_action',
  'claimed_twice',
  'items_unknown',
  'held',
  'claim_expired',
  'other_token',
  'other_amount',
  'other_recipient',
  'paid',
  'may_be_paid',
  'settled',
  'unjudged',
] as const
export type GateCode = (typeof gateCodes)[number]

/** What whoever asks is about to pay, as far as he says; null for what he does not say. */
export interface AskedPayment {
  readonly token: string | null
  readonly amount: string | null
  readonly amountRaw: string | null
  readonly recipient: string | null
}

/** How the monitor itself does. */
export interface MonitorFacts {
  /** When rules were last judged; null before the first time. */
  readonly judgedAt: UnixMs | null
  /** Why the ledger's file is not known to be whole; null when it is. */
  readonly unchecked: string | null
  /** Whether what is committed stays in memory, because the disk takes nothing. */
  readonly isUnsaved: boolean
  /** Rules that could not be judged of late: what they would have found is not known. */
  readonly failingRules: readonly string[]
}

/** How the sources answer. */
export interface SourceFacts {
  readonly coverage: readonly Coverage[]
  readonly rejected: readonly string[]
  /** Pollers that ask a source. */
  readonly pollers: readonly PollerHealth[]
  /** Questions that are not asked for a while, because their answers contradict what is known. */
  readonly aside: readonly { readonly endpoint: string; readonly question: string }[]
  /** Keys that judgements rest on and answers lack. */
  readonly lacks: readonly string[]
  /** By how much the list lags; null when it does not. */
  readonly listLag: { readonly at: UnixMs; readonly says: string } | null
}

/** How far the sources have come, and how far back the ledger reaches. */
export interface ReachFacts {
  readonly horizons: Horizons
  readonly heads: readonly Head[]
  /** How many blocks an origin has to lie below its head. */
  readonly confirmations: number
  /** How long after its block a record may first be listed, ms. */
  readonly settleMs: number
  /** By how much our clock is ahead of everybody's, ms. */
  readonly clockLeadMs: number
  /** What left before this is history: nobody looked whether it was paid. */
  readonly watchedSince: UnixMs
  /** Of transfers that were over by then some are forgotten; null where none is. */
  readonly forgottenUntil: UnixMs | null
  /** How far back the walk through the list has come that is under way; null when none is. */
  readonly walk: { readonly reachedAt: UnixMs | null } | null
}

/** What a finding that is about a transfer, or about all of them, says of it. */
export interface GateFinding {
  readonly alert: string
  readonly kind: string
  readonly title: string
  readonly severity: Severity
  /** It may become a finding and is none yet. */
  readonly isForming: boolean
  /** It is of the transfer itself, and accuses it. */
  readonly accuses: boolean
  /** It says that something cannot be looked at, not that something is wrong. */
  readonly isBlindness: boolean
  readonly case: string | null
  readonly evidence: readonly EvidenceNote[]
}

/** Something that is the payout, or may be. */
export interface PossiblePayout {
  /** The transaction; null where only that it was paid is known. */
  readonly hash: string | null
  readonly source: string
  readonly at: UnixMs
  readonly says: string
  /** It is this transfer's, and not only what it could be. */
  readonly isCertain: boolean
}

/** A transfer of the same origin: `isSame` where it is the same item of it, else nothing says which it is. */
export interface Rival {
  readonly key: string
  readonly isSame: boolean
}

/** All that has to be known of one transfer before it is paid. Null is what could not be looked at. */
export interface TransferFacts {
  readonly transfer: Transfer
  /** The hash that it was asked for by was its origin's, and is not any more. */
  readonly isFormerName: boolean
  readonly payouts: readonly PossiblePayout[] | null
  /** What is left to be asked of second sources about its origin. */
  readonly questions: readonly string[]
  /** Other transfers of its origin that are not known to be other items of it; null where they are too many to read. */
  readonly rivals: readonly Rival[] | null
  /** What kinds that accuse a transfer find of it now, whatever rules there are. */
  readonly detected: readonly GateFinding[] | null
  /** Why the origin's action is not, or not known to be, that of a withdrawal. */
  readonly action: {
    readonly isOther: boolean
    readonly says: string
    readonly source: string
    readonly at: UnixMs
  } | null
  readonly findings: readonly GateFinding[] | null
  /** Where it stands by the stages of its bridge; null where it has none. */
  readonly standing: Standing | 'unknown' | null
  /** Rows that could not be read, came since it left, and may be about it. */
  readonly unreadRows: readonly { readonly endpoint: string; readonly problem: string; readonly at: UnixMs }[]
  /** Entries by which people settled it by hand. */
  readonly settledBy: readonly number[]
}

export interface GateFacts {
  readonly now: UnixMs
  readonly name: string
  readonly asked: AskedPayment
  readonly monitor: MonitorFacts
  readonly sources: SourceFacts
  readonly reach: ReachFacts
  /** Transfers of that name; null when they are more than are judged at once. */
  readonly transfers: readonly TransferFacts[] | null
}

/** One thing that keeps the gate shut. */
export interface GateReason {
  readonly level: 'wait' | 'suspect'
  readonly question: GateQuestion
  /** For programs: a `GateCode`, or the kind of a finding. */
  readonly code: string
  /** For people. */
  readonly says: string
  readonly evidence: readonly EvidenceNote[]
}
