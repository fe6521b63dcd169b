import { once } from '../lib/once.ts'
import { type EngineContext, parseLabels, routesFor } from './engineContext.ts'
import { groupKeyOf, type Route } from './routing.ts'
import type { AlertHead } from './store/alertRows.ts'
import type { GroupRow } from './store/alertGroups.ts'
import type { OutboxItem } from './store/outboxItems.ts'

/**
 * What was told of a group's alerts, without what another route of theirs tells to a channel that this one does not name:
 * whether and when the end is sent there is that route's to say.
 */
export function withoutOthers(
  context: EngineContext,
  of: {
    readonly group: GroupRow
    readonly route: Route | null
    readonly members: readonly AlertHead[]
    readonly toldItems: readonly OutboxItem[]
  },
): readonly OutboxItem[] {
  const { group, route, members, toldItems } = of
  // Mostly a group's channels are its route's alone: then nothing more is read.
  const othersOf = new Map(
    members.map((alert) => [alert.id, once(() => listOthers(context, alert, group.key))]),
  )
  return toldItems.filter(
    ({ alertId, channel, groupKey }) =>
      route?.channels.includes(channel) === true ||
      othersOf
        .get(alertId)?.()
        .some((one) => one.channels.includes(channel) && (one.isIn || one.key === groupKey)) !== true,
  )
}

/** The other groups of an alert; it has left those that are done with it. */
function listOthers(context: EngineContext, alert: AlertHead, own: string) {
  const caseId = context.store.findCaseOf(alert.id)
  const labels = parseLabels(alert.labels)
  const present = new Set(context.store.listGroupsOf(alert.id).map(({ key }) => key))
  return routesFor(context, alert).flatMap((route) => {
    const key = groupKeyOf(route, labels, caseId)
    return key === own ? [] : [{ key, channels: route.channels, isIn: present.has(key) }]
  })
}
