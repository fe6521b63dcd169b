import type { UnixMs } from '../lib/clock.ts'
import type { Transfer } from './transfer.ts'

/** JSON-safe: amounts and heights beyond 2^53 as decimal strings. */
export type FactValue = string | number | boolean | null

/** Which answer a finding rests on, and when that was asked. */
export interface EvidenceNote {
  readonly source: string
  readonly at: UnixMs
  readonly says: string
}

export const findingLabelNames = [
  'token',
  'symbol',
  'direction',
  'chain',
  'source',
  'endpoint',
  'channel',
  'poller',
  'contract',
  'escrow',
  'operator',
] as const

/** Labels that a detector may set; alerts add `rule`, `kind`, `severity` and the rule's own. */
export type FindingLabels = Partial<Record<(typeof findingLabelNames)[number], string>>

/** What a detector found. It judges; it does not know rules' names, alerts or messages. */
export interface Finding {
  /** Its name in the table of kinds that `checks/` makes. */
  readonly kind: string
  /** Identity within a rule: a transfer's key, `zone`, `explorer`, a poller's name. Never a time, height or text. */
  readonly subject: string
  /** The subject in full, for people: both hashes, the chain and its head, the source. */
  readonly title: string
  readonly transfer: Transfer | null
  readonly facts: Readonly<Record<string, FactValue>>
  readonly labels: FindingLabels
  readonly evidence: readonly EvidenceNote[]
  /** When what it reports began, by the chain or by our clock; `age` in rules counts from it. */
  readonly since: UnixMs
  /** It was so and is so no more: what was sent of it is corrected, and nothing new is sent. */
  readonly isOver?: boolean
}
