import { comesBack } from '../../alerts/caseOperations.ts'
import type { Route } from '../../alerts/routing.ts'
import { keptFinding } from '../../alerts/findingJson.ts'
import type { AlertRow } from '../../alerts/store/alertRows.ts'
import { remedyOf } from '../../delivery/kindWords.ts'
import type { CaseAlertRow } from '../../alerts/store/alertsOfCase.ts'
import type { CaseRow } from '../../cases/store/caseRows.ts'
import { kinds } from '../../checks/index.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import { toRouting } from '../../monitor/toRouting.ts'
import { describeCase, type TokenFacts, toMoneyAtRisk, toTokenFacts } from '../../delivery/describeCase.ts'
import type { TransactionLinks } from '../../delivery/itemFields.ts'
import type { CaseFinding, CaseQuery, CaseStory, CaseView } from '../caseTypes.ts'
import { caseStates } from '../caseTypes.ts'
import { toAlertStory } from './toAlertStory.ts'
import { type AlertViewSource, toAlertView } from './toAlertView.ts'

export interface CaseViewSource extends AlertViewSource {
  readonly tokens: TokenFacts
}

/** What else a case's story needs. */
export interface CaseStorySource extends CaseViewSource {
  readonly routes: readonly Pick<Route, 'id' | 'escalate'>[]
  readonly links: TransactionLinks
}

export type CaseSettings = Pick<CaseStorySource, 'tokens' | 'routes' | 'links'>

/** What the configuration says to cases, read once. */
export function toCaseSettings(config: AppConfig): CaseSettings {
  return {
    tokens: toTokenFacts(config.bridge),
    routes: toRouting(config).routes,
    links: config.explorer.links.tx,
  }
}

const mostFindings = 50
const mostEntries = 200

/** A case as page, API and command line show it: worded anew from its worst finding. */
export function toCaseView(source: CaseViewSource, row: CaseRow): CaseView {
  const { store, rules, tokens, now } = source
  const words = { store, kinds, live: { rules }, tokens, pageUrl: null }
  const of = describeCase(words, row, now)
  return {
    id: of.id,
    state: of.state,
    severity: of.severity,
    title: of.title,
    money: of.money,
    members: of.members,
    openedAt: of.openedAt,
    closedAt: of.closedAt,
    assignee: of.assignee,
    by: of.by,
    reason: of.reason,
    transferKey: of.transferKey,
    turn: row.turn,
    turnAt: row.turnAt,
    byAt: row.byAt,
    changedAt: row.changedAt,
    comesBack: sayComingBack(row),
  }
}

function sayComingBack({ state }: CaseRow): string | null {
  if (state === 'acknowledged' || state === 'handled') return comesBack
  return state === 'closed'
    ? 'it opens again when something of the same cause holds, or something critical of it is found, soon after'
    : null
}

/** The cases of a state: what is not over in the order in which it wants a look, else the newest change first. */
export function listCaseViews(source: CaseViewSource, { state, limit }: CaseQuery): CaseView[] {
  const { store } = source
  const live = ['open', 'acknowledged', 'handled'] as const
  const rows =
    state === 'all'
      ? store.listCases({ states: caseStates, limit })
      : state === 'closed'
        ? store.listCases({ states: ['closed'], limit })
        : store.listLiveCases({ states: state === 'live' ? live : [state], limit })
  return rows.map((row) => toCaseView(source, row))
}

/** All that is kept of one case. */
export function toCaseStory(source: CaseStorySource, row: CaseRow): CaseStory {
  const { store } = source
  const worst = store.getAlert(row.worstAlert)
  return {
    ...toCaseView(source, row),
    remedy: worst === null ? null : remedyOfAlert(worst),
    runbook: worst?.runbook ?? null,
    kind: worst?.kind ?? null,
    fields: worst === null ? [] : toAlertStory(source, worst, source.links).fields,
    findings: store.listCaseAlerts(row.id, mostFindings).map((alert) => toFinding(source, alert)),
    timeline: store
      .listCaseLog(row.id, mostEntries)
      .map(({ at, what, by, text }) => ({ at, what, by, text })),
    told: store.listToldOfCase(row.id),
    // Those of a case that is over wait for whether it holds again.
    escalations: (row.state === 'open' ? store.listWaitingEscalations(row.id) : []).map(
      ({ dueAt, route, step }) => ({
        dueAt: dueAt ?? source.now,
        route,
        channels: source.routes.find(({ id }) => id === route)?.escalate?.[step]?.channels ?? [],
      }),
    ),
    endsAt: row.state === 'handled' ? row.closeAt : null,
  }
}

function remedyOfAlert(row: AlertRow): string | null {
  const kind = kinds.find(row.kind)
  return kind && remedyOf(kind, keptFinding(row))
}

/** One that fired again since, in another case, is over here. */
export function toFinding(source: CaseStorySource, row: CaseAlertRow): CaseFinding {
  const view = toAlertView(source, row)
  const risk = source.store.getRisk(row.id)
  const isPast = row.nature === 'condition' && row.episode !== row.ofEpisode
  return {
    ...view,
    ...(isPast && { state: 'resolved', resolvedAt: row.untilAt ?? view.since }),
    atRisk: risk === null || isPast ? null : toMoneyAtRisk(source.tokens, risk),
  }
}
