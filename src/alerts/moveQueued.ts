import type { AlertRow } from './store/alertRows.ts'
import type { OutboxItem } from './store/outboxItems.ts'
import { type EngineContext, expiryOf, note, routesFor } from './engineContext.ts'

/**
 * What is queued for a channel that is gone from the configuration goes to those that the routes name now. At start. Where
 * they name none it stays, and goes to the fallback in time.
 */
export function moveQueued(context: EngineContext): void {
  const { store } = context
  for (const { channel } of store.listDepths()) {
    if (context.channels.includes(channel)) continue
    for (const item of store.listQueuedOf(channel)) {
      const alert = store.getAlert(item.alertId)
      const channels = alert === null ? [] : routesFor(context, alert).flatMap((route) => route.channels)
      if (alert === null || channels.length === 0) continue
      // A reminder of what still holds comes anew, and what happened to a case is told to who follows it.
      if (item.what !== 'repeat' && item.what !== 'case') copyTo(context, alert, item, new Set(channels))
      store.deleteItem(item.id)
    }
  }
}

function copyTo(
  context: EngineContext,
  alert: AlertRow,
  item: OutboxItem,
  channels: ReadonlySet<string>,
): void {
  const { store, now } = context
  const known = store.listItemsOf(alert.id).filter(({ state }) => state !== 'dead')
  const hasIt = (channel: string) =>
    known.some((one) => one.channel === channel && one.episode === item.episode && one.what === item.what)
  for (const channel of channels) {
    if (hasIt(channel)) continue
    const expiresAt = expiryOf(alert.severity, now)
    store.queueItem({ ...item, channel, createdAt: now, notBefore: now, expiresAt })
    note(context, alert, { what: 'told', reason: `${item.channel} is gone, to ${channel}` }, now)
  }
}
