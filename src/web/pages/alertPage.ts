import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import type { FormContext } from '../createFormGate.ts'
import type { AlertStory } from '../caseTypes.ts'
import { renderAckForm, renderMeta } from './alertList.ts'
import { renderFields, renderTodo } from './findingParts.ts'
import { renderHashes } from './hashes.ts'
import { renderLayout } from './layout.ts'
import { type Html, alertTone, renderTag, renderTime } from './words.ts'

/** One alert: what it rests on, what was decided about it and why, and every message. */
export function renderAlertPage(
  alert: AlertStory,
  { now, form }: { readonly now: UnixMs; readonly form: FormContext },
): Html {
  const title = cleanText(alert.title, 600)
  const headline = alert.summary === null ? title : cleanText(alert.summary, 300)
  return renderLayout({
    title: `${alert.severity}: ${headline}`,
    active: 'alerts',
    live: true,
    main: html`<div id="story" data-live>
<section class="card" aria-labelledby="alert-title">
<p class="overline">Alert #${alert.id}, ${cleanText(alert.kind, 100)}</p>
<h1 id="alert-title">${headline}</h1>
<p>${renderTag(alertTone(alert), alert.severity)}</p>
${headline === title ? '' : html`<p class="subject">${renderHashes(title, 600)}</p>`}
${renderMeta(alert, now)}
<p class="meta"><span>Happened at ${renderTime(alert.since)}</span>${renderSent(alert)}</p>
${alert.heldFor.length === 0 ? '' : html`<p class="muted">Will be listed to ${alert.heldFor.map((name) => cleanText(name)).join(', ')} when its silence ends.</p>`}
${alert.state === 'resolved' ? '' : renderTodo(alert)}
${alert.state === 'resolved' ? '' : renderAckForm(alert, form)}
</section>
<div class="flow">
<section class="card" aria-labelledby="facts-title"><h2 id="facts-title">Facts</h2>${renderFields(alert.fields)}</section>
<section class="card" aria-labelledby="decisions-title"><h2 id="decisions-title">What was decided, and why</h2>${renderDecisions(alert)}</section>
<section class="card" aria-labelledby="messages-title"><h2 id="messages-title">Messages</h2>${renderMessages(alert)}</section>
<section class="card" aria-labelledby="evidence-title"><h2 id="evidence-title">Evidence</h2>${renderEvidence(alert)}</section>
<section class="card" aria-labelledby="labels-title"><h2 id="labels-title">Labels</h2>${renderPairs(Object.entries(alert.labels))}</section>
</div>
<footer><p>State at ${renderTime(now)}. <a href="/api/alerts/${alert.id}">As JSON</a></p></footer>
</div>`,
  })
}

/** The line above says why nothing was sent. */
function renderSent({ toldAt, untold }: AlertStory): Html | '' {
  if (toldAt !== null) return html`<span>sent at ${renderTime(toldAt)}</span>`
  return untold === null ? html`<span>not sent yet</span>` : ''
}

/** So many of the newest stand open. */
const decisionsShown = 6

function renderDecisions({ decisions }: AlertStory): Html {
  if (decisions.length === 0) return html`<p class="empty">Nothing is kept.</p>`
  const older = decisions.slice(0, -decisionsShown)
  return html`${older.length === 0 ? '' : html`<details><summary>${older.length} earlier</summary>${listDecisions(older)}</details>`}${listDecisions(decisions.slice(-decisionsShown))}`
}

function listDecisions(decisions: AlertStory['decisions']): Html {
  return html`<ol class="timeline">${decisions.map(
    ({ at, what, reason }) =>
      html`<li class="dot-info"><p><strong>${cleanText(what, 100)}</strong></p><p class="detail">${renderHashes(reason, 600)}</p><p class="muted">${renderTime(at)}</p></li>`,
  )}</ol>`
}

const messageTones: Readonly<Record<string, string>> = {
  sent: 'fine',
  dead: 'critical',
  queued: 'attention',
}

function renderMessages({ messages }: AlertStory): Html {
  if (messages.length === 0) return html`<p class="empty">No message was queued.</p>`
  const older = messages.slice(0, -messagesShown)
  return html`${older.length === 0 ? '' : html`<details><summary>${older.length} earlier</summary>${listMessages(older)}</details>`}${listMessages(messages.slice(-messagesShown))}`
}

/** So many of the newest stand open. */
const messagesShown = 6

function listMessages(messages: AlertStory['messages']): Html {
  return html`<ul class="lines">${messages.map(
    ({ item, channel, what, state, message, queuedAt, sentAt }) =>
      html`<li>${renderTag(messageTones[state] ?? 'info', state)} <strong>${cleanText(what)} to ${cleanText(channel)}</strong> <span class="muted">${sentAt === null ? html`queued ${renderTime(queuedAt)}` : html`done ${renderTime(sentAt)}`}, outbox item ${item}${message === null ? '' : `, message #${cleanText(message, 100)}`}</span></li>`,
  )}</ul>`
}

function renderEvidence({ evidence }: AlertStory): Html {
  if (evidence.length === 0) return html`<p class="empty">It rests on the facts alone.</p>`
  return html`<ol class="timeline">${evidence.map(
    ({ source, at, says }) =>
      html`<li class="dot-info"><p><strong>${cleanText(source)}</strong></p><p class="detail">${renderHashes(says, 600)}</p><p class="muted">${renderTime(at)}</p></li>`,
  )}</ol>`
}

function renderPairs(pairs: readonly (readonly [string, string])[]): Html {
  if (pairs.length === 0) return html`<p class="empty">None.</p>`
  return html`<dl class="record">${pairs.map(
    ([name, value]) => html`<div><dt>${cleanText(name)}</dt><dd>${renderHashes(value, 500)}</dd></div>`,
  )}</dl>`
}
