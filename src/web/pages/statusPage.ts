import { html } from 'hono/html'
import { formatDuration } from '../../lib/duration.ts'
import { cleanText } from '../../lib/text.ts'
import type { Panel } from '../../kernel/check.ts'
import type { PollerHealth } from '../../kernel/runner.ts'
import type { Coverage, StatusSnapshot, VerdictLevel, InFlight } from '../types.ts'
import { renderAlertList } from './alertList.ts'
import { renderCaseList } from './caseList.ts'
import type { FormContext } from '../createFormGate.ts'
import { countCritical, isFailing, isOverdue, isStale } from '../judgeVerdict.ts'
import type { Series } from '../viewTypes.ts'
import { type ChartName, renderChartCard } from './chartCards.ts'
import { renderLayout } from './layout.ts'
import { renderSignedIn } from './loginPage.ts'
import { renderChannels, renderPollers, renderSources } from './machinery.ts'
import {
  type Html,
  formatAge,
  formatTime,
  renderAgo,
  shortenHashes,
  toCasePath,
  verdictWords,
  renderState,
  directionPaths,
  directionWords,
} from './words.ts'
import type { UnixMs } from '../../lib/clock.ts'

const maxReasons = 4
const maxEvents = 8
const maxCases = 20

const icons: Readonly<Record<VerdictLevel, string>> = {
  fine: 'M7 12.5l3.4 3.4L17 9',
  attention: 'M12 6.5v7M12 17v.6',
  critical: 'M8 8l8 8M16 8l-8 8',
  unknown: 'M9 9.3c.3-1.7 1.5-2.6 3-2.6 1.7 0 3 1.1 3 2.7 0 2.2-3 2.3-3 4.3M12 17v.6',
}

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
<div class="columns">
<div class="column">
${renderPart('cases', 'Cases', renderCases(status, form))}
${renderPart('events', 'Recent events', renderEvents(status, form))}
${renderPart('totals', 'Transfers in the ledger', renderTotals(status))}
${renderPart('preconf', 'Preconfirmations', renderPreconf(status))}
${status.panels.map((panel) => renderPart(panel.id, panel.title, renderPanel(panel)))}
</div>
<div class="column">
${renderPart('inflight', 'In flight by age', renderInFlight(status.inFlight, status.now))}
${renderPart('flow', 'Transfers that left, by the hour', renderChart('flow', series))}
${renderPart('latency', 'How long they took, past seven days', renderChart('latency', series))}
</div>
</div>
${renderPart('escrows', 'Escrows', renderEscrows(status))}
<div class="thirds">
${renderPart('sources', 'Sources', renderSources(status))}
${renderPart('pollers', 'Pollers', renderPollers(status))}
${renderPart('channels', 'Channels', renderChannels(status))}
</div>
<footer id="foot" data-live><p>State at ${formatTime(status.now)}. Running for ${formatAge(status.now - status.startedAt)}. spanwatch ${cleanText(status.version)}.</p>${renderSignedIn(form)}</footer>`,
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

function renderVerdict(status: StatusSnapshot): Html {
  const { level, reasons } = status.verdict
  return renderBanner(level, sayVerdict(status), reasons)
}

function sayVerdict(status: StatusSnapshot): string {
  const { verdict, inFlight } = status
  const flying = inFlight.flatMap(({ buckets }) => buckets).reduce((sum, { count }) => sum + count, 0)
  switch (verdict.level) {
    case 'fine':
      return `Every source was read in time, and no critical or warning alert is firing. In flight: ${inFlight.length === 0 ? 'not known yet' : flying}.`
    case 'attention':
      return 'Everything could be looked at. This wants a look:'
    case 'critical':
      return `${countCritical(status)}:`
    case 'unknown':
      return 'Not everything could be looked at, so this is no all-clear:'
  }
}

function renderBanner(level: VerdictLevel, text: string, reasons: readonly string[]): Html {
  const more = reasons.length - maxReasons
  return html`<section class="verdict is-${level}" aria-labelledby="verdict-title">
