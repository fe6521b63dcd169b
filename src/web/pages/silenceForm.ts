import { html } from 'hono/html'
import { formatMatcher } from '../../alerts/matchers.ts'
import { type FormContext, mayAct } from '../createFormGate.ts'
import type { AlertView } from '../types.ts'
import { renderLayout } from './layout.ts'
import { type Html, formatAge, renderAgo, renderTag, toTransferPath } from './words.ts'
import { listScope } from '../../alerts/transferSilence.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import type { ShownSilence } from '../../alerts/silences.ts'

/** As typed, so that a refused form shows it again. */
export interface TypedSilence {
  /** One a line. */
  readonly matchers: string
  readonly for: string
  readonly by: string
  readonly comment: string
  /** Whether rules, kinds and labels need not exist yet. */
  readonly allowUnknown: boolean
}

/** The form for a new silence; with an alert, its labels are filled in. */
export function toSilenceDraft(alert: AlertView | null, { by }: FormContext): TypedSilence {
  // The severity may change while the silence holds; the rule and the subject's labels identify the alert.
  const labels = Object.entries(alert?.labels ?? {}).filter(
    ([label, value]) => value !== '' && label !== 'severity' && label !== 'kind',
  )
  return {
    matchers: labels
      .map(([label, value]) => formatMatcher({ label, operator: '=', value: value.slice(0, 500) }))
      .join('\n'),
    for: '2h',
    by,
    comment: '',
    allowUnknown: false,
  }
}

export function renderSilenceForm(
  typed: TypedSilence,
  { proof }: FormContext,
  problem: string | null = null,
): Html {
  const invalid = problem === null ? '' : html` aria-describedby="problem"`
  return renderLayout({
    title: 'New silence',
    active: 'silences',
    live: false,
    main: html`<form class="card form" method="post" action="/silences">
<h1>New silence</h1>
<p class="muted">Alerts whose labels match every line are silenced until it ends. They are judged as before; what still holds then is sent, and events are listed once.</p>
${problem === null ? '' : html`<p class="problem" role="alert" id="problem">${problem}</p>`}
<input type="hidden" name="proof" value="${proof}">
<label for="matchers">Matchers, one a line <span class="muted">label="value", !=, =~ or !~ with a pattern</span></label>
<textarea id="matchers" name="matchers" rows="6" required spellcheck="false"${invalid}>${typed.matchers}</textarea>
<div class="fields">
<div><label for="for">For <span class="muted">such as 30m, 2h, 3d</span></label><input id="for" name="for" value="${typed.for}" required maxlength="40" autocomplete="off"></div>
<div><label for="by">Your name</label><input id="by" name="by" value="${typed.by}" required maxlength="100" autocomplete="name"></div>
</div>
<label for="comment">Comment <span class="muted">why, for whoever comes next</span></label>
<input id="comment" name="comment" value="${typed.comment}" required maxlength="500" autocomplete="off">
<p class="check"><input type="checkbox" id="unknown" name="unknown" value="yes"${typed.allowUnknown ? html` checked` : ''}> <label for="unknown">Rules, kinds and labels may be ones that do not exist yet</label></p>
<p class="buttons"><button class="primary">Silence</button> <a href="/silences">Cancel</a></p>
</form>`,
  })
}

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
${mayAct(form) ? html`<form class="actions" method="post" action="/silences/${id}/expire"><input type="hidden" name="proof" value="${form.proof}"><button class="small">End now<span class="hidden"> silence ${id}</span></button></form>` : ''}
</li>`
}
