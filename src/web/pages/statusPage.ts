import { html } from 'hono/html'
import { formatDuration } from '../../lib/duration.ts'
import { cleanText } from '../../lib/text.ts'
import type { Panel } from '../../kernel/check.ts'
import type { PollerHealth } from '../../kernel/running/runner.ts'
import type { Coverage, StatusSnapshot, VerdictLevel } from '../statusFacts.ts'
import { renderAlertLines, renderAlertList } from './alertList.ts'
import { renderCaseLines, renderCaseList } from './caseList.ts'
import { renderEscrowTable } from './escrowTable.ts'
import { renderInFlight } from './inFlight.ts'
import { renderBanner, renderVerdict } from './verdictBanner.ts'
import type { FormContext } from '../createFormGate.ts'
import { isFailing, isOverdue, isStale } from '../judgeVerdict.ts'
import type { Series } from '../viewTypes.ts'
import { type ChartName, renderChartCard } from './chartCards.ts'
import { renderLayout } from './layout.ts'
import { renderSignedIn } from './loginPage.ts'
import { renderNodes } from './replicaParts.ts'
import { renderChannels, renderPollers, renderSources } from './machinery.ts'
import { type Html, formatAge, renderAgo, verdictWords, renderState, renderTime } from './words.ts'

const maxEvents = 4
/** So many cases stand as cards, and so many more in a line each. */
const maxCases = 3
const maxCaseLines = 4
const maxLoose = 3
const maxTokens = 12

export interface StatusExtras {
  readonly form: FormContext
  /** Null when they could not be read. */
  readonly series: Series | null
}

/** The page that answers in one look: is money safe now, and do we really know? */
export function renderStatusPage(status: StatusSnapshot, { form, series }: StatusExtras): Html {
  const word = verdictWords[status.verdict.level]
  return renderLayout({
    title: word,
    active: 'status',
    live: true,
    main: html`<p id="said" class="hidden" role="status" data-live>Verdict: ${word}</p>
<div id="verdict" data-live>${renderVerdict(status)}</div>
<div id="coverage" data-live>${renderCoverage(status)}</div>
<div class="flow">
${renderPart('cases', 'Cases', renderCases(status, form))}
${renderPart('inflight', 'In flight by age', renderInFlight(status.inFlight, status.now))}
${renderPart('events', 'Recent events', renderEvents(status))}
${renderPart('escrows', 'Escrows', renderEscrows(status))}
${renderPart('totals', 'Transfers in the ledger', renderTotals(status))}
${renderPart('preconf', 'Preconfirmations', renderPreconf(status))}
${status.panels.map((panel) => renderPart(panel.id, panel.title, renderPanel(panel)))}
${renderPart('flow', 'Transfers that left, by the hour (UTC)', renderChart('flow', series))}
${renderPart('latency', 'How long 95 % took at most, past seven days', renderChart('latency', series))}
${renderPart('sources', 'Sources', renderSources(status))}
${renderPart('pollers', 'Pollers', renderPollers(status))}
${renderPart('channels', 'Channels', renderChannels(status))}
${status.replica ? renderPart('nodes', 'Nodes of this bridge', renderNodes(status.replica, status.now)) : ''}
</div>
<footer id="foot" data-live><p>State at ${renderTime(status.now)}. Running for ${formatAge(status.now - status.startedAt)}. spanwatch ${cleanText(status.version)}.</p>${renderSignedIn(form)}</footer>`,
  })
}

/** What stands there when even the state could not be read. */
export function renderBlindPage(): Html {
  return renderLayout({
    title: verdictWords.unknown,
    active: 'status',
    live: true,
    main: html`<p id="said" class="hidden" role="status" data-live>Verdict: ${verdictWords.unknown}</p>
<div id="verdict" data-live>${renderBanner('unknown', 'spanwatch could not read its own state, so it can say nothing about the bridge. Its log says why.', [])}</div>`,
  })
}

function renderPart(id: string, title: string, body: Html): Html {
  return html`<section class="card" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2><div id="${id}" data-live>${body}</div></section>`
}

