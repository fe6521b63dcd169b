import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import type { SilenceRow } from '../../alerts/store/silenceRows.ts'
import type { FormContext } from '../createFormGate.ts'
import { renderLayout } from './layout.ts'
import { type Html, formatAge, renderAgo, renderTag } from './words.ts'

/** Silences that hold or will, each with what it keeps quiet and a way to end it. */
export function renderSilencesPage(
  silences: readonly SilenceRow[],
  { now, form }: { readonly now: UnixMs; readonly form: FormContext },
): Html {
  return renderLayout({
    title: 'Silences',
    active: 'silences',
    live: true,
    main: html`<section class="card" aria-labelledby="silences-title">
<div class="head-row"><h1 id="silences-title">Silences</h1><a class="button primary" href="/silences/new">New silence</a></div>
<div id="silences" data-live>${
      silences.length === 0
        ? html`<p class="empty">No silence holds or is planned.</p>`
        : html`<ol class="alerts">${silences.map((silence) => renderSilence(silence, now, form))}</ol>`
    }</div>
</section>`,
  })
}

function renderSilence(silence: SilenceRow, now: UnixMs, { proof }: FormContext): Html {
  const { id, matchers, startsAt, endsAt, author, comment } = silence
  const isPlanned = startsAt > now
  return html`<li class="alert edge-info" id="silence-${id}">
<p>${renderTag('info', isPlanned ? 'planned' : 'holds')} <strong>${cleanText(comment, 500)}</strong></p>
<ul class="matchers">${matchers.map((matcher) => html`<li><code>${cleanText(matcher, 600)}</code></li>`)}</ul>
<p class="meta"><span>by ${cleanText(author, 100)}</span>${isPlanned ? html`<span>begins ${renderAgo(startsAt, now)}</span>` : html`<span>began ${renderAgo(startsAt, now)}</span>`}<span>ends in ${formatAge(Math.max(0, endsAt - now))}</span></p>
<form class="actions" method="post" action="/silences/${id}/expire"><input type="hidden" name="proof" value="${proof}"><button class="small">End now<span class="hidden"> silence ${id}</span></button></form>
</li>`
}
