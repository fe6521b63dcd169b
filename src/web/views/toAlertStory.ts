import { keptFinding, sinceFirstFound } from '../../alerts/findingJson.ts'
import type { AlertRow } from '../../alerts/store/alertRows.ts'
import { kinds } from '../../checks/index.ts'
import { remedyOf } from '../../delivery/kindWords.ts'
import { toFields, type TransactionLinks } from '../../delivery/itemFields.ts'
import type { AlertStory } from '../caseTypes.ts'
import { type AlertViewSource, toAlertView } from './toAlertView.ts'

const mostDecisions = 200
const noLinks: TransactionLinks = { main: null, zone: null }

/** All that the ledger knows of one alert: what was decided about it and why, and every message. */
export function toAlertStory(
  source: AlertViewSource,
  row: AlertRow,
  links: TransactionLinks = noLinks,
): AlertStory {
  const { store, now } = source
  const view = toAlertView(source, row)
  const finding = sinceFirstFound(keptFinding(row), row)
  const isResolved = row.state === 'resolved'
  const kind = kinds.find(row.kind)
  return {
    ...view,
    remedy: isResolved || kind === null ? null : remedyOf(kind, finding),
    fields: toFields(
      {
        finding,
        links,
        rule: row.rule,
        flapping: null,
        isResolved,
        isEvent: row.nature === 'event',
        summary: view.summary,
      },
      now - view.leadMs,
    ),
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
