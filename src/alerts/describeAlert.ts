import type { EvidenceNote, FactValue } from '../domain/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Rule, Severity } from '../rules/types.ts'
import type { AlertRow } from '../store/alertRows.ts'
import type { AlertStore } from '../store/alertStore.ts'
import type { OutboxItem } from '../store/outboxItems.ts'
import { decodeFinding } from './findingJson.ts'
import { alertIdOf } from './fingerprint.ts'
import { summarize } from './wording.ts'
import { verdictOf } from './kindWords.ts'

/** One alert for a reader: command line, page, API. Its strings may hold text from the chain. */
export interface AlertDescription {
  readonly id: string
  readonly rule: string
  readonly kind: string
  readonly severity: Severity
  readonly state: 'new' | 'delivered' | 'pending' | 'firing' | 'recovering' | 'resolved'
  readonly title: string
  readonly summary: string | null
  readonly since: UnixMs
  readonly resolvedAt: UnixMs | null
  readonly transferKey: string | null
  readonly facts: Readonly<Record<string, FactValue>>
  readonly evidence: readonly EvidenceNote[]
  readonly runbook: string | null
  readonly ackedBy: string | null
  /** By channel: when it acknowledged, null while it waits. */
  readonly told: readonly { readonly channel: string; readonly at: UnixMs | null }[]
}

/** What a reader is shown of an alert, worded as of now. */
export function describeAlert(
  deps: { readonly store: Pick<AlertStore, 'listItemsOf'>; readonly rules: () => Iterable<Rule> },
  row: AlertRow,
  now: UnixMs,
): AlertDescription {
  const finding = decodeFinding(row.finding)
  const rule = [...deps.rules()].find((candidate) => candidate.name === row.rule) ?? null
  return {
    id: alertIdOf(row.fingerprint),
    rule: row.rule,
    kind: row.kind,
    severity: row.severity,
    state: row.state === 'inactive' || row.state === 'merged' ? 'resolved' : row.state,
    title: finding.title,
    summary: summarize(rule, finding, now) ?? verdictOf(finding, now),
    since: finding.since,
    resolvedAt: row.resolvedAt,
    transferKey: row.transferKey,
    facts: finding.facts,
    evidence: finding.evidence,
    runbook: row.runbook,
    ackedBy: row.ackedBy,
    told: newestByChannel(deps.store.listItemsOf(row.id)),
  }
}

function newestByChannel(items: readonly OutboxItem[]): { channel: string; at: UnixMs | null }[] {
  const told = new Map<string, UnixMs | null>()
  for (const item of items) {
    if (item.state === 'dead') continue
    // An acknowledgement stays one while a later item of the same alert waits.
    told.set(item.channel, item.sentAt ?? told.get(item.channel) ?? null)
  }
  return [...told].map(([channel, at]) => ({ channel, at }))
}
