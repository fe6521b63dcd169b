import type { UnixMs } from '../lib/clock.ts'
import type { AlertHead } from './store/alertRows.ts'
import type { GroupRow } from './store/alertGroups.ts'
import { type EngineContext, note, parseLabels, routesFor } from './engineContext.ts'
import { groupKeyOf, groupWaitOf, maxRepeatOf, repeatOf } from './routing.ts'

/**
 * When a group with a new firing alert is to be flushed. A group that is new, or sent nothing for an interval, after its
 * wait; one that sent something less than an interval ago when that is over, but a critical alert never waits for it.
 */
function dueAfterFiring(
  group: Pick<GroupRow, 'flushedAt' | 'intervalMs'> | null,
  of: { readonly waitMs: number; readonly isCritical: boolean },
  now: UnixMs,
): UnixMs {
  const quietUntil = group?.flushedAt == null ? now : group.flushedAt + group.intervalMs
  return of.isCritical || quietUntil <= now ? now + of.waitMs : quietUntil
}

/** When the end of an alert is sent: as soon as its group may send again, that of a critical one at once. */
function dueAfterEnd(
  group: Pick<GroupRow, 'flushedAt' | 'intervalMs'>,
  isAtOnce: boolean,
  now: UnixMs,
): UnixMs {
  return isAtOnce || group.flushedAt === null ? now : Math.max(now, group.flushedAt + group.intervalMs)
}

/**
 * Puts an alert that fired into the groups that its routes give it now, and out of those that they gave it before: what
 * is queued of it and its reminders go with it. Without a route it stays where it was, so that its end is sent.
 */
export function joinGroups(context: EngineContext, alert: AlertHead): void {
  const { store, now } = context
  const routes = routesFor(context, alert)
  if (routes.length === 0)
    return note(context, alert, { what: 'not told', reason: 'no route matches its labels' }, now)
  const caseId = store.findCaseOf(alert.id)
  const joined = new Map(routes.map((route) => [groupKeyOf(route, parseLabels(alert.labels), caseId), route]))
  const left = store.listGroupsOf(alert.id).filter(({ key }) => !joined.has(key))
  for (const [key, route] of joined) {
    const group = store.getGroup(key)
    const due = dueAfterFiring(
      group,
      { waitMs: groupWaitOf(route, alert), isCritical: alert.severity === 'critical' },
      now,
    )
    store.saveGroup({
      key,
      route: route.id,
      isDirty: true,
      flushAt: group?.isDirty ? Math.min(group.flushAt, due) : due,
      intervalMs: route.groupIntervalMs,
      repeatMs: repeatOf(route),
      maxRepeatMs: maxRepeatOf(route),
      flushedAt: group?.flushedAt ?? null,
    })
    for (const { key: from } of left)
      store.carryMember({ alertId: alert.id, from, to: key, channels: route.channels })
    store.addMember(key, alert.id)
  }
  for (const { key } of left) store.removeMember(key, alert.id)
}

const flappingMs = 3_600_000
const flappingFrom = 2

/** Schedules a flush of the groups of an alert that is over. */
export function touchGroups(
  context: EngineContext,
  { id, severity }: Pick<AlertHead, 'id' | 'severity'>,
): void {
  // What flaps would end at each turn: that is told once an interval.
  const isAtOnce =
    severity === 'critical' && context.store.countFirings(id, context.now - flappingMs) < flappingFrom
  for (const group of context.store.listGroupsOf(id)) {
    const due = dueAfterEnd(group, isAtOnce, context.now)
    context.store.saveGroup({
      ...group,
      isDirty: true,
      flushAt: group.isDirty ? Math.min(group.flushAt, due) : due,
    })
  }
}
