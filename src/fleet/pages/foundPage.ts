import { html } from 'hono/html'
import { shortAmount } from '../../lib/shortAmount.ts'
import { cleanText } from '../../lib/text.ts'
import { renderHash } from '../../web/pages/hashes.ts'
import { renderLayout } from '../../web/pages/layout.ts'
import {
  type Html,
  renderAgo,
  renderState,
  renderTag,
  shortenHashes,
  stateTones,
} from '../../web/pages/words.ts'
import type { FleetAlert, FleetFound, FleetTransfer } from '../searchFleet.ts'
import { fleetSite, renderFleetCases, renderOut, toBridgeHref, toneOfSeverity } from './fleetWords.ts'

export interface FoundView {
  readonly typed: string
  /** Null when it was not understood. */
  readonly found: FleetFound | null
  readonly problem: string | null
  readonly now: number
}

/** What a search found in all bridges. */
export function renderFoundPage({ typed, found, problem, now }: FoundView): Html {
  return renderLayout({
    title: 'Search',
    active: null,
    live: false,
    query: typed,
    site: fleetSite,
    main: html`<h1>Search in all bridges</h1>
${problem === null ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${found === null ? '' : renderFound(found, now)}`,
  })
}

function renderFound({ transfers, cases, alerts }: FleetFound, now: number): Html {
  if (transfers.length + cases.length + alerts.length === 0)
    return html`<section class="card"><p class="empty">No transfer, case or alert of any bridge goes by that.</p></section>`
  const part = (id: string, title: string, count: number, body: () => Html) =>
    count === 0
      ? ''
      : html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${body()}</section>`
  return html`${part('transfers', 'Transfers', transfers.length, () => renderTransfers(transfers, now))}
${part('cases', 'Cases', cases.length, () => renderFleetCases(cases, now))}
${part('alerts', 'Alerts', alerts.length, () => renderFleetAlerts(alerts, now))}`
}

const heads = ['Transfer', 'State', 'Direction', 'Amount', 'Main hash', 'Zone hash', 'Left']

function renderTransfers(transfers: readonly FleetTransfer[], now: number): Html {
  const cell = (index: number, body: Html | string) =>
    html`<td role="cell" data-label="${heads[index] ?? ''}">${body}</td>`
  return html`<table class="stack" role="table">
<thead role="rowgroup"><tr role="row">${heads.map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${transfers.map(
    (one) => html`<tr role="row">
<th scope="row" role="rowheader">${renderOut(toBridgeHref(one.pageUrl, `/transfers/t${one.key}`), `${cleanText(one.bridge, 80)} t${one.key}`)}</th>
${cell(1, renderState(toneOfState(one.state), cleanText(one.state, 20)))}
${cell(2, one.direction === 'MainToZone' ? 'main → zone' : 'zone → main')}
${cell(3, one.amount === null ? 'unknown' : `${shortAmount(one.amount)} ${cleanText(one.symbol ?? one.token ?? '', 80)}`)}
${cell(4, one.mainHash === null ? html`<span class="muted">none</span>` : renderHash(one.mainHash))}
${cell(5, one.zoneHash === null ? html`<span class="muted">none</span>` : renderHash(one.zoneHash))}
${cell(6, renderAgo(one.originAt, now))}
</tr>`,
  )}</tbody>
</table>`
}

function toneOfState(state: string): string {
  return Object.entries(stateTones).find(([name]) => name === state)?.[1] ?? 'unknown'
}

/** In a line each; their own pages have the rest. */
export function renderFleetAlerts(alerts: readonly FleetAlert[], now: number): Html {
  return html`<ul class="lines">${alerts.map(
    (one) =>
      html`<li>${renderTag(one.state === 'resolved' ? 'plain' : toneOfSeverity(one.severity), cleanText(one.severity, 20))} ${renderOut(toBridgeHref(one.pageUrl, `/alerts/${encodeURIComponent(one.id)}`), shortenHashes(cleanText(one.summary, 300)))} <span class="muted">${cleanText(one.bridge, 80)}, ${cleanText(one.rule, 100)}, ${cleanText(one.state, 20)}, ${renderAgo(one.since, now)}</span></li>`,
  )}</ul>`
}
