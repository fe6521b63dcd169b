import type { AlertRow } from './store/alertRows.ts'
import type { OutboxItem } from './store/outboxItems.ts'
import { type EngineContext, expiryOf, note, routesFor } from './engineContext.ts'

/**
 * What is queued for channels that are gone from the configuration goes to those that the routes name now. Where they
 * name none it stays, and goes to the fallback in time.
 */
export function moveQueued(context: EngineContext): void {
  for (const { channel } of context.store.listDepths()) moveGone(context, channel)
}

/** The same of one channel, which may be there. */
export function moveGone(context: EngineContext, channel: string): void {
  const { store } = context
  if (context.channels.includes(channel)) return
  for (const item of store.listQueuedOf(channel)) {
    const alert = store.getAlert(item.alertId)
    const channels = alert === null ? [] : routesFor(context, alert).flatMap((route) => route.channels)
    if (alert === null || channels.length === 0 || channels.includes(channel)) continue
    // A reminder of what still holds comes anew, and what happened to a case is told to who follows it.
    if (item.what !== 'repeat' && item.what !== 'case') copyTo(context, alert, item, new Set(channels))
    store.deleteItem(item.id)
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
    known.some(
      ({ channel: its, episode, what }) =>
        its === channel && episode === item.episode && (what === item.what || what === 'both'),
    )
  for (const channel of channels) {
    if (hasIt(channel)) continue
    const expiresAt = expiryOf(alert.severity, now)
    store.queueItem({ ...item, channel, createdAt: now, notBefore: now, expiresAt })
    note(context, alert, { what: 'told', reason: `${item.channel} is gone, to ${channel}` }, now)
  }
}
