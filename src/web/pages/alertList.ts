import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import { type FormContext, mayAct } from '../createFormGate.ts'
import type { AlertView } from '../caseTypes.ts'
import {
  type Html,
  alertTone,
  formatAge,
  renderAgo,
  renderTag,
  shortenHashes,
  toAlertPath,
  toCasePath,
  toTransferPath,
} from './words.ts'
import { toRunbookHref } from './findingParts.ts'
import { renderHashes } from './hashes.ts'
import { renderAck, renderHidden, renderPaging, renderSigner, renderTabs, type Tab } from './formParts.ts'
import { renderLayout } from './layout.ts'

const stateWords: Readonly<Record<AlertView['state'], string>> = {
  new: 'not yet sent',
  delivered: 'sent',
  pending: 'pending',
  firing: 'firing',
  recovering: 'recovering',
  resolved: 'resolved',
}

const maxShown = 50
/** Of a list that is looked through page by page. */
export const alertsOfPage = 20

export interface AlertListView {
  readonly now: UnixMs
  /** With it each alert can be acknowledged and silenced. */
  readonly form: FormContext | null
  /** Where an acknowledgement leads back to. */
  readonly next: string
  /** How many there are in all, when the list given is not all. */
  readonly total?: number
  /** How many of them are shown at most. */
  readonly most?: number
}

/** Alerts as cards, the most severe first, otherwise in the order given. A storm is cut short with its true count. */
export function renderAlertList(alerts: readonly AlertView[], view: AlertListView): Html {
  const rank = { critical: 0, warning: 1, info: 2 }
  const sorted = alerts.toSorted((a, b) => rank[a.severity] - rank[b.severity])
  const total = Math.max(view.total ?? 0, sorted.length)
  const most = view.most ?? maxShown
  const more = total - Math.min(most, sorted.length)
  return html`<ol class="alerts">${sorted.slice(0, most).map((alert) => renderAlert(alert, view))}</ol>
${more > 0 ? html`<p class="note">And ${more} more, ${total} in all. ${view.most === undefined ? html`<a href="/api/alerts">The newest as JSON</a>` : html`<a href="/alerts">All alerts</a>`}</p>` : ''}`
}

/** Alerts in a line each, in the order given: what is to be done about them stands elsewhere. */
export function renderAlertLines(alerts: readonly AlertView[], now: UnixMs): Html {
  return html`<ul class="lines">${alerts.map((alert) => {
    return html`<li data-key="${alert.id}">${renderTag(alertTone(alert), alert.severity)} <a class="plain" href="${toAlertPath(alert.id)}">${shortenHashes(cleanText(alert.summary, 300))}</a> <span class="muted">${renderAgo(alert.since, now - alert.leadMs)}${alert.case === null ? '' : html`, <a href="${toCasePath(alert.case.id)}">${alert.case.id}</a>`}</span></li>`
  })}</ul>`
}

function renderAlert(alert: AlertView, view: AlertListView): Html {
  const title = cleanText(alert.title, 600)
  const headline = shortenHashes(cleanText(alert.summary, 300))
  return html`<li class="alert edge-${alertTone(alert)}" data-key="${alert.id}">
<p class="alert-head">${renderTag(alertTone(alert), alert.severity)} <strong><a class="plain" href="${toAlertPath(alert.id)}">${headline}</a></strong></p>
<p class="subject">${renderHashes(title, 600)}</p>
<div class="foot-row">${renderMeta(alert, view.now)}
${view.form === null || alert.state === 'resolved' || !mayAct(view.form) ? '' : renderActions(alert, view.form, view.next)}</div>
</li>`
}

/** Rule, state, age, which channels got it, who acknowledged it, and what leads further. */
export function renderMeta(alert: AlertView, now: UnixMs): Html {
  const runbook = toRunbookHref(alert)
  return html`<p class="meta"><span>${cleanText(alert.rule, 100)}</span>${isSaidByChannels(alert) ? '' : html`<span>${alert.endedBadly ? 'ended, and not well' : stateWords[alert.state]}</span>`}
<span>${renderHappened(alert, now)}</span>${renderTold(alert, now)}
${alert.ack === null ? '' : html`<span class="tone-info">acknowledged by ${cleanText(alert.ack.by, 100)}, ${renderAgo(alert.ack.at, now)}</span>`}
${alert.silence === null ? '' : html`<a href="/silences#silence-${alert.silence.id}">silenced for ${formatAge(Math.max(0, alert.silence.endsAt - now))} more</a>`}
${alert.case === null ? '' : html`<a href="${toCasePath(alert.case.id)}">Case ${alert.case.id}</a>`}
${alert.transferKey === null ? '' : html`<a href="${toTransferPath(alert.transferKey)}">Whole story<span class="hidden"> of transfer ${alert.transferKey}</span></a>`}
${runbook === null ? '' : html`<a href="${runbook}" rel="noreferrer">Runbook<span class="hidden"> of ${cleanText(alert.rule, 100)}</span></a>`}</p>`
}

