import type { DailyReport } from '../dailyReport.ts'
import type { Message } from '../../delivery/channels/message.ts'
import { toOwnMessage } from '../../delivery/channels/ownMessage.ts'
import { directionLabel, sumLabel, tokenLabel, verdictLabel, windowLabel } from './reportWords.ts'

/** The report as a message, for channels that are not mail: the verdict, one line a route, and what is missing. */
export function toReportMessage(
  report: DailyReport,
  of: { readonly channel: string; readonly attempt: number; readonly pageUrl: string | null },
): Message {
  const hasCritical = report.findings.some(({ severity }) => severity === 'critical')
  const severity = hasCritical ? 'critical' : report.missing.length > 0 ? 'warning' : 'info'
  const flows = report.flows.map(({ token, direction, opening, started, completed, failed, closing }) => ({
    label: `${tokenLabel(token)} ${directionLabel(direction)}`,
    value: `${opening.count} + ${started.count} started − ${completed.count} completed − ${failed.count} failed = ${closing.count} in flight (${sumLabel(closing)})`,
    href: null,
  }))
  const missing = report.missing.map((what) => ({ label: 'Incomplete', value: what, href: null }))
  const id = `report-${report.window.day}`
  const headline = verdictLabel(report)
  return toOwnMessage(
    { ...of, id, headline, createdAt: report.builtAt },
    {
      alertId: id,
      rule: 'daily-report',
      kind: 'report.daily',
      severity,
      status: 'event',
      summary: headline,
      subject: windowLabel(report),
      fields: [...missing, ...flows],
      facts: {},
      labels: { rule: 'daily-report', kind: 'report.daily', severity },
      runbook: null,
      since: report.window.from,
      lastedMs: null,
      remedy: null,
    },
  )
}
