import type { DailyReport } from '../dailyReport.ts'
import type { Message } from '../../delivery/channels/message.ts'
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
  return {
    id: `report-${report.window.day}`,
    attempt: of.attempt,
    channel: of.channel,
    severity,
    headline: verdictLabel(report),
    items: [
      {
        alertId: `report-${report.window.day}`,
        rule: 'daily-report',
        kind: 'report.daily',
        severity,
        status: 'event',
        summary: verdictLabel(report),
        subject: windowLabel(report),
        fields: [...missing, ...flows],
        facts: {},
        labels: { rule: 'daily-report', kind: 'report.daily', severity },
        runbook: null,
        since: report.window.from,
        at: report.builtAt,
        lastedMs: null,
        joined: [],
        remedy: null,
      },
    ],
    rest: [],
    case: null,
    changes: [],
    total: 1,
    createdAt: report.builtAt,
    pageUrl: of.pageUrl,
  }
}
