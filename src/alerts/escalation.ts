import type { UnixMs } from '../lib/clock.ts'
import type { CaseRow } from '../cases/store/caseRows.ts'
import type { Escalation } from '../cases/store/escalations.ts'
import { noteKnown } from './caseWindows.ts'
import { type EngineContext, expiryOf, note, routesFor } from './engineContext.ts'
import { createMute, createSpeaking } from './mutes.ts'
import { isByCase, type Route } from './routing.ts'
import type { AlertHead, AlertRow } from './store/alertRows.ts'
import type { AlertStore } from './store/alertStore.ts'

/**
 * Sets the clock of each step of an alert's routes: it runs from the beginning of the case's turn, once a turn, and once
 * more where an open case got graver since. A case that somebody has waits for nobody, and keeps its steps for when it
 * opens again.
 */
export function scheduleEscalations(
  context: EngineContext,
  row: CaseRow,
  of: { readonly alert: Pick<AlertHead, 'labels' | 'transferKey'>; readonly isGraver: boolean },
): void {
  const { alert, isGraver } = of
  for (const route of routesFor(context, alert))
    for (const [step, { afterMs }] of (route.escalate ?? []).entries()) {
      const of = { caseId: row.id, route: route.id, step }
      const known = context.store.getEscalation(of)
      const isAnew = isGraver && known?.turn === row.turn && known.dueAt === null
      if (known?.turn === row.turn && known.afterMs === afterMs && !isAnew) continue
      const dueAt = row.state === 'open' ? (isAnew ? context.now : row.turnAt) + afterMs : null
      context.store.saveEscalation({ ...of, turn: row.turn, afterMs, dueAt })
    }
}

/**
 * Routes may be others than before: each case that is not over waits for the steps that are written now, or does once it
 * opens again. What is new and past its time is due at once: rather a second ring than none.
 */
export function resumeEscalations(context: EngineContext): void {
  const { store, now } = context
  for (const row of store.listLiveCases({
    states: ['open', 'acknowledged', 'handled'],
    limit: mostResumed,
  })) {
    for (const waiting of store.listWaitingEscalations(row.id)) {
      const latest = now + waiting.afterMs
      if (!stepOf(context, waiting)) store.dropEscalation(waiting)
      // The wall clock was set back.
      else if ((waiting.dueAt ?? now) > latest) store.saveEscalation({ ...waiting, dueAt: latest })
    }
    for (const alert of store.listStanding(row.id, { now, limit: mostEscalated }))
      scheduleEscalations(context, row, { alert, isGraver: false })
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
    if (row !== null && mayHoldAgain(row, due, context.now))
      context.store.saveEscalation({ ...due, dueAt: context.now + recheckMs })
    if (row?.state !== 'open' || !route || !step) continue
    const alerts = listSpoken(context, row, route)
    // Silenced, in a mute time, or inhibited: it is asked again until that ends, or somebody takes the case.
    if (alerts.length === 0) {
      context.store.saveEscalation({ ...due, dueAt: context.now + recheckMs })
      continue
    }
    for (const channel of step.channels) tellAll(context, { row, due, route, channel, alerts })
  }
}

/** What comes and goes would begin anew each time, and reach nobody: a step waits for as long after its end as before it. */
function mayHoldAgain({ state, closedAt }: CaseRow, { afterMs }: Escalation, now: UnixMs): boolean {
  return state === 'closed' && closedAt !== null && now >= closedAt && now - closedAt < afterMs
}

const mostEscalated = 100
const recheckMs = 5_000

/** What of a case its route may say now, the worst first: what is kept quiet hides nothing, however much of it there is. */
function listSpoken(context: EngineContext, row: CaseRow, route: Route): AlertRow[] {
  const { store, now } = context
  const mayEventSpeak = createSpeaking(context)
  const mute = createMute(context)
  const isSpoken = (alert: AlertRow) => {
    if (alert.nature === 'event') return mayEventSpeak(alert, route)
    const why = mute(alert, route)
    return why === null || (why.by === 'inhibited' && wasTold(store, alert))
  }
  for (let offset = 0; ; offset += mostEscalated) {
    const page = store.listStanding(row.id, { now, limit: mostEscalated, offset })
    const spoken = page.filter(isSpoken)
    if (spoken.length > 0 || page.length < mostEscalated) return spoken
  }
}

/** What people know of goes on to the next whatever else fires; what is inhibited from its beginning nobody has missed. */
function wasTold({ listItemsOf }: Pick<AlertStore, 'listItemsOf'>, { id, episode }: AlertRow): boolean {
  return listItemsOf(id).some((item) => item.episode === episode && item.state !== 'dead')
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
