import type { EngineContext } from './engineContext.ts'
import type { Mute } from './mutes.ts'
import { isUnsent } from './queueDecision.ts'
import type { GroupRow } from './store/alertGroups.ts'
import type { OutboxItem } from './store/outboxItems.ts'

/**
 * What was told of a group. What waits for its channel yet and is muted since is not sent: over by then, it would be said to
 * fire. What still fires when that ends is told then.
 */
export function withdrawMuted(
  { store, now }: EngineContext,
  { group, muted }: { readonly group: GroupRow; readonly muted: ReadonlyMap<number, Mute | null> },
): OutboxItem[] {
  const isWithdrawn = (item: OutboxItem) =>
    isUnsent(item) &&
    item.groupKey === group.key &&
    (item.what === 'firing' || item.what === 'joined') &&
    muted.get(item.alertId)?.by === 'muted'
  const { withdrawn = [], told = [] } = Object.groupBy(store.listToldOfGroup(group.key), (item) =>
    isWithdrawn(item) ? 'withdrawn' : 'told',
  )
  for (const { id } of withdrawn) store.deleteItem(id)
  // Another route, which is not muted, may lead to the same channel.
  if (withdrawn.length > 0) store.touchQuietGroups(now)
  return told
}
