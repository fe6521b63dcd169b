import { html } from 'hono/html'
import { directions } from '../../bridge/observation.ts'
import { isDisproved } from '../../checks/escrow/flows/judgeFlow.ts'
import { leftNothing, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { TransferPage } from '../types.ts'
import type { AlertView } from '../caseTypes.ts'
import { renderLayout } from './layout.ts'
import {
  type Html,
  directionPaths,
  directionWords,
  renderAgo,
  renderTag,
  stateTones,
  toTransferPath,
} from './words.ts'
import { renderTransferAmount } from './amounts.ts'
import { renderHash, renderTransactionHash, type TransactionLinks } from './hashes.ts'
import { renderAlertList } from './alertList.ts'

/** The filters as they were typed, so that the form shows them again even when they could not be understood. */
export interface TypedFilter {
  readonly q: string
  readonly state: string
  readonly direction: string
  readonly token: string
  readonly age: string
}

export interface TransfersView {
  readonly typed: TypedFilter
  /** Null when the filter was not understood. */
  readonly page: TransferPage | null
  readonly problem: string | null
  readonly now: UnixMs
  readonly links: TransactionLinks
}

const states = ['pending', 'completed', 'failed', 'unbacked']
const ages = ['10m', '1h', '6h', '1d', '7d']

export function renderTransfersPage(view: TransfersView): Html {
  return renderLayout({
    title: 'Transfers',
    active: 'transfers',
    live: false,
    query: view.typed.q,
    main: html`<section class="card" aria-labelledby="list-title">
<h1 id="list-title">Transfers</h1>
${renderFilters(view.typed)}
${view.problem === null ? '' : html`<p class="problem" role="alert">${view.problem}</p>`}
${view.page === null ? '' : renderPage(view.page, view)}
</section>`,
  })
}

function renderFilters(typed: TypedFilter): Html {
  const option = (value: string, label: string, current: string) =>
    html`<option value="${value}"${value === current ? html` selected` : ''}>${label}</option>`
  const extraAge = typed.age === '' || ages.includes(typed.age) ? [] : [typed.age]
  return html`<form class="filters" method="get" action="/transfers">
<div><label for="f-q">Hash, address, symbol or key</label><input id="f-q" name="q" value="${typed.q}" maxlength="200" autocomplete="off" spellcheck="false"></div>
<div><label for="f-state">State</label><select id="f-state" name="state">${option('', 'any', typed.state)}${states.map((state) => option(state, state, typed.state))}</select></div>
<div><label for="f-direction">Direction</label><select id="f-direction" name="direction">${option('', 'any', typed.direction)}${directions.map((way) => option(way, `${directionWords[way]}s, ${directionPaths[way]}`, typed.direction))}</select></div>
<div><label for="f-token">Token, symbol or address</label><input id="f-token" name="token" value="${typed.token}" maxlength="100" autocomplete="off" spellcheck="false"></div>
<div><label for="f-age">Left at least</label><select id="f-age" name="age">${option('', 'any time', typed.age)}${[...ages, ...extraAge].map((age) => option(age, `${age} ago`, typed.age))}</select></div>
<div class="buttons"><button class="primary">Filter</button> <a href="/transfers">Clear</a></div>
</form>`
}

function renderPage({ transfers, next }: TransferPage, { typed, now, links }: TransfersView): Html {
  if (transfers.length === 0 && next === null) return renderNothing()
  const list =
    transfers.length === 0
      ? html`<p class="empty">None among the newest that were looked at; the ledger holds older ones.</p>`
      : renderTransferTable(transfers, { now, links })
  return html`${list}
<nav class="paging" aria-label="Paging"><span class="muted">${transfers.length} shown, newest first</span>${next === null ? '' : html`<a class="button" rel="next" href="${toNextHref(typed, next)}">Older</a>`}</nav>`
}

function renderNothing(): Html {
  return html`<p class="empty">The ledger holds no transfer like this. That says nothing about what spanwatch has not read.</p>`
}

/** The roles are written out because the narrow layout takes the table's display away, and its meaning with it. */
export function renderTransferTable(
  transfers: readonly Transfer[],
  { now, links }: { readonly now: UnixMs; readonly links: TransactionLinks },
): Html {
  return html`<table class="stack slim" role="table">
<thead role="rowgroup"><tr role="row">${['Transfer', 'State', 'Left', 'Amount', 'Recipient', 'Main hash', 'Zone hash'].map((name) => html`<th scope="col" role="columnheader"${name === 'Amount' ? html` class="number"` : ''}>${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${transfers.map((transfer) => renderRow(transfer, now, links))}</tbody>
</table>`
}

function renderRow(transfer: Transfer, now: UnixMs, links: TransactionLinks): Html {
  const { key, state, direction, main, zone, targetAddress, to } = transfer
  const recipient = targetAddress === '' ? to : targetAddress
  return html`<tr role="row">
<th scope="row" role="rowheader"><a href="${toTransferPath(key)}">${key}</a> <span class="muted">${directionWords[direction]}</span></th>
<td role="cell" data-label="State">${renderTag(stateTones[state], state)}</td>
<td role="cell" data-label="Left">${renderLeft(transfer, now)}</td>
<td role="cell" data-label="Amount" class="number">${renderTransferAmount(transfer)}</td>
<td role="cell" data-label="Recipient">${recipient === '' ? renderNone('not given') : renderHash(recipient)}</td>
<td role="cell" data-label="Main hash">${main === null ? renderNone('none yet') : renderTransactionHash(main, links)}</td>
<td role="cell" data-label="Zone hash">${zone === null ? renderNone('none yet') : renderTransactionHash(zone, links)}</td>
</tr>`
}

function renderLeft(transfer: Transfer, now: UnixMs): Html {
  if (leftNothing(transfer)) return renderNone('nothing left')
  return isDisproved(transfer)
    ? html`<span class="tone-unknown">not proven</span>`
    : renderAgo(transfer.originAt, now)
}

function renderNone(word: string): Html {
  return html`<span class="muted">${word}</span>`
}

function toNextHref(typed: TypedFilter, cursor: string): string {
  const query = new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''))
  query.set('cursor', cursor)
  return `/transfers?${query.toString()}`
}

/** What names a hash, an address, an id: transfers, and alerts on whatever else. */
export function renderSearchPage(of: {
  readonly query: string
  readonly page: TransferPage
  readonly alerts: readonly AlertView[]
  readonly now: UnixMs
  readonly links: TransactionLinks
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
        ? renderNothing()
        : html`${renderTransferTable(page.transfers, of)}${page.next === null ? '' : html`<p><a href="${all}">All of them</a></p>`}`
    }</section>
<section class="card" aria-labelledby="named-title"><h2 id="named-title">Alerts that name it</h2>${
      alerts.length === 0
        ? html`<p class="empty">None among the newest.</p>`
        : renderAlertList(alerts, { now, form: null, next: '/' })
    }</section>`,
  })
}