<svg class="verdict-icon" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11"/><path d="${icons[level]}"/></svg>
<div><h1 id="verdict-title">${verdictWords[level]}</h1><p>${text}</p>
${
  reasons.length === 0
    ? ''
    : html`<ul>${reasons.slice(0, maxReasons).map((reason) => html`<li>${renderReason(reason)}</li>`)}${more > 0 ? html`<li>and ${more} more below</li>` : ''}</ul>`
}</div>
</section>`
}

/** That of a case leads to it. */
function renderReason(reason: string): Html {
  const text = shortenHashes(cleanText(reason, 300))
  const [, id, rest] = /^(c\d{1,15}): (.*)$/s.exec(text) ?? []
  return id === undefined ? html`${text}` : html`<a href="${toCasePath(id)}">${id}</a>: ${rest ?? ''}`
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
  const failing = endpoints.filter(isFailing).length
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
  const live = caseCounts
    .filter(({ state }) => state !== 'handled')
    .reduce((sum, { count }) => sum + count, 0)
  const more = Math.max(live, cases.length) - shown.length
  return html`${
    shown.length > 0
      ? renderCaseList(shown, view)
      : loose.length > 0
        ? ''
        : renderNothing('No case is open', verdict.level)
  }
${more > 0 ? html`<p class="note">And ${more} more. <a href="/cases">All cases</a></p>` : ''}
${loose.length === 0 ? '' : html`<h3 class="sub">In no case yet</h3>${renderAlertList(loose, { now, form, next: '/', total: loose.length + unlisted })}`}
${handledCases.length === 0 ? '' : html`<h3 class="sub">Handled</h3>${renderCaseList(handledCases, { ...view, alerts: [] })}`}`
}

function renderEvents({ recentEvents, verdict, now }: StatusSnapshot, form: FormContext): Html {
  if (recentEvents.length === 0) return renderNothing('No event is known', verdict.level)
  const shown = recentEvents.slice(0, maxEvents)
  const oldest = now - Math.min(...shown.map(({ since }) => since))
  return html`${renderAlertList(shown, { now, form, next: '/' })}${
    recentEvents.length > maxEvents
      ? html`<p class="note">The newest ${maxEvents}, back to ${formatDuration(Math.max(0, oldest))} ago. <a href="/alerts?show=events">More events</a></p>`
      : ''
  }`
}

function renderTotals({ totals, quarantined }: StatusSnapshot): Html {
  const tile = (label: string, value: number, tone: string, href: string | null) =>
    html`<div class="${value > 0 ? `tone-${tone}` : ''}"><dt>${href === null ? label : html`<a href="${href}">${label}</a>`}</dt><dd>${value}</dd></div>`
  return html`<dl class="tiles">
${tile('Pending', totals.pending, 'plain', '/transfers?state=pending')}
${tile('Completed', totals.completed, 'plain', '/transfers?state=completed')}
${tile('Failed', totals.failed, 'critical', '/transfers?state=failed')}
${tile('Unbacked', totals.unbacked, 'critical', '/transfers?state=unbacked')}
${tile('Unreadable records', quarantined, 'attention', null)}
</dl>`
}

function renderNothing(text: string, level: VerdictLevel): Html {
  return html`<p class="empty">${text}${level === 'unknown' ? ', but not everything could be looked at' : ''}.</p>`
}

/** How preconfirmations come and what became of them. */
function renderPreconf({ preconf }: StatusSnapshot): Html {
  if (preconf === null)
    return html`<p class="empty">Preconfirmations are not watched: <code>preconf.url</code> is not set.</p>`
  const { pendingAgeMs, latestAgeMs, gap, held, hitRate, meanLeadMs, outcomes } = preconf
  const share = hitRate === null ? null : `${(Math.floor(hitRate * 1_000) / 10).toFixed(1)} %`
  const lost = (outcomes['dropped'] ?? 0) + (outcomes['flipped'] ?? 0)
  return html`<dl class="tiles compact">
