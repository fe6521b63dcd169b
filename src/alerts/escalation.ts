import type { CaseRow } from '../cases/store/caseRows.ts'
import type { Escalation } from '../cases/store/escalations.ts'
import { noteKnown } from './caseWindows.ts'
import { type EngineContext, expiryOf, note, routesFor } from './engineContext.ts'
import { listEventChannels } from './mutes.ts'
import { isByCase, type Route } from './routing.ts'
import type { AlertHead, AlertRow } from './store/alertRows.ts'

/** Sets the clock of each step of an alert's routes: it runs from the beginning of the case's turn, once a turn. */
export function scheduleEscalations(
  context: EngineContext,
  row: CaseRow,
  alert: Pick<AlertHead, 'labels' | 'transferKey'>,
): void {
  if (row.state !== 'open') return
  for (const route of routesFor(context, alert))
    for (const [step, { afterMs }] of (route.escalate ?? []).entries()) {
      const of = { caseId: row.id, route: route.id, step }
      const known = context.store.getEscalation(of)
      if (known?.turn === row.turn && known.afterMs === afterMs) continue
      context.store.saveEscalation({ ...of, turn: row.turn, afterMs, dueAt: row.turnAt + afterMs })
    }
}

/**
 * Routes may be others than before: each open case waits for the steps that are written now. What is new and past its
 * time is due at once: rather a second ring than none.
 */
export function resumeEscalations(context: EngineContext): void {
  const { store, now } = context
  for (const row of store.listLiveCases({ states: ['open'], limit: mostResumed })) {
    for (const waiting of store.listWaitingEscalations(row.id))
      if (!stepOf(context, waiting)) store.dropEscalation(waiting)
    for (const alert of store.listStanding(row.id, { now, limit: mostEscalated }))
      scheduleEscalations(context, row, alert)
  }
}

const mostResumed = 1_000

function stepOf({ routes }: Pick<EngineContext, 'routes'>, { route, step }: Escalation) {
  return routes.find(({ id }) => id === route)?.escalate?.[step]
}

/** The steps whose time has come: who is named there hears what the case holds now. */
export function escalate(context: EngineContext): void {
  for (const due of context.store.listDueEscalations(context.now)) {
    context.store.saveEscalation({ ...due, dueAt: null })
    const row = context.store.findCase(due.caseId)
    const route = context.routes.find(({ id }) => id === due.route)
    const step = stepOf(context, due)
    if (row?.state !== 'open' || !route || !step) continue
    const alerts = context.store
      .listStanding(row.id, { now: context.now, limit: mostEscalated })
      .filter((alert) => isSpoken(context, alert, route))
    // Silenced, or in a mute time: it is asked again until it ends, or somebody takes the case.
    if (alerts.length === 0) {
      context.store.saveEscalation({ ...due, dueAt: context.now + recheckMs })
      continue
    }
    for (const channel of step.channels) tellAll(context, { row, due, route, channel, alerts })
  }
}

const mostEscalated = 100
const recheckMs = 5_000

function isSpoken(context: EngineContext, alert: AlertRow, { id }: Route): boolean {
  return listEventChannels(context, alert).some(({ route, hold }) => route.id === id && hold === null)
}

function tellAll(
  context: EngineContext,
  of: {
    readonly row: CaseRow
    readonly due: Escalation
    readonly route: Route
    readonly channel: string
    readonly alerts: readonly AlertRow[]
  },
): void {
  const { row, route, channel, alerts } = of
  const { store, now } = context
  for (const alert of alerts) {
    noteKnown(context, row.id, { channel, kind: alert.kind })
    store.queueItem({
      alertId: alert.id,
      episode: alert.episode,
      channel,
      what: alert.nature === 'event' ? 'event' : 'firing',
      groupKey: null,
      isCritical: row.severity === 'critical',
      createdAt: now,
      notBefore: now,
      expiresAt: expiryOf(alert.severity, now),
      caseId: isByCase(route) ? row.id : null,
      change: null,
    })
  }
  const text = `nobody has taken it: to ${channel}`
  store.addCaseLog({ caseId: row.id, at: now, what: 'escalated', by: null, text })
  const [worst] = alerts
  if (worst) note(context, worst, { what: 'escalated', reason: `c${row.id}, ${text}` }, now)
}
