import type { UnixMs } from '../lib/clock.ts'
import type { Transfer } from './transfer.ts'

/** Happened once: told once, for certain, and never resolved. */
export type EventKind =
  | 'transfer.failed'
  | 'transfer.unbacked'
  | 'transfer.mismatch'
  | 'transfer.duplicate'
  | 'transfer.rewritten'
  | 'transfer.vanished'
  | 'transfer.out_of_order'
  | 'transfer.unknown_token'
  | 'transfer.large'
  | 'batch.unresolved'
  | 'batch.mismatch'
  | 'source.disagreement'
  | 'source.new_word'
  | 'escrow.foreign_token'
  | 'challenge.changed'
  | 'preconf.dropped'
  | 'preconf.flipped'
  | 'preconf.moved'
  | 'preconf.late'
  | 'contract.changed'
  | 'monitor.state_recovered'
  | 'monitor.clock_jump'
  | 'monitor.report_missed'

/** True for a time: a level that fires and resolves. */
export type ConditionKind =
  | 'transfer.stalled'
  | 'challenge.stuck'
  | 'preconf.stalled'
  | 'preconf.gap'
  | 'chain.stalled'
  | 'escrow.drift'
  | 'escrow.shortfall'
  | 'escrow.unjudged'
  | 'operator.low_balance'
  | 'operator.quiet'
  | 'flow.surge'
  | 'flow.quiet'
  | 'flow.imbalance'
  | 'ledger.incomplete'
  | 'source.unavailable'
  | 'source.rejected'
  | 'source.suspicious'
  | 'source.drift'
  | 'monitor.poll_overdue'
  | 'monitor.rules_rejected'
  | 'monitor.rule_error'
  | 'monitor.rule_overflow'
  | 'monitor.channel_dead'
  | 'monitor.state_not_persisted'
  | 'monitor.no_data'

export type FindingKind = EventKind | ConditionKind

/** JSON-safe: amounts and heights beyond 2^53 as decimal strings. */
export type FactValue = string | number | boolean | null

/** Which answer a finding rests on, and when that was asked. */
export interface EvidenceNote {
  readonly source: string
  readonly at: UnixMs
  readonly says: string
}

/** Labels that a detector may set; alerts add `rule`, `kind`, `severity` and the rule's own. */
export type FindingLabels = Partial<
  Record<
    | 'token'
    | 'symbol'
    | 'direction'
    | 'chain'
    | 'source'
    | 'endpoint'
    | 'channel'
    | 'poller'
    | 'contract'
    | 'escrow'
    | 'operator',
    string
  >
>

/** What a detector found. It judges; it does not know rules' names, alerts or messages. */
export interface Finding {
  readonly kind: FindingKind
  /** Identity within a rule: a transfer's key, `zone`, `explorer`, a poller's name. Never a time, height or text. */
  readonly subject: string
  /** The subject in full, for people: both hashes, the chain and its head, the source. */
  readonly title: string
  readonly transfer: Transfer | null
  readonly facts: Readonly<Record<string, FactValue>>
  readonly labels: FindingLabels
  readonly evidence: readonly EvidenceNote[]
  /** When what it tells of began, by the chain or by our clock; `age` in rules counts from it. */
  readonly since: UnixMs
  /** It was so and is so no more: what was told of it is corrected, and nothing is told anew. */
  readonly isOver?: boolean
}
