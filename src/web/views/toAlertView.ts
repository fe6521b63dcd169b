import { parseLabels } from '../../alerts/engineContext.ts'
import { keptFinding, sinceFirstFound } from '../../alerts/findingJson.ts'
import { alertIdOf } from '../../alerts/fingerprint.ts'
import { createSilencer, type Silencer } from '../../alerts/silences.ts'
import { hasBlockTime, sayAlert } from '../../delivery/wording.ts'
import { kinds } from '../../checks/index.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { LoadedRule } from '../../rules/types.ts'
import type { AlertRow } from '../../alerts/store/alertRows.ts'
import type { AlertStore } from '../../alerts/store/alertStore.ts'
import type { CaseRow } from '../../cases/store/caseRows.ts'
import type { AlertView } from '../caseTypes.ts'

export interface AlertViewSource {
  readonly store: AlertStore
  readonly rules: readonly LoadedRule[]
  readonly now: UnixMs
  /** By how much our clock is ahead of everybody's, ms. */
  readonly clockLeadMs: number
  /** What silences say of an alert. */
  readonly silencer: Silencer
}

/** An alert as page, API and command line show it: worded anew from its finding, with which channels got it and when. */
export function toAlertView(source: AlertViewSource, row: AlertRow): AlertView {
  const finding = sinceFirstFound(keptFinding(row), row)
  const labels = parseLabels(row.labels)
  const { silence } = source.silencer(row)
  const rule = source.rules.find(({ name }) => name === row.rule)
  const leadMs = hasBlockTime(kinds.find(row.kind), row, finding) ? source.clockLeadMs : 0
  const at = (row.resolvedAt ?? source.now) - leadMs
  const told = source.store.listItemsOf(row.id).filter((item) => item.state !== 'dead')
  // Of the time that it fires now: what was sent of an earlier one happened before.
  const toldNow = told.filter(({ episode }) => episode === row.episode)
  return {
    id: alertIdOf(row.fingerprint),
    rule: row.rule,
    kind: row.kind,
    severity: row.severity,
    // `inactive` and `merged` are not listed.
    state: row.state as AlertView['state'],
    title: finding.title,
    summary: sayAlert({ alert: row, finding, kind: kinds.find(row.kind), rule: rule ?? null }, at),
    since: finding.since,
    leadMs,
    foundAt: row.activeAt,
    toldAt: toldNow.reduce<UnixMs | null>((first, { sentAt }) => earlier(first, sentAt), null),
    untold: toldNow.length > 0 ? null : whyUntold(source, row),
    resolvedAt: row.resolvedAt,
    endedBadly: row.state === 'resolved' && hasEndedBadly(source, row),
    transferKey: row.transferKey,
    facts: finding.facts,
    evidence: finding.evidence,
    runbook: row.runbook,
    ack: row.ackedAt === null ? null : { by: row.ackedBy ?? '', at: row.ackedAt },
    told: told.map((item) => ({ channel: item.channel, at: item.sentAt })),
    labels,
    silence: silence && { id: silence.id, endsAt: silence.endsAt },
    case: nameCase(source.store.findCaseOfAlert(row.id)),
  }
}

const mostDecisions = 20

function whyUntold({ store }: AlertViewSource, { id, activeAt }: AlertRow): string | null {
  const newest = store
    .listDecisions({ alertId: id, limit: mostDecisions })
    .find(({ what }) => what === 'not told' || what === 'muted over')
  return newest === undefined || newest.at < activeAt ? null : newest.reason
}

function nameCase(row: CaseRow | null): AlertView['case'] {
  return row && { id: `c${row.id}`, state: row.state === 'merged' ? 'closed' : row.state }
}

function earlier(a: UnixMs | null, b: UnixMs | null): UnixMs | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

function hasEndedBadly({ store }: AlertViewSource, { resolvedReason, transferKey }: AlertRow): boolean {
  if (resolvedReason !== null) return true
  const state = transferKey === null ? null : store.readTransferState(transferKey)
  return state === 'failed' || state === 'unbacked'
}

/** What a reader needs beside the rows, at one moment. */
export function createAlertViews(
  store: AlertStore,
  rules: readonly LoadedRule[],
  now: UnixMs,
  clockLeadMs = 0,
): AlertViewSource {
  const silencer = createSilencer(store.listSilencesAt(now), { store, kinds })
  return { store, rules, now, clockLeadMs, silencer }
}
