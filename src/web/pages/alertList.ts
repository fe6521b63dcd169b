import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import type { AlertTold, AlertView } from '../types.ts'
import { type Html, alertTone, formatAge, renderAgo, renderTag, toSafeHref, toTransferPath } from './words.ts'

const stateWords: Readonly<Record<AlertView['state'], string>> = {
  new: 'not yet told',
  delivered: 'told',
  pending: 'pending',
  firing: 'firing',
  recovering: 'recovering',
  resolved: 'resolved',
}

const maxShown = 50

/** Alerts as cards, the most severe first, otherwise in the order given. A storm is cut short with its true count. */
export function renderAlertList(alerts: readonly AlertView[], now: UnixMs): Html {
  const rank = { critical: 0, warning: 1, info: 2 }
  const sorted = alerts.toSorted((a, b) => rank[a.severity] - rank[b.severity])
  const more = sorted.length - maxShown
  return html`<ol class="alerts">${sorted.slice(0, maxShown).map((alert) => renderAlert(alert, now))}</ol>
${more > 0 ? html`<p class="muted">And ${more} more, ${sorted.length} in all; <a href="/api/alerts">all as JSON</a>.</p>` : ''}`
}

function renderAlert(alert: AlertView, now: UnixMs): Html {
  const title = cleanText(alert.title, 600)
  const headline = alert.summary === null ? title : cleanText(alert.summary, 300)
  const runbook = toSafeHref(alert.runbook)
  return html`<li class="alert edge-${alertTone(alert)}">
<p class="alert-head">${renderTag(alertTone(alert), alert.severity)} <strong>${headline}</strong></p>
${headline === title ? '' : html`<p class="subject">${title}</p>`}
<p class="meta"><span>${cleanText(alert.rule, 100)}</span>${isSaidByChannels(alert) ? '' : html`<span>${stateWords[alert.state]}</span>`}
<span>${renderSince(alert, now)}</span>${alert.told.map(renderTold)}
${alert.transferKey === null ? '' : html`<a href="${toTransferPath(alert.transferKey)}">Whole story<span class="hidden"> of transfer ${alert.transferKey}</span></a>`}
${runbook === null ? '' : html`<a href="${runbook}" rel="noreferrer">Runbook<span class="hidden"> of ${cleanText(alert.rule, 100)}</span></a>`}</p>
</li>`
}

/** An event that was told shows which channels took it: the word alone would only repeat it. */
function isSaidByChannels({ state, told }: AlertView): boolean {
  return state === 'delivered' && told.some(({ at }) => at !== null)
}

function renderSince(alert: AlertView, now: UnixMs): Html {
  if (alert.resolvedAt !== null) return html`lasted ${formatAge(alert.resolvedAt - alert.since)}`
  const isEvent = alert.state === 'new' || alert.state === 'delivered'
  return isEvent ? renderAgo(alert.since, now) : html`since ${renderAgo(alert.since, now)}`
}

function renderTold({ channel, at }: AlertTold): Html {
  const name = cleanText(channel)
  return at === null
    ? html`<span class="tone-attention">waiting for ${name}</span>`
    : html`<span>told ${name}</span>`
}
