import type { AlertRow } from '../../alerts/store/alertRows.ts'
import type { AlertStore } from '../../alerts/store/alertStore.ts'
import type { AlertStory } from '../types.ts'
import { type AlertViewSource, toAlertView } from './toAlertView.ts'

export interface AlertStorySource extends AlertViewSource {
  readonly alerts: Pick<
    AlertStore,
    | 'listAlerts'
    | 'listItemsOf'
    | 'readTransferState'
    | 'findCaseOfAlert'
    | 'listDecisions'
    | 'listHeldChannels'
  >
}

const mostDecisions = 200

/** All that the ledger knows of one alert: what was decided about it and why, and every message. */
export function toAlertStory(source: AlertStorySource, row: AlertRow): AlertStory {
  const { alerts } = source
  return {
    ...toAlertView(source, row),
    subject: row.subject,
    episode: row.episode,
    firedAt: row.firedAt,
    heldFor: alerts.listHeldChannels(row.id),
    messages: alerts.listItemsOf(row.id).map((item) => ({
      item: item.id,
      channel: item.channel,
      what: item.what,
      state: item.state,
      message: item.messageId,
      queuedAt: item.createdAt,
      sentAt: item.sentAt,
    })),
    decisions: alerts
      .listDecisions({ alertId: row.id, limit: mostDecisions })
      .reverse()
      .map(({ at, what, reason }) => ({ at, what, reason })),
  }
}
