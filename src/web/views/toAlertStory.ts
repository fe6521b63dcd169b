import type { AlertRow } from '../../alerts/store/alertRows.ts'
import type { AlertStory } from '../caseTypes.ts'
import { type AlertViewSource, toAlertView } from './toAlertView.ts'

const mostDecisions = 200

/** All that the ledger knows of one alert: what was decided about it and why, and every message. */
export function toAlertStory(source: AlertViewSource, row: AlertRow): AlertStory {
  const { store } = source
  return {
    ...toAlertView(source, row),
    subject: row.subject,
    episode: row.episode,
    firedAt: row.firedAt,
    heldFor: store.listHeldChannels(row.id),
    messages: store.listItemsOf(row.id).map((item) => ({
      item: item.id,
      channel: item.channel,
      what: item.what,
      state: item.state,
      message: item.messageId,
      queuedAt: item.createdAt,
      sentAt: item.sentAt,
    })),
    decisions: store
      .listDecisions({ alertId: row.id, limit: mostDecisions })
      .reverse()
      .map(({ at, what, reason }) => ({ at, what, reason })),
  }
}