function renderCoverage(status: StatusSnapshot): Html {
  const { coverage, pollers, heads, silences, now } = status
  return html`<dl class="chips" aria-label="Coverage">
${coverage.map((entry) => renderSourceChip(entry, status))}
${renderPollerChip(pollers, now)}
${coverage.length === 0 ? renderChip('Sources', 'unknown', html`none read yet`) : ''}
${silences.length === 0 ? '' : renderChip('Silences', 'attention', html`<a href="/silences">${countSilences(silences)}</a>`)}
${heads.map(({ chain, height, readAt }) => renderChip(`${chain} head`, 'info', html`${height} <span class="muted">read ${renderAgo(readAt, now)}</span>`))}
</dl>`
}

function countSilences(silences: StatusSnapshot['silences']): string {
  const aside = silences.filter(({ problem }) => problem !== null).length
  return aside === 0 ? `${silences.length} hold` : `${silences.length - aside} hold, ${aside} set aside`
}

function renderPollerChip(pollers: StatusSnapshot['pollers'], now: number): Html | '' {
  if (pollers.length === 0) return ''
  const count = (which: (poller: PollerHealth) => boolean) => pollers.filter(which).length
  const late = count((poller) => isOverdue(poller, now))
  const failing = count((poller) => poller.lastError !== null && !isOverdue(poller, now))
  const first = count((poller) => isFirst(poller) && !isOverdue(poller, now))
  const said = [
    ...(late > 0 ? [`${late} behind`] : []),
    ...(failing > 0 ? [`${failing} failing`] : []),
    ...(first > 0 ? [`${first} in its first pass`] : []),
  ]
  return renderChip(
    'Pollers',
    late > 0 || first > 0 ? 'unknown' : failing > 0 ? 'attention' : 'fine',
    said.length > 0 ? html`${said.join(', ')}, of ${pollers.length}` : html`all ${pollers.length} in time`,
  )
}

function isFirst({ lastSuccessAt, lastError }: PollerHealth): boolean {
  return lastSuccessAt === null && lastError === null
}

/** One that answers, but not on every endpoint, is not fine. */
function renderSourceChip(entry: Coverage, { sources, now }: StatusSnapshot): Html {
  const endpoints = sources.find(({ source }) => source === entry.source)?.endpoints ?? []
  const failing = endpoints.filter((one) => isFailing(one, endpoints)).length
  const said = entry.lastGoodAt === null ? html`never read` : html`read ${renderAgo(entry.lastGoodAt, now)}`
  const tone = isStale(entry, now) ? 'unknown' : failing > 0 ? 'attention' : 'fine'
  return renderChip(
    cleanText(entry.source),
    tone,
    failing === 0 ? said : html`${said}, ${failing} of ${endpoints.length} fail`,
  )
}

function renderChip(name: string, tone: string, value: Html): Html {
  return html`<div class="chip dot-${tone}"><dt>${name}</dt><dd>${value}</dd></div>`
}

function renderChart(name: ChartName, series: Series | null): Html {
  return series === null
    ? html`<p class="problem">It could not be read. The log says why.</p>`
    : renderChartCard(name, series)
}

/** What is to be dealt with, one card a case; what is in no case yet; then what was dealt with. */
function renderCases(status: StatusSnapshot, form: FormContext): Html {
  const { cases, handledCases, caseCounts, openAlerts, recentEvents, openAlertCount, verdict, now } = status
  const view = { now, form, next: '/', alerts: [...openAlerts, ...recentEvents] }
  const loose = openAlerts.filter((alert) => alert.case === null)
  const unlisted = openAlertCount - openAlerts.length
  const shown = cases.slice(0, maxCases)
  const lines = cases.slice(maxCases, maxCases + maxCaseLines)
  const live = caseCounts
    .filter(({ state }) => state !== 'handled')
    .reduce((sum, { count }) => sum + count, 0)
  const more = Math.max(live, cases.length) - shown.length - lines.length
  return html`${
    shown.length > 0
      ? renderCaseList(shown, view)
      : loose.length > 0
        ? ''
        : renderNothing('No case is open', verdict.level)
  }
${lines.length === 0 ? '' : renderCaseLines(lines, now)}
${more > 0 ? html`<p class="note">And ${more} more. <a href="/cases">All cases</a></p>` : ''}
${loose.length === 0 ? '' : html`<h3 class="sub">In no case yet</h3>${renderAlertList(loose, { now, form, next: '/', total: loose.length + unlisted, most: maxLoose })}`}
${handledCases.length === 0 ? '' : html`<h3 class="sub">Handled</h3>${renderCaseLines(handledCases.slice(0, maxCaseLines), now)}${handledCases.length > maxCaseLines ? html`<p class="note"><a href="/cases?state=handled">All handled cases</a></p>` : ''}`}`
}

