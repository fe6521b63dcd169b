import type { DailyReport } from '../dailyReport.ts'
import type { Message } from '../../delivery/channels/message.ts'
import { toOwnMessage } from '../../delivery/channels/ownMessage.ts'
import { judgeReport } from './headline.ts'
import { bookColumnsOf, bookOf } from './reportTables.ts'
import { verdictLabel, windowLabel } from './reportWords.ts'
import { tokenLabel } from './tokenLabel.ts'

/** The report as a message, for channels that are not mail: the verdict, one line a route, and what is missing. */
export function toReportMessage(
  report: DailyReport,
  of: { readonly channel: string; readonly attempt: number; readonly pageUrl: string | null },
): Message {
  const severity = judgeReport(report)
  const book = bookOf(report)
  const columns = bookColumnsOf(book)
  const lines = book.map((line) => ({
    label: tokenLabel(line.token),
    value: columns.map(({ name, of: say }) => `${name} ${say(line).replace('\n', ' ')}`).join(', '),
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
      fields: [...missing, ...lines],
      facts: {},
      labels: { rule: 'daily-report', kind: 'report.daily', severity },
      runbook: null,
      since: report.window.from,
      lastedMs: null,
      remedy: null,
    },
  )
}
