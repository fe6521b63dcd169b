import type { UnixMs } from '../lib/clock.ts'
import type { MessageItem } from './channels/message.ts'
import type { AlertRow } from '../alerts/store/alertRows.ts'
import type { OutboxWhat } from '../alerts/store/outboxItems.ts'
import { alertIdOf } from '../alerts/fingerprint.ts'
import { statuses } from './wording.ts'

/** An alert whose kept finding cannot be read or worded: severity, rule, kind and subject are known all the same. */
export function toUnreadableItem(alert: AlertRow, what: OutboxWhat, now: UnixMs): MessageItem {
  const { kind, subject } = alert
  const status = statuses[what]
  return {
    alertId: alertIdOf(alert.fingerprint),
    rule: alert.rule,
    kind,
    severity: alert.severity,
    status,
    summary: `${status === 'resolved' ? 'Resolved: ' : ''}${kind} of ${subject}: its details cannot be read`,
    subject,
    fields: [],
    facts: {},
    labels: {},
    runbook: alert.runbook,
    since: alert.activeAt,
    at: now,
    lastedMs: null,
    joined: [],
    remedy:
      status === 'resolved'
        ? null
        : `See what is kept of it: spanwatch alerts show ${alertIdOf(alert.fingerprint)}`,
  }
}