/** What is to be dealt with stands in its case; here each is a line. */
function renderEvents({ recentEvents, verdict, now }: StatusSnapshot): Html {
  if (recentEvents.length === 0) return renderNothing('No event is known', verdict.level)
  const shown = recentEvents.slice(0, maxEvents)
  const oldest = now - Math.min(...shown.map(({ since }) => since))
  const more =
    recentEvents.length > maxEvents
      ? html`<p class="note">The newest ${maxEvents}, back to ${formatDuration(Math.max(0, oldest))} ago. <a href="/alerts?show=events">More events</a></p>`
      : ''
  return html`${renderAlertLines(shown, now)}${more}`
}

function renderTotals({ totals, quarantined }: StatusSnapshot): Html {
  const tile = (label: string, value: number, tone: string, href: string | null) =>
    html`<div class="${value > 0 ? `tone-${tone}` : ''}"><dt>${href === null ? label : html`<a href="${href}">${label}</a>`}</dt><dd>${value}</dd></div>`
  return html`<dl class="tiles row">
${tile('Pending', totals.pending, 'plain', '/transfers?state=pending')}
${tile('Completed', totals.completed, 'plain', '/transfers?state=completed')}
${tile('Failed', totals.failed, 'critical', '/transfers?state=failed')}
${tile('Unbacked', totals.unbacked, 'critical', '/transfers?state=unbacked')}
${tile('Unreadable records', quarantined, 'attention', null)}
</dl>`
}

function renderEscrows({ escrows, now }: StatusSnapshot): Html {
  if (escrows === null)
    return html`<p class="empty">No escrow is watched: name the contracts that hold the money in <code>bridge.escrows</code>.</p>`
  return renderEscrowTable(escrows, { now, most: maxTokens })
}

function renderNothing(text: string, level: VerdictLevel): Html {
  return html`<p class="empty">${text}${level === 'unknown' ? ', but not everything could be looked at' : ''}.</p>`
}

/** How preconfirmations come and what became of them. */
function renderPreconf({ preconf }: StatusSnapshot): Html {
  if (preconf === null)
    return html`<p class="empty">Not watched: name the node that gives them in <code>preconf.url</code>.</p>`
  const { pendingAgeMs, latestAgeMs, gap, held, hitRate, meanLeadMs, outcomes } = preconf
  const share = hitRate === null ? null : `${(Math.floor(hitRate * 1_000) / 10).toFixed(1)} %`
  const lost = (outcomes['dropped'] ?? 0) + (outcomes['flipped'] ?? 0)
  return html`<dl class="tiles row">
${tile('Block being made', pendingAgeMs === null ? null : `${formatAge(pendingAgeMs)} old`)}
${tile('Newest complete', latestAgeMs === null ? null : `${formatAge(latestAgeMs)} old`)}
${tile('Ahead by', gap === null ? null : `${gap} ${gap === 1 ? 'block' : 'blocks'}`)}
${tile('Preconfirmed first, past day', share)}
${tile('Mean lead, past day', meanLeadMs === null ? null : `${Math.round(meanLeadMs)}ms`)}
${tile('Not settled yet', String(held))}
</dl>
<p class="note">This hour: ${outcomes['kept'] ?? 0} kept, ${outcomes['moved'] ?? 0} moved, ${lost > 0 ? renderState('critical', `${outcomes['flipped'] ?? 0} came out otherwise, ${outcomes['dropped'] ?? 0} dropped`) : 'none came out otherwise, none dropped'}, ${outcomes['unknown'] ?? 0} could not be checked.</p>`
}

function tile(label: string, value: string | null): Html {
  return html`<div><dt>${label}</dt><dd>${value ?? renderState('unknown', 'unknown')}</dd></div>`
}

function renderPanel({ lines }: Panel): Html {
  return html`<dl class="tiles row">${lines.map(({ name, value }) => html`<div><dt>${cleanText(name)}</dt><dd>${cleanText(value)}</dd></div>`)}</dl>`
}
