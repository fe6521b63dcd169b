import { html } from 'hono/html'
import { mailFrame } from '../../delivery/channels/mailFrame.ts'
import { mailStyles } from '../../delivery/channels/mailStyles.ts'
import type { Message, RenderedReport } from '../../delivery/channels/message.ts'
import { toOwnMessage } from '../../delivery/channels/ownMessage.ts'
import { toCsvLine } from '../../lib/csv.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { cleanText } from '../../lib/text.ts'
import { narrow, tableCard } from '../../report/render/renderReportHtml.ts'
import { renderTable } from '../../report/render/renderReportText.ts'
import { type Cell, number, type ReportTable, text } from '../../report/render/reportTable.ts'
import type { VerdictLevel } from '../../web/statusFacts.ts'
import { formatTime, verdictWords } from '../../web/pages/words.ts'
import { judgeBridge, judgeFleet, rankBridges } from '../judgeFleet.ts'
import { formatUsd, sayMoney, toBridgeHref } from '../pages/fleetWords.ts'
import type { FleetDay } from './fleetDay.ts'

type DayBridge = FleetDay['bridges'][number]

const mostListed = 20

/** The report over all bridges in the forms of a mail. */
export function renderFleetDay(day: FleetDay, pageUrl: string | null): RenderedReport {
  const tables = listTables(day)
  const label = labelOf(day)
  const when = `${day.window.day} (${day.window.zone}); verdicts as of ${formatTime(day.builtAt)}`
  const page = pageUrl === null ? null : toBridgeHref(pageUrl, '/')
  return {
    // Of a bridge's own report of the day it is another mail.
    day: `fleet-${day.window.day}`,
    id: `fleet-${day.window.day}`,
    subject: `[spanwatch] ${label}`,
    text: `${[`${label}\n${when}`, ...tables.map(renderTable)].join('\n\n')}\n`,
    html: mailFrame({
      title: label,
      styles: narrow,
      column: 'max-width:1060px;text-align:left;',
      rows: [
        html`<tr><td style="${mailStyles.head}"><h1 class="ink" style="${mailStyles.title}">${label}</h1><div class="muted" style="${mailStyles.subject}">${when}</div></td></tr>`,
        tables.map(tableCard),
        page === null
          ? ''
          : html`<tr><td class="muted" style="${mailStyles.foot}"><a class="link" href="${page}" style="${mailStyles.link}">All bridges now</a></td></tr>`,
      ],
    }),
    charts: [],
    csv: [{ name: `bridges-${day.window.day}.csv`, content: toCsv(day) }],
  }
}

/** The same for channels that take no mail. */
export function toFleetMessage(
  day: FleetDay,
  of: { readonly channel: string; readonly attempt: number; readonly pageUrl: string | null },
): Message {
  const { level } = judgeFleet(day.bridges)
  const severity = level === 'critical' ? 'critical' : level === 'fine' ? 'info' : 'warning'
  const id = `report-fleet-${day.window.day}`
  const headline = labelOf(day)
  return toOwnMessage(
    { ...of, id, headline, createdAt: day.builtAt },
    {
      alertId: id,
      rule: 'fleet-report',
      kind: 'report.fleet',
      severity,
      status: 'event',
      summary: headline,
      subject: `${day.window.day} (${day.window.zone})`,
      fields: rankBridges(day.bridges)
        .slice(0, mostListed)
        .map((one) => ({
          label: cleanText(one.bridge, 80),
          value: `${sayVerdict(one)}; ${one.openCases} open, ${sayRisk(one)} USD at risk`,
          href: toBridgeHref(one.pageUrl, '/'),
        })),
      facts: {},
      labels: { rule: 'fleet-report', kind: 'report.fleet', severity },
      runbook: null,
      since: day.window.from,
      lastedMs: null,
      remedy: null,
    },
  )
}

function labelOf({ bridges, window }: FleetDay): string {
  const levels = bridges.map((one) => judgeBridge(one).level)
  const count = (level: VerdictLevel) => levels.filter((one) => one === level).length
  const parts = (['critical', 'unknown', 'attention'] as const).flatMap((level) =>
    count(level) === 0 ? [] : [`${count(level)} ${verdictWords[level].toLowerCase()}`],
  )
  const all = `${bridges.length} bridge${bridges.length === 1 ? '' : 's'}`
  return `${all} on ${window.day}: ${parts.length === 0 ? 'no problem found' : parts.join(', ')}`
}

function sayVerdict(one: DayBridge): string {
  const { level, problem } = judgeBridge(one)
  const why = problem ?? (level === 'fine' ? null : one.reasons[0])
  return why == null ? verdictWords[level] : `${verdictWords[level]}: ${cleanText(why, 160)}`
}

function sayRisk({ atRiskUsd, openCases }: DayBridge): string {
  return atRiskUsd === null ? (openCases === 0 ? '0' : 'unknown') : formatUsd(atRiskUsd)
}

function sayHolder({ holder, since, isHeld }: DayBridge): string {
  if (holder === null) return 'nobody'
  const name = cleanText(holder, 80)
  const from = since === null ? '' : ` since ${formatTime(since)}`
  return isHeld ? `${name}${from}` : `nobody; ${name} was the last`
}

function listTables({ bridges, cases }: FleetDay): ReportTable[] {
  const link = (href: string | null, words: string): Cell => [{ text: words, href }]
  return [
    {
      title: 'Bridges',
      note: '',
      columns: [
        text('Bridge'),
        text('Verdict'),
        number('Left'),
        number('Arrived'),
        number('Under way'),
        number('Failed'),
        number('Open cases'),
        number('At risk, USD'),
        text('Held by'),
      ],
      rows: rankBridges(bridges).map((one): Cell[] => {
        const { transfers, bridge, pageUrl } = one
        return [
          link(toBridgeHref(pageUrl, '/'), cleanText(bridge, 80)),
          sayVerdict(one),
          ...[transfers.left, transfers.completed, transfers.pending, transfers.failed].map((count) =>
            groupDigits(String(count)),
          ),
          String(one.openCases),
          sayRisk(one),
          sayHolder(one),
        ]
      }),
      none: 'No bridge has ever been watched.',
    },
    {
      title: 'Open cases by money at risk',
      note: cases.length > mostListed ? `The first ${mostListed}.` : '',
      columns: [text('Bridge'), text('Case'), text('What'), text('At risk'), text('Who has it')],
      rows: cases
        .slice(0, mostListed)
        .map((one): Cell[] => [
          cleanText(one.bridge, 80),
          link(toBridgeHref(one.pageUrl, `/cases/c${one.id}`), `c${one.id}`),
          cleanText(one.title, 300),
          sayMoney(one) || 'nothing known',
          cleanText(one.assignee ?? (one.state === 'acknowledged' ? one.by : null) ?? 'nobody', 100),
        ]),
      none: 'No case is open in any bridge.',
    },
  ]
}

function toCsv({ bridges, window }: FleetDay): string {
  const lines = bridges.map((one) => [
    window.day,
    window.zone,
    one.bridge,
    judgeBridge(one).level,
    one.transfers.left,
    one.transfers.completed,
    one.transfers.pending,
    one.transfers.failed,
    one.openCases,
    one.atRiskUsd,
    one.holder,
    one.isHeld ? 'yes' : 'no',
  ])
  const names = 'day zone bridge verdict left completed pending failed open_cases at_risk_usd holder is_held'
  return [names.split(' '), ...lines].map(toCsvLine).join('')
}
