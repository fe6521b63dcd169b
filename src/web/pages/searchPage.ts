import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import type { AlertView, TransferPage } from '../types.ts'
import { renderAlertList } from './alertList.ts'
import { renderLayout } from './layout.ts'
import { renderTransferTable } from './transfersPage.ts'
import type { Html } from './words.ts'

/** What names a hash, an address, an id: transfers, and alerts on whatever else. */
export function renderSearchPage(of: {
  readonly query: string
  readonly page: TransferPage
  readonly alerts: readonly AlertView[]
  readonly now: UnixMs
}): Html {
  const { query, page, alerts, now } = of
  const all = `/transfers?q=${encodeURIComponent(query)}`
  return renderLayout({
    title: 'Search',
    active: null,
    live: false,
    query,
    main: html`<h1>Search</h1>
<p class="subject">${query}</p>
<section class="card" aria-labelledby="found-title"><h2 id="found-title">Transfers</h2>${
      page.transfers.length === 0
        ? html`<p class="empty">The ledger holds no transfer like this. That says nothing about what spanwatch has not read.</p>`
        : html`${renderTransferTable(page.transfers, now)}${page.next === null ? '' : html`<p><a href="${all}">All of them</a></p>`}`
    }</section>
<section class="card" aria-labelledby="named-title"><h2 id="named-title">Alerts that name it</h2>${
      alerts.length === 0
        ? html`<p class="empty">None among the newest.</p>`
        : renderAlertList(alerts, { now, form: null, next: '/' })
    }</section>`,
  })
}
