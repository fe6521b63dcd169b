import { html } from 'hono/html'
import { cleanText } from '../../lib/text.ts'
import { type Change, sayWhence } from '../../store/auditLog.ts'
import { renderLayout } from './layout.ts'
import { type Html, renderTime, toAlertPath, toCasePath, toTransferPath } from './words.ts'

/** Who changed what, and from where, the newest first. */
export function renderAuditPage({
  changes,
  next,
}: {
  readonly changes: readonly Change[]
  readonly next: number | null
}): Html {
  return renderLayout({
    title: 'Audit log',
    active: null,
    live: false,
    main: html`<section class="card" aria-labelledby="audit-title"><h1 id="audit-title">Audit log</h1>
<p class="muted">What people changed: who, when and from where. Names are as they were typed; addresses, roles and sessions are what this server saw.</p>
${changes.length === 0 ? html`<p class="empty">Nobody has changed anything.</p>` : html`<ol class="alerts">${changes.map(renderChange)}</ol>`}
${next === null ? '' : html`<p><a href="/audit?before=${next}">Older</a></p>`}
</section>
<footer><p><a href="/api/audit">As JSON</a></p></footer>`,
  })
}

function renderChange(change: Change): Html {
  const { at, who, what, about, aboutId, detail } = change
  const path = toPath(change)
  const name = `${about} ${cleanText(aboutId, 200)}`
  return html`<li class="alert">
<p><strong>${who === '' ? 'Somebody' : cleanText(who, 100)}</strong> ${cleanText(what, 100)} ${path === null ? name : html`<a href="${path}">${name}</a>`}</p>
${detail === '' ? '' : html`<p class="detail">${cleanText(detail, 1_000)}</p>`}
<p class="meta"><span>${renderTime(at)}</span><span>${cleanText(sayWhence(change), 300)}</span></p>
</li>`
}

function toPath({ about, aboutId }: Change): string | null {
  if (about === 'alert') return toAlertPath(aboutId)
  if (about === 'movement') return '/breaks?state=all'
  if (about === 'case') return toCasePath(aboutId)
  return about === 'transfer' ? toTransferPath(aboutId) : null
}