${tile('Block being made', pendingAgeMs === null ? null : `${formatAge(pendingAgeMs)} old`)}
${tile('Newest complete', latestAgeMs === null ? null : `${formatAge(latestAgeMs)} old`)}
${tile('Ahead by', gap === null ? null : `${gap} blocks`)}
${tile('Preconfirmed first, past day', share)}
${tile('Mean lead, past day', meanLeadMs === null ? null : `${Math.round(meanLeadMs)}ms`)}
${tile('Not settled yet', String(held))}
</dl>
<p class="note">This hour: ${outcomes['kept'] ?? 0} kept, ${outcomes['moved'] ?? 0} moved, ${lost > 0 ? renderState('critical', `${outcomes['flipped'] ?? 0} came out otherwise, ${outcomes['dropped'] ?? 0} dropped`) : 'none came out otherwise, none dropped'}, ${outcomes['unknown'] ?? 0} could not be checked.</p>`
}

function tile(label: string, value: string | null): Html {
  return html`<div><dt>${label}</dt><dd>${value ?? renderState('unknown', 'unknown')}</dd></div>`
}

/** What the escrows hold against what is owed, token by token. */
function renderEscrows({ escrows, now }: StatusSnapshot): Html {
  if (escrows === null)
    return html`<p class="empty">No escrow is watched: <code>bridge.escrows</code> is not set.</p>`
  const unknown = renderState('unknown', 'unknown')
  return html`<table class="stack" role="table">
<thead role="rowgroup"><tr role="row">${['Token', 'Holds', 'Owes', 'Leaving', 'Judged'].map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${escrows.map(
    ({ token, holds, owes, inTransit, at }) => html`<tr role="row">
<th scope="row" role="rowheader">${cleanText(token.symbol ?? (token.address === '' ? 'native currency' : token.address))}</th>
<td role="cell" data-label="Holds" class="amount">${holds ?? unknown}</td>
<td role="cell" data-label="Owes" class="amount">${owes ?? unknown}</td>
<td role="cell" data-label="Leaving" class="amount">${inTransit ?? unknown}</td>
<td role="cell" data-label="Judged">${renderAgo(at, now)}</td>
</tr>`,
  )}</tbody>
</table>`
}

function renderPanel({ lines }: Panel): Html {
  return html`<dl class="record">${lines.map(({ name, value }) => html`<dt>${cleanText(name)}</dt><dd>${cleanText(value)}</dd>`)}</dl>`
}

/** Per direction one row an age, with a bar to compare by eye. */
function renderInFlight(inFlight: readonly InFlight[], now: UnixMs): Html {
  if (inFlight.length === 0) return html`<p class="empty">Not known yet.</p>`
  const most = Math.max(1, ...inFlight.flatMap(({ buckets }) => buckets.map(({ count }) => count)))
  return html`${inFlight.map((entry) => renderDirection(entry, most, now))}`
}

function renderDirection(
  { direction, buckets, oldestAt, normal, late }: InFlight,
  most: number,
  now: UnixMs,
): Html {
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  return html`<table class="bars">
<caption><strong>${directionWords[direction]}s</strong> <span class="muted">${directionPaths[direction]}</span><span class="caption-end">${total} in flight${oldestAt === null ? '' : `, oldest ${formatAge(Math.max(0, now - oldestAt))}`}</span></caption>
<thead class="hidden"><tr><th scope="col">Age</th><th scope="col">Share</th><th scope="col">Transfers</th></tr></thead>
<tbody>${buckets.map(
    ({ fromMs, toMs, count }) =>
      html`<tr${normal !== null && fromMs >= normal.p99 && count > 0 ? html` class="is-late"` : ''}><th scope="row">${formatRange(fromMs, toMs)}</th><td class="bar"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-back" width="100" height="8"/><rect class="bar-fill" width="${((100 * count) / most).toFixed(1)}" height="8"/></svg></td><td class="number">${count}</td></tr>`,
  )}</tbody>
</table>
<p class="note">${normal === null ? html`${renderState('unknown', 'Normal is unknown')}: no transfer of the past 30 days arrived yet.` : html`Normal: half within ${formatDuration(normal.p50)}, 95 % within ${formatDuration(normal.p95)}, 99 % within ${formatDuration(normal.p99)} <span class="muted">(${normal.samples} in 30 days)</span>. ${late ? renderState('attention', `${late} in flight for longer than that`) : html`None is in flight for longer than that.`}`}</p>`
}

function formatRange(fromMs: number, toMs: number | null): string {
  if (toMs === null) return `over ${formatDuration(fromMs)}`
  return fromMs === 0
    ? `under ${formatDuration(toMs)}`
    : `${formatDuration(fromMs)} – ${formatDuration(toMs)}`
}
