import { comesBack } from '../../alerts/caseOperations.ts'
import type { Route } from '../../alerts/routing.ts'
import { keptFinding } from '../../alerts/findingJson.ts'
import type { AlertRow } from '../../alerts/store/alertRows.ts'
import { remedyOf } from '../../delivery/kindWords.ts'
import type { CaseAlertRow } from '../../alerts/store/alertsOfCase.ts'
import type { CaseRow, CaseState } from '../../cases/store/caseRows.ts'
import { kinds } from '../../checks/index.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import { toRouting } from '../../monitor/toRouting.ts'
import { describeCase, type TokenFacts, toMoneyAtRisk, toTokenFacts } from '../../delivery/describeCase.ts'
import type { TransactionLinks } from '../../delivery/itemFields.ts'
import type { CaseFinding, CaseQuery, CaseStory, CaseView } from '../caseTypes.ts'
import { caseStates } from '../caseTypes.ts'
import { type CaseOrderSource, listInOrder } from './listInOrder.ts'
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

export type CaseListSource = CaseViewSource & CaseOrderSource

/** The cases of a state: what is not over in the order of the status page, handled ones last, else the newest change first. */
export function listCaseViews(source: CaseListSource, query: CaseQuery): CaseView[] {
  return listRows(source, query).map((row) => toCaseView(source, row))
}

function listRows(source: CaseListSource, { state, limit }: CaseQuery): CaseRow[] {
  const { store } = source
  switch (state) {
    case 'all':
      return store.listCases({ states: caseStates, limit })
    case 'closed':
      return store.listCases({ states: ['closed'], limit })
    case 'handled':
      return store.listLiveCases({ states: ['handled'], limit })
    case 'open':
    case 'acknowledged':
      return listUnhandled(source, [state], limit)
    case 'live':
      return listUnhandled(source, ['open', 'acknowledged', 'handled'], limit)
  }
}

/** Those that are judged in their order, then the others as they are read. */
function listUnhandled(source: CaseListSource, states: readonly CaseState[], limit: number): CaseRow[] {
  const unhandled = states.filter((state) => state !== 'handled')
  const first = listInOrder(source, unhandled).map(({ row }) => row)
  if (first.length >= limit) return first.slice(0, limit)
  const known = new Set(first.map(({ id }) => id))
  const others = source.store.listLiveCases({ states, limit }).filter(({ id }) => !known.has(id))
  return [...first, ...others].slice(0, limit)
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
