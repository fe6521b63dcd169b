import type { UnixMs } from '../lib/clock.ts'
import type { Finding } from '../bridge/finding.ts'
import type { Detector } from './kind.ts'
import type { AskedName } from './listAsked.ts'

export type Severity = 'critical' | 'warning' | 'info'

/** One rule of `rules/*.yaml`, compiled: every text of it was parsed and checked when it was loaded. */
export interface Rule {
  readonly name: string
  readonly kind: string
  /** The parameters of the kind's detector, parsed by that detector's schema. */
  readonly params: unknown
  /** Those and its `where`, as a text to compare: what it finds is another matter once this is another text. */
  readonly asks: string
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
  /** What it asks for that a configuration may not have. */
  readonly asked?: readonly AskedName[]
}
