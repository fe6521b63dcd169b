import { html } from 'hono/html'
import type { AlertView } from '../types.ts'
import { type AlertListView, renderAlertList } from './alertList.ts'
import { renderLayout } from './layout.ts'
import type { Html } from './words.ts'

export type AlertTab = 'open' | 'events' | 'all'

const tabs: readonly { readonly tab: AlertTab; readonly label: string; readonly href: string }[] = [
  { tab: 'open', label: 'Open', href: '/alerts' },
  { tab: 'events', label: 'Events', href: '/alerts?show=events' },
  { tab: 'all', label: 'All, the newest first', href: '/alerts?show=all' },
]

const nothing: Readonly<Record<AlertTab, string>> = {
  open: 'No alert is open. The status page says whether everything could be looked at.',
  events: 'No event is known.',
  all: 'No alert is known.',
}

/** Alerts to look through: those that hold, events, or all. */
export function renderAlertsPage(tab: AlertTab, alerts: readonly AlertView[], view: AlertListView): Html {
  return renderLayout({
    title: 'Alerts',
    active: 'alerts',
    live: true,
    main: html`<section class="card" aria-labelledby="alerts-title">
<div class="head-row"><h1 id="alerts-title">Alerts</h1>
<nav class="tabs" aria-label="Which alerts">${tabs.map(({ tab: one, label, href }) => html`<a href="${href}"${one === tab ? html` aria-current="true"` : ''}>${label}</a>`)}</nav></div>
<div id="alerts" data-live>${alerts.length === 0 ? html`<p class="empty">${nothing[tab]}</p>` : renderAlertList(alerts, view)}</div>
</section>`,
  })
}