/** Whoever is known here acknowledges with one press; a name is asked for on the alert's own page. */
function renderActions(alert: AlertView, form: FormContext, next: string): Html {
  const of = renderOf(alert)
  const ack = renderAck({ path: toAlertPath(alert.id), anchor: 'by', of }, form, next)
  return html`<div class="actions">${alert.ack === null ? ack : ''}${renderSilenceLink(alert)}</div>`
}

/** The same on the alert's own page, with a name to type or to change. */
export function renderAckForm(alert: AlertView, form: FormContext): Html | '' {
  if (!mayAct(form)) return ''
  if (alert.ack !== null) return html`<div class="actions">${renderSilenceLink(alert)}</div>`
  return html`<div class="actions"><form class="ack" method="post" action="${toAlertPath(alert.id)}/ack">${renderHidden(form, { next: toAlertPath(alert.id) })}${renderSigner('by', form.by)}<button class="primary small">Acknowledge</button></form>${renderSilenceLink(alert)}</div>`
}

function renderSilenceLink(alert: AlertView): Html {
  return html`<a class="button small" href="/silences/new?alert=${alert.id}">Silence…${renderOf(alert)}</a>`
}

function renderOf({ id, rule }: AlertView): Html {
  return html`<span class="hidden"> alert ${id}, ${cleanText(rule, 100)}</span>`
}

/** An event that was sent shows which channels took it: the word alone would only repeat it. */
function isSaidByChannels({ state, told }: AlertView): boolean {
  return state === 'delivered' && told.some(({ at }) => at !== null)
}

function renderHappened({ since, leadMs, resolvedAt }: AlertView, now: UnixMs): Html {
  const happened = html`happened ${renderAgo(since, now - leadMs)}`
  return resolvedAt === null ? happened : html`${happened}, lasted ${formatAge(resolvedAt - leadMs - since)}`
}

/** Each channel once, whatever number of messages it got. */
function renderTold(
  { told, toldAt, untold }: Pick<AlertView, 'told' | 'toldAt' | 'untold'>,
  now: UnixMs,
): Html {
  if (untold !== null) return html`<span>not sent: ${cleanText(untold, 300)}</span>`
  const channels = [...Map.groupBy(told, ({ channel }) => channel)]
  const waiting = channels.filter(([, items]) => items.some(({ at }) => at === null)).map(([name]) => name)
  const reached = channels.filter(([, items]) => items.some(({ at }) => at !== null)).map(([name]) => name)
  const list = (names: readonly string[]) => names.map((name) => cleanText(name)).join(', ')
  return html`${reached.length === 0 ? '' : html`<span>sent to ${list(reached)} ${renderAgo(toldAt, now)}</span>`}${waiting.length === 0 ? '' : html` <span class="tone-attention">waiting for ${list(waiting)}</span>`}`
}

export type AlertTab = 'open' | 'events' | 'all'

const tabs: readonly Tab<AlertTab>[] = [
  { tab: 'open', label: 'Open', href: '/alerts' },
  { tab: 'events', label: 'Events', href: '/alerts?show=events' },
  { tab: 'all', label: 'All, the newest first', href: '/alerts?show=all' },
]

const nothing: Readonly<Record<AlertTab, string>> = {
  open: 'No condition holds now. What happened once stands under Events; the status page says whether everything could be looked at.',
  events: 'No event is known.',
  all: 'No alert is known.',
}

export interface AlertsPageView extends AlertListView {
  /** How many stand on pages before. */
  readonly offset: number
}

/** Alerts to look through: those that hold, events, or all. One more than a page shows says that there is a next one. */
export function renderAlertsPage(tab: AlertTab, alerts: readonly AlertView[], view: AlertsPageView): Html {
  const shown = alerts.slice(0, alertsOfPage)
  return renderLayout({
    title: 'Alerts',
    active: 'alerts',
    live: true,
    main: html`<section class="card" aria-labelledby="alerts-title">
<div class="head-row"><h1 id="alerts-title">Alerts</h1>
${renderTabs('Which alerts', tabs, tab)}</div>
<div id="alerts" data-live>${shown.length === 0 ? html`<p class="empty">${nothing[tab]}</p>` : html`<ol class="alerts">${shown.map((alert) => renderAlert(alert, view))}</ol>`}
${renderPaging({ path: '/alerts', params: { show: tab }, offset: view.offset, shown: shown.length, size: alertsOfPage, hasMore: alerts.length > shown.length })}</div>
</section>`,
  })
}
