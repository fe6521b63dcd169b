import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import { type FormContext, mayAct } from '../createFormGate.ts'
import type { OutboxView } from '../viewTypes.ts'
import { renderHidden } from './formParts.ts'
import { renderLayout } from './layout.ts'
import { type Html, renderAgo, renderTag, toAlertPath } from './words.ts'

export interface OutboxLists {
  readonly queued: readonly OutboxView[]
  readonly dead: readonly OutboxView[]
}

/** Messages that wait and those that were set aside, each with what can be done about it. */
export function renderOutboxPage(
  { queued, dead }: OutboxLists,
  { now, form }: { readonly now: UnixMs; readonly form: FormContext },
): Html {
  return renderLayout({
    title: 'Outbox',
    active: null,
    live: true,
    main: html`<h1>Outbox</h1>
<section class="card" aria-labelledby="queued-title"><h2 id="queued-title">Waiting</h2><div id="queued" data-live>${renderItems(queued, now, form, 'Nothing waits.')}</div></section>
<section class="card" aria-labelledby="dead-title"><h2 id="dead-title">Set aside</h2><div id="dead" data-live>${
      dead.length === 0 || !mayAct(form)
        ? ''
        : html`<form class="actions" method="post" action="/outbox/dead/retry">${renderHidden(form)}<button class="small">Try all again</button></form>`
    }${renderItems(dead, now, form, 'Nothing was set aside.')}</div></section>`,
  })
}

function renderItems(items: readonly OutboxView[], now: UnixMs, form: FormContext, none: string): Html {
  if (items.length === 0) return html`<p class="empty">${none}</p>`
  return html`<ol class="alerts">${items.map((item) => renderItem(item, now, form))}</ol>`
}

function renderItem(item: OutboxView, now: UnixMs, form: FormContext): Html {
  const { id, channel, what, alert, rule, subject, isCritical, createdAt, nextAt, lastError } = item
  return html`<li class="alert edge-${isCritical ? 'critical' : 'info'}" data-key="${id}">
<p>${isCritical ? renderTag('critical', 'critical') : ''} <strong>${cleanText(what)} to ${cleanText(channel)}</strong>${item.isDropped ? html` ${renderTag('info', 'dropped by hand')}` : ''}</p>
<p class="subject">${cleanText(rule ?? '', 100)}: ${cleanText(subject ?? 'its alert is forgotten', 400)}</p>
<p class="meta"><span>item ${id}</span><span>queued ${renderAgo(createdAt, now)}</span>${item.attempt === null ? '' : html`<span>attempt ${item.attempt}</span>`}${nextAt === null ? '' : html`<span>next ${renderAgo(nextAt, now)}</span>`}${alert === null ? '' : html`<a href="${toAlertPath(alert)}">Alert #${alert}</a>`}</p>
${lastError === null ? '' : html`<p class="detail">${cleanText(lastError, 300)}</p>`}
${mayAct(form) ? renderActions(item, form) : ''}
</li>`
}

function renderActions({ id, state }: OutboxView, form: FormContext): Html {
  const of = html`<span class="hidden"> item ${id}</span>`
  const hidden = renderHidden(form)
  return html`<div class="actions"><form method="post" action="/outbox/${id}/retry">${hidden}<button class="small">Try now${of}</button></form>${state === 'queued' ? html`<form method="post" action="/outbox/${id}/drop">${hidden}<button class="small">Drop${of}</button></form>` : ''}</div>`
}
