import { html } from 'hono/html'
import type { ShownSilence } from '../../alerts/silences.ts'
import { listScope } from '../../alerts/transferSilence.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import { type FormContext, mayAct } from '../createFormGate.ts'
import { renderHidden } from './formParts.ts'
import { renderLayout } from './layout.ts'
import { type Html, formatAge, renderAgo, renderTag, toTransferPath } from './words.ts'

/** Silences that hold, and those that will, each with the alerts it silences and a way to end it. */
export function renderSilencesPage(
  silences: readonly ShownSilence[],
  { now, form }: { readonly now: UnixMs; readonly form: FormContext },
): Html {
  return renderLayout({
    title: 'Silences',
    active: 'silences',
    live: true,
    main: html`<section class="card" aria-labelledby="silences-title">
<div class="head-row"><h1 id="silences-title">Silences</h1>${mayAct(form) ? html`<a class="button primary" href="/silences/new">New silence</a>` : ''}</div>
<div id="silences" data-live>${
      silences.length === 0
        ? html`<p class="empty">No silence holds or is planned.</p>`
        : html`<ol class="alerts">${silences.map((silence) => renderSilence(silence, now, form))}</ol>`
    }</div>
</section>
<footer><p><a href="/audit">Audit log</a>: who changed what, and from where.</p></footer>`,
  })
}

function renderSilence(silence: ShownSilence, now: UnixMs, form: FormContext): Html {
  const { id, matchers, startsAt, endsAt, author, comment, problem, transfer } = silence
  const isPlanned = startsAt > now
  return html`<li class="alert edge-info" id="silence-${id}">
<p>${problem === null ? renderTag('info', isPlanned ? 'planned' : 'holds') : renderTag('warning', 'set aside')} <strong>${cleanText(comment, 500)}</strong></p>
${transfer === null ? html`<ul class="matchers">${matchers.map((matcher) => html`<li><code>${cleanText(matcher, 600)}</code></li>`)}</ul>` : html`<p><a href="${toTransferPath(transfer.key)}">Transfer ${cleanText(transfer.key)}</a>${transfer.untilOver ? ', until it is over' : ''}. What goes beyond this is sent:</p><ul class="matchers">${listScope(transfer).map((line) => html`<li>${cleanText(line, 200)}</li>`)}</ul>`}
${problem === null ? '' : html`<p class="problem">Silences nothing, because it cannot be read: ${cleanText(problem, 400)}</p>`}
<p class="meta"><span>by ${cleanText(author, 100)}</span>${isPlanned ? html`<span>begins ${renderAgo(startsAt, now)}</span>` : html`<span>began ${renderAgo(startsAt, now)}</span>`}<span>ends ${transfer?.untilOver ? 'at the latest ' : ''}in ${formatAge(Math.max(0, endsAt - now))}</span></p>
${mayAct(form) ? html`<form class="actions" method="post" action="/silences/${id}/expire">${renderHidden(form)}<button class="small">End now<span class="hidden"> silence ${id}</span></button></form>` : ''}
</li>`
}
