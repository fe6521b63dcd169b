import { alertIdOf } from '../../alerts/fingerprint.ts'
import type { AlertStore } from '../../alerts/store/alertStore.ts'
import type { OutboxItem } from '../../alerts/store/outboxItems.ts'
import { droppedMark } from '../../alerts/store/outboxOperations.ts'
import type { OutboxView } from '../viewTypes.ts'

/** An outbox item as page, API and command line show it, with its alert and how its message fares. */
export function toOutboxView(
  store: Pick<AlertStore, 'getAlert' | 'getDelivery'>,
  item: OutboxItem,
): OutboxView {
  const alert = store.getAlert(item.alertId)
  const delivery = item.deliveryId === null ? null : store.getDelivery(item.deliveryId)
  return {
    id: item.id,
    state: item.state,
    channel: item.channel,
    what: item.what,
    alert: alert === null ? null : alertIdOf(alert.fingerprint),
    rule: alert?.rule ?? null,
    subject: alert?.subject ?? null,
    isCritical: item.isCritical,
    createdAt: item.createdAt,
    notBefore: item.notBefore,
    expiresAt: item.expiresAt,
    sentAt: item.sentAt,
    isDropped: item.messageId === droppedMark,
    messageId: item.messageId === droppedMark ? null : item.messageId,
    attempt: delivery?.attempt ?? null,
    nextAt: delivery?.state === 'waiting' ? delivery.nextAt : null,
    lastError: delivery?.lastError ?? null,
  }
}
